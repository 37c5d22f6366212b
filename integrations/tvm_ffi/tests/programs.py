"""Programs that the tests compile."""

import kmux

_SCALE = (
    "void scale(const float* x, float* y, float factor, long long n) {{ for (long long i = 0; i < n; ++i) y[i] = {}; }}"
)


def buffer(name, shape=("n",), dtype="float32"):
    return {"name": name, "buffer": {"dtype": dtype, "shape": list(shape)}}


def launch(kernel, args):
    return {"steps": [{"launch": {"kernel": kernel, "args": args}}]}


def scale(expression="factor * x[i]", outputs=("y",), names=("x", "y")):
    """y = factor * x, of other names than these with `names`."""
    return scale_of(_SCALE.format(expression), outputs, names)


def scale_of(source, outputs=("y",), names=("x", "y")):
    """As `scale`, with another source."""
    x, y = names
    document = {
        "name": "scale",
        "signature": {
            "params": [buffer(x), buffer(y), {"name": "factor", "scalar": {"dtype": "float32"}}],
            "outputs": list(outputs),
            "symbols": [{"name": "n"}],
        },
        "variants": [
            {
                "dialect": "c",
                "sources": [{"path": "scale.c"}],
                "body": launch(
                    "scale", [{"tensor": x}, {"tensor": y}, {"scalar": "factor"}, {"expr": "n", "dtype": "int64"}]
                ),
            }
        ],
    }
    if not outputs:
        del document["signature"]["outputs"]
    return kmux.program(document, {"scale.c": source})


def ends():
    """low = min(x), high = max(x); 7 is written to `address`."""
    document = {
        "name": "ends",
        "signature": {
            "params": [buffer("x"), buffer("low", ()), buffer("high", ()), {"name": "address", "pointer": {}}],
            "outputs": ["high", "low"],
            "symbols": [{"name": "n"}],
        },
        "variants": [
            {
                "dialect": "c",
                "sources": [{"path": "ends.c"}],
                "body": launch(
                    "ends",
                    [
                        {"tensor": "x"},
                        {"tensor": "low"},
                        {"tensor": "high"},
                        {"tensor": "address"},
                        {"expr": "n", "dtype": "int64"},
                    ],
                ),
            }
        ],
    }
    source = """
    void ends(const float* x, float* low, float* high, float* address, long long n) {
      *low = *high = x[0];
      for (long long i = 1; i < n; ++i) { if (x[i] < *low) *low = x[i]; if (x[i] > *high) *high = x[i]; }
      address[0] = 7;
    }
    """
    return kmux.program(document, {"ends.c": source})


def scale_of_header():
    """y = FACTOR * x, where "factor.h" of the include folders defines FACTOR."""
    document = {
        "name": "scale_of_header",
        "signature": {
            "params": [buffer("x"), buffer("y")],
            "outputs": ["y"],
            "symbols": [{"name": "n"}],
        },
        "variants": [
            {
                "dialect": "c",
                "sources": [{"path": "scale.c"}],
                "body": launch("scale", [{"tensor": "x"}, {"tensor": "y"}, {"expr": "n", "dtype": "int64"}]),
            }
        ],
    }
    source = (
        "#include <factor.h>\n"
        "void scale(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = FACTOR * x[i]; }\n"
    )
    return kmux.program(document, {"scale.c": source})
