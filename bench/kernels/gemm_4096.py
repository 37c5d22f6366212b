"""The half-precision matrix product of bar gemm_ratio. Export it again, from integrations/tilelang:

python -m kmux_tilelang export ../../bench/kernels/gemm_4096.py:gemm_4096 --target cuda:sm_90a -o ../../bench/kernels/gemm_4096
"""

import tilelang.language as T
from kmux_tilelang import describe

SIZE = 4096
TILE_M, TILE_N, TILE_K = 128, 256, 64


@describe(
    description="half-precision matrix product, 4096 x 4096 x 4096",
    reference="C = A @ B",
    outputs=["C"],
    flops="137438953472",
    bytes="100663296",
)
@T.prim_func
def gemm_4096(
    A: T.Tensor((SIZE, SIZE), "float16"), B: T.Tensor((SIZE, SIZE), "float16"), C: T.Tensor((SIZE, SIZE), "float16")
):
    with T.Kernel(SIZE // TILE_N, SIZE // TILE_M, threads=256) as (bx, by):
        a = T.alloc_shared((TILE_M, TILE_K), "float16")
        b = T.alloc_shared((TILE_K, TILE_N), "float16")
        total = T.alloc_fragment((TILE_M, TILE_N), "float32")
        T.use_swizzle(8)
        T.clear(total)
        for step in T.Pipelined(SIZE // TILE_K, num_stages=3):
            T.copy(A[by * TILE_M, step * TILE_K], a)
            T.copy(B[step * TILE_K, bx * TILE_N], b)
            T.gemm(a, b, total)
        T.copy(total, C[by * TILE_M, bx * TILE_N])
