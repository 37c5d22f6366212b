"""One value in, one value out, a tile of a vector to each block of threads: for targets with a device."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="sum of two vectors of a length known in advance",
    reference="c = a + b",
    outputs=["c"],
    flops="N",
    bytes="12 * N",
)
def add_tiles(N=65536, block=1024):
    """c[N] = a[N] + b[N]; every extent a number."""

    @T.prim_func
    def add_tiles(a: T.Tensor((N,), "float32"), b: T.Tensor((N,), "float32"), c: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=256) as bx:
            for i in T.Parallel(block):
                c[bx * block + i] = a[bx * block + i] + b[bx * block + i]

    return add_tiles


@describe(
    description="affine map of a vector of any length",
    reference="y = slope * x + offset",
    outputs=["y"],
    symbols={"n": 100000},
    scalars={"slope": 1.5, "offset": -3},
    flops="2 * n",
    bytes="8 * n",
)
def affine_tiles(block=1024):
    """y[n] = slope * x[n] + offset; a symbol, a float and an integer scalar, a symbolic grid."""
    n = T.dynamic("n")

    @T.prim_func
    def affine_tiles(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32"), slope: T.float32, offset: T.int32):
        with T.Kernel(T.ceildiv(n, block), threads=256) as bx:
            for i in T.Parallel(block):
                if bx * block + i < n:
                    y[bx * block + i] = slope * x[bx * block + i] + T.Cast("float32", offset)

    return affine_tiles


@describe(
    description="sum of two vectors, for the host and for four kinds of device",
    reference="c = a + b",
    outputs=["c"],
    symbols={"n": 4096},
    flops="n",
    bytes="12 * n",
)
def add_anywhere(block=128):
    """c[n] = a[n] + b[n]; nothing in it that a target lacks."""
    n = T.dynamic("n")

    @T.prim_func
    def add_anywhere(a: T.Tensor((n,), "float32"), b: T.Tensor((n,), "float32"), c: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=block) as bx:
            for i in T.Parallel(block):
                if bx * block + i < n:
                    c[bx * block + i] = a[bx * block + i] + b[bx * block + i]

    return add_anywhere


@describe(
    description="numbers of 0 to 255, scaled to floating point",
    reference="y = 0.5 * x",
    outputs=["y"],
    flops="n",
    bytes="5 * n",
)
def widen_bytes(n=4096):
    """y[n] = 0.5 * x[n] with x in uint8, whose upper half is negative where its sign is lost."""

    @T.prim_func
    def widen_bytes(x: T.Tensor((n,), "uint8"), y: T.Tensor((n,), "float32")):
        with T.Kernel(n // 128, threads=128) as bx:
            i = bx * 128 + T.get_thread_binding()
            y[i] = T.Cast("float32", x[i]) * T.float32(0.5)

    return widen_bytes
