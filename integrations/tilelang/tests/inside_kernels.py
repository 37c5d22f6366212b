"""Kernels that tests/inside.py compiles."""

import tilelang
import tilelang.language as T


def add(n: int):
    """C = A + B"""

    @T.prim_func
    def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            for i in T.serial(n):
                C[i] = A[i] + B[i]

    return add


def matmul(n: int):
    """C = A @ B"""

    @T.prim_func
    def matmul(A: T.Tensor((n, n), "float32"), B: T.Tensor((n, n), "float32"), C: T.Tensor((n, n), "float32")):
        with T.Kernel(n) as row:
            for column in T.serial(n):
                C[row, column] = 0.0
                for k in T.serial(n):
                    C[row, column] += A[row, k] * B[k, column]

    return matmul


@tilelang.jit(out_idx=[-1], target="c", execution_backend="kmux")
def add_lazily(n: int):
    """C = A + B, returned"""
    return add(n)


@tilelang.jit(target="c", execution_backend="kmux")
def double_eagerly(A):
    """2 * A, for every number of rows"""
    m, n = T.dynamic("m"), T.const("n")
    A: T.Tensor[[m, n], T.float32]
    B = T.empty([m, n], T.float32)
    with T.Kernel(m) as row:
        for column in T.serial(n):
            B[row, column] = A[row, column] * 2.0
    return B


def filled_by_host(n: int):
    """n times the scalar; no tensor is passed"""

    @T.prim_func
    def filled(value: T.float32):
        out = T.empty((n,), "float32")
        with T.Kernel(1):
            for i in T.serial(n):
                out[i] = value
        return out

    return filled


def never_launched():
    """A grid of no blocks"""

    @T.prim_func
    def never(out: T.Tensor((4,), "float32")):
        with T.Kernel(0, threads=1) as pid:
            out[pid] = 1.0

    return never


def packed(n: int):
    """B = A, of half a byte each"""

    @T.prim_func
    def packed(A: T.Tensor((n,), "float4_e2m1fn"), B: T.Tensor((n,), "float4_e2m1fn")):
        with T.Kernel(1):
            for i in T.serial(n):
                B[i] = A[i]

    return packed


def shared_out(groups: int):
    """B = A, by the first of several groups of warps, which share out the registers."""

    @T.prim_func
    def shared_out(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=groups * 128):
            thread = T.get_thread_binding()
            if thread < 128:
                T.set_max_nreg(240, 1)
                B[thread] = A[thread]
            elif thread < 256:
                T.set_max_nreg(80, 0)
            else:
                T.set_max_nreg(24, 0)

    return shared_out
