"""Matrix products on tensor cores: tiles come by tensor map (TMA) and are multiplied by a warp group (WGMMA)."""

import tilelang.language as T
from kmux_tilelang import describe


def _launched(*blocks, threads, cluster):
    """Before 0.1.15, T.Kernel has no cluster_dims."""
    return T.ClusterKernel(*blocks, threads=threads, cluster_dims=cluster) if cluster else T.Kernel(*blocks, threads=threads)


def _product(M, N, K, tile=(128, 128, 64), cluster=None):
    """C = A @ B in tiles of (m, n, k) elements."""
    m, n, k = tile

    @T.prim_func
    def product(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with _launched(T.ceildiv(N, n), T.ceildiv(M, m), threads=128, cluster=cluster) as (bx, by):
            a = T.alloc_shared((m, k), "float16")
            b = T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=3):
                T.copy(A[by * m, step * k], a)
                T.copy(B[step * k, bx * n], b)
                T.gemm(a, b, total)
            T.copy(total, C[by * m, bx * n])

    return product


@describe(
    description="half-precision matrix product of a fixed size",
    reference="C = A @ B",
    outputs=["C"],
    flops="2 * M * N * K",
    bytes="2 * (M * K + K * N) + 4 * M * N",
)
def gemm_f16(M=1024, N=1024, K=1024):
    """C[M, N] = A[M, K] @ B[K, N]."""
    return _product(M, N, K)


@describe(
    description="half-precision matrix product of any size; n and k multiples of 8, as tensor maps want them",
    reference="C = A @ B",
    outputs=["C"],
    symbols={"m": 1000, "n": 1016, "k": 1024},
    flops="2 * m * n * k",
    bytes="2 * (m * k + k * n) + 4 * m * n",
)
def gemm_f16_dynamic():
    """C[m, n] = A[m, k] @ B[k, n], all three known at the call."""
    m, n, k = T.dynamic("m, n, k")
    return _product(m, n, k)


@describe(
    description="half-precision matrix product whose blocks launch in clusters of two",
    reference="C = A @ B",
    outputs=["C"],
    flops="2 * M * N * K",
    bytes="2 * (M * K + K * N) + 4 * M * N",
)
def gemm_f16_cluster(M=1024, N=1024, K=512):
    """C[M, N] = A[M, K] @ B[K, N], two neighbours of a row of tiles at a time."""
    return _product(M, N, K, cluster=(2, 1, 1))


@describe(
    description="half-precision matrix product, the long dimension split over blocks, in two kernels",
    reference="C = A @ B",
    outputs=["C"],
    symbols={"m": 100},
    flops="2 * m * N * K + m * N * parts",
    bytes="2 * (m * K + K * N) + 4 * m * N * (2 * parts + 1)",
)
def gemm_f16_split(N=256, K=4096, parts=4):
    """C[m, N] = A[m, K] @ B[K, N]: partial sums in a workspace of parts * m * N floats, then their sum."""
    m = T.dynamic("m")
    tile, depth, share = 64, 64, K // parts

    @T.prim_func
    def gemm_f16_split(A: T.Tensor((m, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((m, N), "float32")):
        partial = T.alloc_global((parts, m, N), "float32")
        with T.Kernel(T.ceildiv(N, tile), T.ceildiv(m, tile), parts, threads=128) as (bx, by, part):
            a = T.alloc_shared((tile, depth), "float16")
            b = T.alloc_shared((depth, tile), "float16")
            total = T.alloc_fragment((tile, tile), "float32")
            T.clear(total)
            for step in T.Pipelined(share // depth, num_stages=2):
                T.copy(A[by * tile, part * share + step * depth], a)
                T.copy(B[part * share + step * depth, bx * tile], b)
                T.gemm(a, b, total)
            T.copy(total, partial[part, by * tile : by * tile + tile, bx * tile : bx * tile + tile])
        with T.Kernel(T.ceildiv(N, 128), m, threads=128) as (bx, row):
            for i in T.Parallel(128):
                total = T.alloc_local((1,), "float32")
                total[0] = T.float32(0)
                for part in T.serial(parts):
                    total[0] += partial[part, row, bx * 128 + i]
                C[row, bx * 128 + i] = total[0]

    return gemm_f16_split
