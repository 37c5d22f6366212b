"""Kernels that an export must take or refuse, with TileLang itself; see lowering.py."""

import tilelang
import tilelang.language as T
from tilelang import tvm


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


def other_types():
    """Takes float16 for one kind of target and float32 for others."""
    dtype = "float16" if tvm.target.Target.current().kind.name == "hip" else "float32"

    @T.prim_func
    def other_types(x: T.Tensor((256,), dtype)):
        with T.Kernel(2, threads=128) as bx:
            x[bx * 128 + T.get_thread_binding()] = 0

    return other_types


def filled_in_part():
    """The host fills some elements of a parameter."""

    @T.prim_func
    def filled_in_part(x: T.Tensor((256,), "float32")):
        T.fill(x[0:128], 0)
        with T.Kernel(2, threads=128) as bx:
            x[bx * 128 + T.get_thread_binding()] += T.float32(1)

    return filled_in_part


def filled_with_ones():
    """The host fills a parameter with a number of several bytes."""

    @T.prim_func
    def filled_with_ones(x: T.Tensor((256,), "float32")):
        T.fill(x, 1)
        with T.Kernel(2, threads=128) as bx:
            x[bx * 128 + T.get_thread_binding()] += T.float32(1)

    return filled_with_ones


def scaled_by_host():
    """A condition of the host on a floating-point scalar."""

    @T.prim_func
    def scaled_by_host(x: T.Tensor((256,), "float32"), scale: T.float32):
        if scale > T.float32(0):
            with T.Kernel(2, threads=128) as bx:
                x[bx * 128 + T.get_thread_binding()] *= scale

    return scaled_by_host


@tilelang.jit(compile_flags=["-maxrregcount=32"])
def few_registers():
    """A compile flag, which a program asks for."""

    @T.prim_func
    def few_registers(x: T.Tensor((256,), "float32")):
        with T.Kernel(2, threads=128) as bx:
            x[bx * 128 + T.get_thread_binding()] = 0

    return few_registers


def guarded(n=256):
    """A matrix product by tensor maps into a workspace, within a condition and a loop of the host."""

    @T.prim_func
    def guarded(A: T.Tensor((n, n), "float16"), C: T.Tensor((n, n), "float32"), flag: T.int32):
        if flag > 0:
            total = T.alloc_global((n, n), "float32")
            for _step in T.serial(flag):
                with T.Kernel(n // 64, n // 64, threads=128) as (bx, by):
                    a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
                    c = T.alloc_fragment((64, 64), "float32")
                    T.clear(c)
                    for k in T.Pipelined(n // 64, num_stages=2):
                        T.copy(A[by * 64, k * 64], a)
                        T.copy(A[k * 64, bx * 64], b)
                        T.gemm(a, b, c)
                    T.copy(c, total[by * 64, bx * 64])
                with T.Kernel(n, threads=128) as row:
                    for i in T.Parallel(n):
                        C[row, i] += total[row, i]

    return guarded


def any_case():
    """Host statements of every kind, which a program has."""
    n = T.dynamic("n")

    @T.prim_func
    def any_case(x: T.Tensor((n,), "float32"), steps: T.int32, flag: T.bool, half: T.float16):
        T.assume(n % 128 == 0)
        counts = T.alloc_global((2, n), "int32")
        T.fill(counts, -1)
        T.clear(x)
        for step in T.serial(steps):
            with T.Kernel(n // 128, threads=128) as bx:
                counts[0, bx * 128 + T.get_thread_binding()] += 1
                x[bx * 128 + T.get_thread_binding()] += T.Cast("float32", half) * T.Cast("float32", step)
        if flag:
            with T.Kernel(n // 128, threads=128) as bx:
                buffer = T.alloc_shared((n,), "float32")
                buffer[T.get_thread_binding()] = x[bx]
                x[bx * 128 + T.get_thread_binding()] = buffer[127 - T.get_thread_binding()]

    return any_case
