"""Kernels that an export must take or refuse, with TileLang itself; see lowering.py."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def copy_lazily(n=16):
    """A `tilelang.jit` function in lazy style, which is fine."""

    @T.prim_func
    def copy(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(n) as i:
            y[i] = x[i]

    return copy


def tensor_core():
    """T.gemm on fragments, which target c does not have."""

    @T.prim_func
    def tensor_core(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            shared = T.alloc_shared((64, 64), "float16")
            total = T.alloc_fragment((64, 64), "float32")
            T.clear(total)
            T.copy(A, shared)
            T.gemm(shared, shared, total)
            T.copy(total, C)

    return tensor_core


def no_prim_func():
    """A function that returns a number."""
    return 5
