"""Kernels that ask for more than a grid and a block: a window of the L2 cache, overlap, all blocks at once."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="a table looked up again and again, kept in the L2 cache",
    reference="y = table[index]",
    outputs=["y"],
    symbols={"n": 1000000},
    bytes="8 * n + 4 * entries",
)
def look_up(entries=1048576, block=1024):
    """y[n] = table[index[n]]; the table asks for a window of L2."""
    n = T.dynamic("n")

    @T.prim_func
    def look_up(table: T.Tensor((entries,), "float32"), index: T.Tensor((n,), "int32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=256) as bx:
            T.annotate_l2_hit_ratio({table: 0.75})
            for i in T.Parallel(block):
                if bx * block + i < n:
                    y[bx * block + i] = table[index[bx * block + i]]

    return look_up


@describe(
    description="two kernels, the second of which starts while the first still runs",
    reference="y = 2 * (x + 1)",
    outputs=["middle", "y"],
    flops="2 * N",
    bytes="16 * N",
)
def overlap(N=65536, block=256):
    """middle[N] = x[N] + 1, then y[N] = 2 * middle[N]; programmatic dependent launch."""

    @T.prim_func
    def overlap(x: T.Tensor((N,), "float32"), middle: T.Tensor((N,), "float32"), y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=block) as bx:
            for i in T.Parallel(block):
                middle[bx * block + i] = x[bx * block + i] + T.float32(1)
            T.pdl_trigger()
        with T.Kernel(T.ceildiv(N, block), threads=block) as bx:
            T.pdl_sync()
            for i in T.Parallel(block):
                y[bx * block + i] = middle[bx * block + i] * T.float32(2)

    return overlap


@describe(
    description="neighbours' sums, twice, with a barrier of the whole grid between: a cooperative launch",
    reference="middle = x + roll(x, -1); y = middle + roll(middle, -1)",
    outputs=["middle", "y"],
    flops="2 * N",
    bytes="16 * N",
)
def grid_barrier(N=4096, block=256):
    """middle[N] and y[N] from x[N]; the second sum reads what other blocks wrote."""

    @T.prim_func
    def grid_barrier(x: T.Tensor((N,), "float32"), middle: T.Tensor((N,), "float32"), y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=block) as bx:
            for i in T.Parallel(block):
                middle[bx * block + i] = x[bx * block + i] + x[(bx * block + i + 1) % N]
            T.sync_grid()
            for i in T.Parallel(block):
                y[bx * block + i] = middle[bx * block + i] + middle[(bx * block + i + 1) % N]

    return grid_barrier
