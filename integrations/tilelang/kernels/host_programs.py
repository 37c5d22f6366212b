"""Kernels whose host function does more than launch once: it fills, loops and chooses."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="sums of the columns of a matrix, added up by many blocks in memory that the host clears first",
    reference="total = sum(x, axis=0)",
    outputs=["total"],
    symbols={"m": 1000},
    flops="m * N",
    bytes="4 * m * N",
)
def column_sums(N=256, rows=32):
    """total[N] = sum of x[m, N] over m; a block adds up some rows, then adds to the total."""
    m = T.dynamic("m")

    @T.prim_func
    def column_sums(x: T.Tensor((m, N), "float32"), total: T.Tensor((N,), "float32")):
        T.clear(total)
        with T.Kernel(T.ceildiv(m, rows), threads=N) as by:
            column = T.get_thread_binding()
            part = T.alloc_local((1,), "float32")
            part[0] = T.float32(0)
            for i in T.serial(rows):
                if by * rows + i < m:
                    part[0] += x[by * rows + i, column]
            T.atomic_add(total[column], part[0])

    return column_sums


@describe(
    description="a rod's temperatures after some steps of time, two a launch pair; and negated if asked for",
    reference="steps times: y = x + (roll(x, 1) - 2 * x + roll(x, -1)) / 4, then x from y likewise; x = -x if flip",
    symbols={"n": 4096},
    scalars={"steps": 10, "flip": 1},
    flops="8 * n",
    bytes="16 * n",
)
def relax(block=128):
    """x[n] in place; n is a multiple of the block, and the ends are neighbours. y[n] is a workspace."""
    n = T.dynamic("n")

    @T.macro
    def step(source, target):
        with T.Kernel(n // block, threads=block) as bx:
            i = bx * block + T.get_thread_binding()
            target[i] = source[i] / 2 + (source[(i + n - 1) % n] + source[(i + 1) % n]) / 4

    @T.prim_func
    def relax(x: T.Tensor((n,), "float32"), steps: T.int32, flip: T.bool):
        T.assume(n % block == 0)
        y = T.alloc_global((n,), "float32")
        for _ in T.serial(steps):
            step(x, y)
            step(y, x)
        if flip:
            with T.Kernel(n // block, threads=block) as bx:
                x[bx * block + T.get_thread_binding()] *= T.float32(-1)

    return relax
