"""Many values in, one value a row out."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="sums of the rows of a matrix",
    reference="s = sum(x, axis=1)",
    outputs=["s"],
    symbols={"m": 300, "n": 500},
    flops="m * n",
    bytes="4 * (m * n + m)",
)
def row_sum():
    """s[m] = sum of x[m, n] over n, both known at the call."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def row_sum(x: T.Tensor((m, n), "float32"), s: T.Tensor((m,), "float32")):
        with T.Kernel(m) as row:
            total = T.alloc_local((1,), "float32")
            total[0] = T.float32(0)
            for j in T.serial(n):
                total[0] += x[row, j]
            s[row] = total[0]

    return row_sum


@describe(
    description="softmax of the rows of a matrix",
    reference="y = exp(x - max(x, axis=1)) / sum(exp(x - max(x, axis=1)), axis=1)",
    outputs=["y"],
    symbols={"m": 300},
    flops="5 * m * N",
    bytes="8 * m * N",
)
def softmax(N=128):
    """y[m, N] = softmax of x[m, N] over N; m known at the call."""
    m = T.dynamic("m")

    @T.prim_func
    def softmax(x: T.Tensor((m, N), "float32"), y: T.Tensor((m, N), "float32")):
        with T.Kernel(m) as row:
            largest = T.alloc_local((1,), "float32")
            total = T.alloc_local((1,), "float32")
            largest[0] = x[row, 0]
            total[0] = T.float32(0)
            for j in T.serial(N):
                largest[0] = T.max(largest[0], x[row, j])
            for j in T.serial(N):
                y[row, j] = T.exp(x[row, j] - largest[0])
                total[0] += y[row, j]
            for j in T.serial(N):
                y[row, j] = y[row, j] / total[0]

    return softmax


@describe(
    description="extremes of the rows of a matrix; three outputs of two types",
    reference="low = min(x, axis=1); high = max(x, axis=1); where = argmax(x, axis=1), the first of equals",
    outputs=["low", "high", "where"],
    symbols={"m": 300, "n": 70},
    flops="2 * m * n",
    bytes="4 * m * n + 12 * m",
)
def extremes():
    """low[m], high[m] and where[m] of x[m, n]."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def extremes(
        x: T.Tensor((m, n), "float32"),
        low: T.Tensor((m,), "float32"),
        high: T.Tensor((m,), "float32"),
        where: T.Tensor((m,), "int32"),
    ):
        with T.Kernel(m) as row:
            low[row] = x[row, 0]
            high[row] = x[row, 0]
            where[row] = 0
            for j in T.serial(n):
                low[row] = T.min(low[row], x[row, j])
                if x[row, j] > high[row]:
                    high[row] = x[row, j]
                    where[row] = j

    return extremes


@describe(
    description="columns scaled to a sum of one, in two T.Kernel regions",
    reference="total = sum(x, axis=0); y = x / total",
    outputs=["total", "y"],
    symbols={"m": 100},
    flops="2 * m * N",
    bytes="4 * (3 * m * N + 2 * N)",
)
def normalize_columns(N=64):
    """total[N] = sum of x[m, N] over m, then y[m, N] = x / total."""
    m = T.dynamic("m")

    @T.prim_func
    def normalize_columns(
        x: T.Tensor((m, N), "float32"), total: T.Tensor((N,), "float32"), y: T.Tensor((m, N), "float32")
    ):
        with T.Kernel(N) as column:
            column_sum = T.alloc_local((1,), "float32")
            column_sum[0] = T.float32(0)
            for i in T.serial(m):
                column_sum[0] += x[i, column]
            total[column] = column_sum[0]
        with T.Kernel(m) as row:
            for j in T.serial(N):
                y[row, j] = x[row, j] / total[j]

    return normalize_columns
