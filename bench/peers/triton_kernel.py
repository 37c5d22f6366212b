"""The kernel as Triton's users write it. A module of its own, since it cannot be imported without Triton."""

import triton
import triton.language as tl


@triton.jit
def saxpy(x, y, z, a, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, a * tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
