"""The one kernel that everybody runs: z = a * x + y over float32, in the languages of the peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SMALL = 1 << 10  # a launch costs more than the work
LARGE = 1 << 24  # 192 MiB: more than any cache, so memory decides
BLOCK = 256
NAME = "saxpy"
BYTES = 12  # read and written for an element

CUDA = """
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, float a, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}
"""
OPENCL = """
__kernel void saxpy(__global const float* x, __global const float* y, __global float* z, float a, long n) {
  const long i = get_global_id(0);
  if (i < n) z[i] = a * x[i] + y[i];
}
"""
C = """
void saxpy(const float* x, const float* y, float* z, float a, long long n) {
  for (long long i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
}
"""


@dataclass(frozen=True)
class Case:
    """The kernel at one length. All values are small integers, so that every correct result is the same to the bit."""

    n: int
    a: float = 2.0

    @property
    def grid(self) -> int:
        return -(-self.n // BLOCK)

    def x(self) -> Any:
        import numpy

        return (numpy.arange(self.n) % 251).astype("float32")

    def y(self) -> Any:
        import numpy

        return (numpy.arange(self.n) % 127).astype("float32")

    def unwritten(self) -> Any:
        """What z holds before a call: nothing that could be taken for a result."""
        import numpy

        return numpy.full(self.n, numpy.nan, "float32")

    def problem(self, z: Any) -> str:
        """What is wrong with a result; empty if nothing is."""
        import numpy

        expected = self.a * self.x() + self.y()
        if z.shape != expected.shape or z.dtype != expected.dtype:
            return f"z is {z.dtype}{list(z.shape)}, not {expected.dtype}{list(expected.shape)}"
        differ = numpy.flatnonzero(~(z == expected))
        if differ.size == 0:
            return ""
        i = differ[0]
        return f"{differ.size} of {self.n} elements differ: z[{i}] is {z[i]}, not {expected[i]}"
