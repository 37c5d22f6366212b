"""Makes a kernel of a function of arrays and calls it with NumPy's."""

# [quickstart.begin]
import kmux
import numpy as np

SOURCE = """
void scale(const float* x, float* y, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = FACTOR * x[i];
}
"""


@kmux.jit
def scale(builder: kmux.JitBuilder, x, *, factor=1.5):
    n = builder.symbol("n")
    builder.input("x", [n])
    y = builder.empty("y", "float32", [n])
    builder.variant("c", sources={"scale.c": SOURCE}, defines={"FACTOR": factor})
    builder.launch("scale", ["x", "y", "n"])
    return y


x = np.arange(4, dtype="float32")
print(scale(x) + 1)  # compiled at the first call, for every n: an array in, an array out

kernel = scale.compile(x, factor=3)  # or a kernel to keep; kmux.compile makes one of a program or of its file
z = np.empty_like(x)
kernel(x, z)  # into an array that is there; nothing is allocated
print(z, "by", kernel.backend)
# [quickstart.end]

print(kernel.resolution)

# [errors.begin]
for arguments in ((x, "large"), (x, np.empty(3, "float32"))):
    try:
        kernel(*arguments)
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
# [errors.end]
