"""A kernel of its source and a line."""

# [saxpy.begin]
import kmux
import numpy as np

saxpy = kmux.kernel(
    """__global__ void saxpy(float a, const float* x, float* y, int n) {
         const int i = blockIdx.x * blockDim.x + threadIdx.x;
         if (i < n) y[i] += a * x[i];
       }""",
    "saxpy(a: f32, x: f32[n], y: inout f32[n])", grid="ceildiv(n, 256)", block=256,
)  # fmt: skip
x, y = np.arange(5, dtype="float32"), np.ones(5, "float32")
saxpy(2.0, x, y)  # torch's and CuPy's arrays of a GPU as well: compiled for the device that they are on
# [saxpy.end]
print(y)
