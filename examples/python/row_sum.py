"""Makes a program in Python: its document is a dict, its sources are strings."""

# [program.begin]
import kmux
import numpy as np

SOURCE = """
void row_sum(const float* x, float* y, long long m, long long n) {
  for (long long i = 0; i < m; ++i) {
    y[i] = 0;
    for (long long j = 0; j < n; ++j) y[i] += x[i * n + j];
  }
}
"""
m, n = ({"expr": name, "dtype": "int64"} for name in ("m", "n"))
program = kmux.program(
    {
        "name": "row_sum",
        "signature": {
            "params": [
                {"name": "x", "buffer": {"dtype": "float32", "shape": ["m", "n"]}},
                {"name": "y", "buffer": {"dtype": "float32", "shape": ["m"]}},
            ],
            "outputs": ["y"],
            "symbols": [{"name": "m"}, {"name": "n"}],
        },
        "variants": [
            {
                "dialect": "c",
                "sources": [{"path": "row_sum.c"}],
                "body": {
                    "steps": [{"launch": {"kernel": "row_sum", "args": [{"tensor": "x"}, {"tensor": "y"}, m, n]}}]
                },
            }
        ],
    },
    files={"row_sum.c": SOURCE},
)
row_sum = kmux.compile(program, target="cpu")
print(row_sum(np.ones((2, 5), "float32")))
# [program.end]
