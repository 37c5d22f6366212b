"""One value in, one value out."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="scales a vector of any length",
    reference="y = factor * x",
    outputs=["y"],
    symbols={"n": 100000},
    scalars={"factor": 1.5},
    flops="n",
    bytes="8 * n",
)
def scale(block=1024):
    """y[n] = factor * x[n]; a symbol and a float scalar."""
    n = T.dynamic("n")

    @T.prim_func
    def scale(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32"), factor: T.float32):
        with T.Kernel(T.ceildiv(n, block)) as bx:
            for i in T.serial(block):
                if bx * block + i < n:
                    y[bx * block + i] = factor * x[bx * block + i]

    return scale


@describe(
    description="affine map over a part of a vector; integer and floating-point scalars",
    reference="y = where(i < count, slope * x + (offset << shift), 0)",
    outputs=["y"],
    symbols={"n": 5000},
    scalars={"count": 4000, "shift": 3, "offset": 7, "slope": 0.25},
    flops="2 * n",
    bytes="16 * n",
)
def affine():
    """y[n] from x[n] and scalars of int64, int32, int32 and float64."""
    n = T.dynamic("n", "int64")

    @T.prim_func
    def affine(
        x: T.Tensor((n,), "float64"),
        count: T.int64,
        shift: T.int32,
        offset: T.int32,
        slope: T.float64,
        y: T.Tensor((n,), "float64"),
    ):
        with T.Kernel(n) as i:
            if T.Cast("int64", i) < count:
                y[i] = slope * x[i] + T.Cast("float64", T.shift_left(offset, shift))
            else:
                y[i] = T.float64(0)

    return affine


@describe(
    description="sum of two half-precision vectors",
    reference="c = a + b",
    outputs=["c"],
    symbols={"n": 4096},
    flops="n",
    bytes="6 * n",
)
def add_half():
    """c[n] = a[n] + b[n] in float16."""
    n = T.dynamic("n")

    @T.prim_func
    def add_half(a: T.Tensor((n,), "float16"), b: T.Tensor((n,), "float16"), c: T.Tensor((n,), "float16")):
        with T.Kernel(n) as i:
            c[i] = a[i] + b[i]

    return add_half
