"""Values that move or change their form."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="unpacks four signed bytes out of each integer; a shape that is an expression of a symbol",
    reference="bytes = packed.view(int8)",
    outputs=["bytes"],
    symbols={"n": 1000},
    bytes="8 * n",
)
def unpack_bytes():
    """bytes[n * 4] from packed[n], the least significant byte first."""
    n = T.dynamic("n")

    @T.prim_func
    def unpack_bytes(packed: T.Tensor((n,), "int32"), bytes: T.Tensor((n * 4,), "int8")):
        with T.Kernel(n) as i:
            for k in T.serial(4):
                bytes[i * 4 + k] = T.Cast("int8", T.shift_right(packed[i], k * 8))

    return unpack_bytes


@describe(
    description="copies a matrix with gaps between its rows; a stride that is a symbol",
    reference="y = ascontiguousarray(x)",
    outputs=["y"],
    symbols={"m": 60, "n": 50, "pitch": 64},
    bytes="8 * m * n",
)
def pack_rows():
    """y[m, n] (no gaps) from x[m, n] with `pitch` elements from row to row."""
    m, n, pitch = T.dynamic("m, n, pitch")

    @T.prim_func
    def pack_rows(x: T.StridedTensor((m, n), (pitch, 1), "float32"), y: T.Tensor((m, n), "float32")):
        with T.Kernel(m) as row:
            for j in T.serial(n):
                y[row, j] = x[row, j]

    return pack_rows


@describe(
    description="copies a vector; a buffer that no kernel reads may be null",
    reference="y = x",
    outputs=["y"],
    symbols={"n": 100},
    bytes="8 * n",
)
def copy_without_bias():
    """y[n] = x[n]; bias[n] is a parameter that is not used."""
    n = T.dynamic("n")

    @T.prim_func
    def copy_without_bias(x: T.Tensor((n,), "float32"), bias: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(n) as i:
            y[i] = x[i]

    return copy_without_bias
