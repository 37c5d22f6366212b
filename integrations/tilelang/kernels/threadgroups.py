"""Kernels whose threads share memory: as targets without asynchronous copies have it."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="matrix product with tiles in the memory of a threadgroup",
    reference="C = A @ B",
    outputs=["C"],
    flops="2 * M * N * K",
    bytes="2 * (M * K + K * N) + 4 * M * N",
)
def gemm_simdgroup(M=64, N=64, K=64, block=32):
    """C[M, N] = A[M, K] @ B[K, N] in float16, added up in float32."""

    @T.prim_func
    def gemm_simdgroup(
        A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block, block), "float16")
            B_tile = T.alloc_shared((block, block), "float16")
            C_tile = T.alloc_fragment((block, block), "float32")
            T.clear(C_tile)
            for k in T.serial(T.ceildiv(K, block)):
                T.copy(A[by * block, k * block], A_tile)
                T.copy(B[k * block, bx * block], B_tile)
                T.gemm(A_tile, B_tile, C_tile)
            T.copy(C_tile, C[by * block, bx * block])

    return gemm_simdgroup


@describe(
    description="softmax of the rows of a matrix, a threadgroup a row",
    reference="y = exp(x - max(x, axis=1)) / sum(exp(x - max(x, axis=1)), axis=1)",
    outputs=["y"],
    symbols={"m": 50},
    flops="5 * m * N",
    bytes="8 * m * N",
)
def softmax_shared(N=128):
    """y[m, N] = softmax of x[m, N] over N; m known at the call."""
    m = T.dynamic("m")

    @T.prim_func
    def softmax_shared(x: T.Tensor((m, N), "float32"), y: T.Tensor((m, N), "float32")):
        with T.Kernel(m, threads=N) as row:
            values = T.alloc_shared((N,), "float32")
            for j in T.Parallel(N):
                values[j] = x[row, j]
            largest = T.alloc_local((1,), "float32")
            total = T.alloc_local((1,), "float32")
            largest[0] = values[0]
            total[0] = T.float32(0)
            for j in T.serial(N):
                largest[0] = T.max(largest[0], values[j])
            for j in T.serial(N):
                total[0] += T.exp(values[j] - largest[0])
            for j in T.Parallel(N):
                y[row, j] = T.exp(values[j] - largest[0]) / total[0]

    return softmax_shared


@describe(
    description="a vector turned round within each block, through the memory of a threadgroup",
    reference="y = x.reshape(-1, block)[:, ::-1].reshape(-1)",
    outputs=["y"],
    symbols={"n": 1024},
    bytes="8 * n",
)
def reverse_blocks(block=128):
    """y[n] from x[n], n a multiple of block."""
    n = T.dynamic("n")

    @T.prim_func
    def reverse_blocks(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        T.assume(n % block == 0)
        with T.Kernel(n // block, threads=block) as bx:
            tile = T.alloc_shared((block,), "float32")
            for i in T.Parallel(block):
                tile[i] = x[bx * block + i]
            for i in T.Parallel(block):
                y[bx * block + i] = tile[block - 1 - i]

    return reverse_blocks
