"""A function of a configuration becomes a function that returns kernels."""

# [jit.begin]
import kmux
import numpy as np

SOURCE = """
void moving_sum(const float* x, float* y, long long n) {{
  for (long long i = 0; i < n; ++i) {{
    y[i] = 0;
    for (int tap = 0; tap < {taps}; ++tap) y[i] += x[i + tap];
  }}
}}
"""


@kmux.jit(target="cpu")
def moving_sum(taps: int = 3) -> kmux.Program:
    arguments = [{"tensor": "x"}, {"tensor": "y"}, {"expr": "n", "dtype": "int64"}]
    document = {
        "name": "moving_sum",
        "signature": {
            "params": [
                {"name": "x", "buffer": {"dtype": "float32", "shape": [["+", "n", taps - 1]]}},
                {"name": "y", "buffer": {"dtype": "float32", "shape": ["n"]}},
            ],
            "outputs": ["y"],
            "symbols": [{"name": "n"}],
        },
        "variants": [
            {
                "dialect": "c",
                "sources": [{"path": "moving_sum.c"}],
                "body": {"steps": [{"launch": {"kernel": "moving_sum", "args": arguments}}]},
            }
        ],
    }
    return kmux.program(document, {"moving_sum.c": SOURCE.format(taps=taps)})


x = np.arange(1, 5, dtype="float32")
sum_of_2 = moving_sum(taps=2)  # compiles; the same call again finds the kernel
print(sum_of_2(x))

moving_sum.par_compile([{"taps": 3}, {"taps": 4}], num_workers=2)  # several at once
print(moving_sum(taps=4)(x))
# [jit.end]
assert moving_sum(taps=2) is sum_of_2
