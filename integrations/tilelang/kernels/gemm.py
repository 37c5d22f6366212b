"""Matrix products, blocked: a tile of C stays in registers or the first cache while K goes by."""

import tilelang.language as T
from kmux_tilelang import describe


def _blocked(M, N, K, block_M, block_N, block_K):
    @T.prim_func
    def gemm(
        A: T.Tensor((M, K), "float32"),
        B: T.Tensor((K, N), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M)) as (bx, by):
            A_tile = T.alloc_local((block_M, block_K), "float32")
            B_tile = T.alloc_local((block_K, block_N), "float32")
            C_tile = T.alloc_local((block_M, block_N), "float32")
            for i, j in T.grid(block_M, block_N):
                C_tile[i, j] = T.float32(0)
            for k_block in T.serial(T.ceildiv(K, block_K)):
                T.copy(A[by * block_M, k_block * block_K], A_tile)
                T.copy(B[k_block * block_K, bx * block_N], B_tile)
                for i, k, j in T.grid(block_M, block_K, block_N):
                    C_tile[i, j] += A_tile[i, k] * B_tile[k, j]
            T.copy(C_tile, C[by * block_M, bx * block_N])

    return gemm


@describe(
    description="matrix product of fixed shape, blocked",
    reference="C = A @ B",
    outputs=["C"],
    flops="2 * M * N * K",
    bytes="4 * (M * K + K * N + M * N)",
)
def gemm(M=256, N=256, K=256, block_M=64, block_N=64, block_K=64):
    """C[M, N] = A[M, K] @ B[K, N], all sizes fixed."""
    return _blocked(M, N, K, block_M, block_N, block_K)


@describe(
    description="matrix product with any number of rows, blocked",
    reference="C = A @ B",
    outputs=["C"],
    symbols={"m": 200},
    flops="2 * m * N * K",
    bytes="4 * (m * K + K * N + m * N)",
)
def gemm_dynamic(N=256, K=256, block_M=64, block_N=64, block_K=64):
    """C[m, N] = A[m, K] @ B[K, N], m known at the call."""
    return _blocked(T.dynamic("m"), N, K, block_M, block_N, block_K)
