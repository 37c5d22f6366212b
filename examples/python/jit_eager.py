"""A function of arrays becomes a kernel for their shapes, compiled when it is called first."""

# [jit_eager.begin]
import kmux
import numpy as np

SOURCE = """
void matmul(const float* a, const float* b, float* c, long long m) {
  for (long long i = 0; i < m; ++i)
    for (int first = 0; first < N; first += TILE)
      for (int j = first; j < first + TILE && j < N; ++j) {
        float sum = 0;
        for (int l = 0; l < K; ++l) sum += a[i * K + l] * b[l * N + j];
        c[i * N + j] = sum;
      }
}
"""


@kmux.jit
def matmul(builder: kmux.JitBuilder, a, b, *, tile: int = 4):
    """c = a @ b: k and n are compiled in, one kernel serves every m."""
    k, n = builder.constants("k", "n")
    m = builder.symbol("m")
    builder.input("a", (m, k))
    builder.input("b", (k, n))
    c = builder.empty("c", "float32", (m, n))
    builder.variant("c", sources={"matmul.c": SOURCE}, defines={"K": k, "N": n, "TILE": tile})
    builder.launch("matmul", ["a", "b", "c", "m"])
    return c


b = np.full((8, 2), 3, "float32")
c = matmul(np.ones((5, 8), "float32"), b)  # compiles, then runs
d = matmul(np.ones((9, 8), "float32"), b)  # other rows: the same kernel
e = matmul(np.ones((5, 8), "float32"), b, tile=2)
print(c[0] + d[8] + e[4])
# [jit_eager.end]
assert len(matmul.par_compile((c, np.ones((2, 2), "float32")), [{"tile": 1}, {"tile": 2}])) == 2
