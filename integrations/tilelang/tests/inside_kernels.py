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


def doubled_in_place():
    """A *= 2, of n numbers at an address"""

    @T.prim_func
    def doubled_in_place(address: T.ptr, n: T.int32):
        A = T.make_tensor(address, (n,), "float32")
        with T.Kernel(1):
            for i in T.serial(n):
                A[i] = A[i] * 2.0

    return doubled_in_place


def added_at(n: int):
    """B = A + 1, of an address into a tensor"""

    @T.prim_func
    def added_at(address: T.ptr, B: T.Tensor((n,), "float32")):
        A = T.make_tensor(address, (n,), "float32")
        with T.Kernel(1):
            for i in T.serial(n):
                B[i] = A[i] + 1.0

    return added_at


def assuming():
    """A *= 2, of a multiple of 4"""
    n = T.dynamic("n")

    @T.prim_func
    def assuming(A: T.Tensor((n,), "float32")):
        T.assume(n % 4 == 0)
        with T.Kernel(1):
            for i in T.serial(n):
                A[i] = A[i] * 2.0

    return assuming


def add_by_threads(n: int):
    """C = A + B, an element a thread: for targets with a device"""

    @T.prim_func
    def add_by_threads(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(n // 128, threads=128) as bx:
            i = bx * 128 + T.get_thread_binding()
            C[i] = A[i] + B[i]

    return add_by_threads


def widened(n: int):
    """B = A, of uint8 into float16, several elements at a time"""

    @T.prim_func
    def widened(A: T.Tensor((n,), "uint8"), B: T.Tensor((n,), "float16")):
        with T.Kernel(n // 1024, threads=128) as bx:
            for i in T.Parallel(1024):
                B[bx * 1024 + i] = A[bx * 1024 + i]

    return widened


def in_clusters(n: int = 256):
    """C = A @ B by wgmma, in clusters of two blocks"""

    @T.prim_func
    def in_clusters(A: T.Tensor((n, n), "float16"), B: T.Tensor((n, n), "float16"), C: T.Tensor((n, n), "float32")):
        with T.ClusterKernel(n // 64, n // 64, threads=128, cluster_dims=(2, 1, 1)) as (bx, by):
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
            total = T.alloc_fragment((64, 64), "float32")
            T.clear(total)
            for k in T.Pipelined(n // 64, num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[k * 64, bx * 64], b)
                T.gemm(a, b, total)
            T.copy(total, C[by * 64, bx * 64])

    return in_clusters


def tuned(n: int, block: int = 2):
    """B = 2 * A in blocks"""

    @T.prim_func
    def tuned(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block)) as bx:
            for i in T.serial(block):
                B[bx * block + i] = A[bx * block + i] * 2.0

    return tuned
