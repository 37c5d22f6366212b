"""Kernels in TileLang without products of matrices: one maker for each kind, whose arguments choose types, tiles and threads."""

import tilelang.language as T

_MAPS = {
    "absolute": lambda x: T.abs(x),
    "clamped": lambda x: T.min(T.max(x, -1), 1),
    "cubed": lambda x: x * x * x,
    "exponential": lambda x: T.exp(x),
    "rectified": lambda x: T.max(x, 0),
    "sigmoid": lambda x: T.sigmoid(x),
    "silu": lambda x: x * T.sigmoid(x),
    "tanh": lambda x: T.tanh(x),
    "root": lambda x: T.sqrt(T.abs(x)),
    "selected": lambda x: T.if_then_else(x > 0, x, x * 0.25),
}
_PAIRS = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "larger": lambda a, b: T.max(a, b),
    "smaller": lambda a, b: T.min(a, b),
}


def mapped(M, N, kind, dtype="float32", out="float32", tile=(32, 64), threads=128, is_staged=False):
    """y = a function of each element of x, on fragments or from memory to memory."""
    m, n = tile
    change = _MAPS[kind]

    @T.prim_func
    def mapped(x: T.Tensor((M, N), dtype), y: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=threads) as (bx, by):
            if is_staged:
                block = T.alloc_shared((m, n), dtype)
                values = T.alloc_fragment((m, n), "float32")
                T.copy(x[by * m, bx * n], block)
                T.copy(block, values)
                for i, j in T.Parallel(m, n):
                    values[i, j] = change(values[i, j])
                T.copy(values, y[by * m, bx * n])
            else:
                for i, j in T.Parallel(m, n):
                    y[by * m + i, bx * n + j] = change(T.cast(x[by * m + i, bx * n + j], "float32"))

    return mapped


def combined(M, N, kind, dtype="float16", along="both", tile=(32, 64), threads=128):
    """y = an operation of a and b, where b may be a row or a column that all rows or columns of a meet."""
    m, n = tile
    operate = _PAIRS[kind]
    shape = {"both": (M, N), "row": (1, N), "column": (M, 1)}[along]
    rows, columns = shape[0] != 1, shape[1] != 1

    @T.prim_func
    def combined(a: T.Tensor((M, N), dtype), b: T.Tensor(shape, dtype), y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=threads) as (bx, by):
            for i, j in T.Parallel(m, n):
                y[by * m + i, bx * n + j] = operate(
                    a[by * m + i, bx * n + j], b[(by * m + i) if rows else 0, (bx * n + j) if columns else 0]
                )

    return combined


def folded(M, N, kind, dim=1, dtype="float32", share=32, threads=128):
    """y = a reduction of x along a dimension, for `share` rows or columns a block."""
    reduce = getattr(T, f"reduce_{kind}")
    count = N if dim == 0 else M
    shape = (M, share) if dim == 0 else (share, N)

    @T.prim_func
    def folded(x: T.Tensor((M, N), dtype), y: T.Tensor((count,), dtype)):
        with T.Kernel(T.ceildiv(count, share), threads=threads) as bx:
            values = T.alloc_fragment(shape, dtype)
            found = T.alloc_fragment((share,), dtype)
            T.copy(x[0 if dim == 0 else bx * share, bx * share if dim == 0 else 0], values)
            reduce(values, found, dim=dim)
            T.copy(found, y[bx * share])

    return folded


def scanned(M, N, dim=1, is_reversed=False, dtype="float32", rows=32):
    """y = running sums of x along a dimension, in shared memory."""

    @T.prim_func
    def scanned(x: T.Tensor((M, N), dtype), y: T.Tensor((M, N), dtype)):
        with T.Kernel(1 if dim == 0 else T.ceildiv(M, rows), threads=128) as bx:
            block = T.alloc_shared((M if dim == 0 else rows, N), dtype)
            T.copy(x[bx * rows, 0], block)
            T.cumsum(src=block, dim=dim, reverse=is_reversed)
            T.copy(block, y[bx * rows, 0])

    return scanned


def sorted_rows(M, N):
    """y = the sorted rows of x: a bitonic network in shared memory, N threads a row."""
    phases = N.bit_length() - 1

    @T.prim_func
    def sorted_rows(x: T.Tensor((M, N), "float32"), y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=N) as row:
            values = T.alloc_shared((N,), "float32")
            own = T.get_thread_binding(0)
            values[own] = x[row, own]
            T.sync_threads()
            for phase in T.serial(phases):
                for step in T.serial(phase + 1):
                    other = own ^ (1 << (phase - step))
                    if other > own:
                        low = T.min(values[own], values[other])
                        high = T.max(values[own], values[other])
                        is_up = (own & (1 << (phase + 1))) == 0
                        values[own] = T.if_then_else(is_up, low, high)
                        values[other] = T.if_then_else(is_up, high, low)
                    T.sync_threads()
            y[row, own] = values[own]

    return sorted_rows


def largest_rows(M, N, count, rows=16):
    """y = the `count` largest elements of each row, one after the other; no two elements of a row are equal."""

    @T.prim_func
    def largest_rows(x: T.Tensor((M, N), "float32"), y: T.Tensor((M, count), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            values = T.alloc_fragment((rows, N), "float32")
            found = T.alloc_fragment((rows,), "float32")
            T.copy(x[bx * rows, 0], values)
            for k in T.serial(count):
                T.reduce_max(values, found, dim=1, clear=True)
                for i, j in T.Parallel(rows, N):
                    values[i, j] = T.if_then_else(values[i, j] == found[i], -T.infinity("float32"), values[i, j])
                for i in T.Parallel(rows):
                    y[bx * rows + i, k] = found[i]

    return largest_rows


def matrix_times_vector(N, K, rows=8, lanes=32, dtype="float16"):
    """y = A @ x: `lanes` threads share a row, and a warp adds their sums."""
    width = 8
    steps = T.ceildiv(K, lanes * width)

    @T.prim_func
    def matrix_times_vector(A: T.Tensor((N, K), dtype), x: T.Tensor((K,), dtype), y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, rows), threads=(lanes, rows)) as bx:
            lane = T.get_thread_binding(0)
            row = T.get_thread_binding(1)
            a = T.alloc_local((width,), dtype)
            b = T.alloc_local((width,), dtype)
            sum_ = T.alloc_local((1,), "float32")
            total = T.alloc_local((1,), "float32")
            T.clear(sum_)
            for step in T.serial(steps):
                for k in T.vectorized(width):
                    a[k] = A[bx * rows + row, (step * lanes + lane) * width + k]
                    b[k] = x[(step * lanes + lane) * width + k]
                for k in T.serial(width):
                    sum_[0] += T.cast(a[k], "float32") * T.cast(b[k], "float32")
            with T.attr(
                T.comm_reducer(lambda p, q: p + q, [T.cast(0, "float32")]),
                "reduce_scope",
                T.reinterpret(T.uint64(0), dtype="handle"),
            ):
                T.evaluate(T.tvm_thread_allreduce(T.uint32(1), sum_[0], True, total[0], lane, dtype="handle"))
            if lane == 0:
                y[bx * rows + row] = total[0]

    return matrix_times_vector


def scattered(count, bins, kind="add", dtype="float32", share=256):
    """y[index[i]] changes by x[i], with atomic operations on global memory."""
    change = {"add": T.atomic_add, "max": T.atomic_max, "min": T.atomic_min}[kind]

    @T.prim_func
    def scattered(x: T.Tensor((count,), dtype), index: T.Tensor((count,), "int32"), y: T.Tensor((bins,), dtype)):
        with T.Kernel(T.ceildiv(count, share), threads=128) as bx:
            for i in T.Parallel(share):
                change(y[index[bx * share + i]], x[bx * share + i])

    return scattered


def added_tiles(M, N, parts, dtype="float32", tile=(32, 64)):
    """y = the sum of x[part], which the blocks add by whole tiles."""
    m, n = tile

    @T.prim_func
    def added_tiles(x: T.Tensor((parts, M, N), dtype), y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), parts, threads=128) as (bx, by, part):
            block = T.alloc_shared((m, n), dtype)
            T.copy(x[part, by * m, bx * n], block)
            T.atomic_add(y[by * m, bx * n], block)

    return added_tiles


def blurred(M, N, tile=(16, 32), reach=1):
    """y = the sum of the neighbours of x within `reach`, from a tile with a border; beyond the edges stands 0."""
    m, n = tile

    @T.prim_func
    def blurred(x: T.Tensor((M, N), "float32"), y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            block = T.alloc_shared((m + 2 * reach, n + 2 * reach), "float32")
            total = T.alloc_fragment((m, n), "float32")
            for i, j in T.Parallel(m + 2 * reach, n + 2 * reach):
                row = by * m + i - reach
                column = bx * n + j - reach
                is_inside = (row >= 0) & (row < M) & (column >= 0) & (column < N)
                block[i, j] = T.if_then_else(is_inside, x[row, column], 0.0)
            T.clear(total)
            for di, dj in T.grid(2 * reach + 1, 2 * reach + 1):
                for i, j in T.Parallel(m, n):
                    total[i, j] += block[i + di, j + dj]
            T.copy(total, y[by * m, bx * n])

    return blurred


def layer_norm(M, N, rows=8, dtype="float16"):
    """y = (x - mean) / deviation of each row, scaled and shifted by columns."""

    @T.prim_func
    def layer_norm(
        x: T.Tensor((M, N), dtype), scale: T.Tensor((N,), "float32"), shift: T.Tensor((N,), "float32"), y: T.Tensor((M, N), "float32")
    ):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            values = T.alloc_fragment((rows, N), "float32")
            squares = T.alloc_fragment((rows, N), "float32")
            mean = T.alloc_fragment((rows,), "float32")
            spread = T.alloc_fragment((rows,), "float32")
            T.copy(x[bx * rows, 0], values)
            T.reduce_sum(values, mean, dim=1)
            for i, j in T.Parallel(rows, N):
                values[i, j] -= mean[i] / N
            for i, j in T.Parallel(rows, N):
                squares[i, j] = values[i, j] * values[i, j]
            T.reduce_sum(squares, spread, dim=1)
            for i, j in T.Parallel(rows, N):
                values[i, j] = values[i, j] * T.rsqrt(spread[i] / N + 1e-5) * scale[j] + shift[j]
            T.copy(values, y[bx * rows, 0])

    return layer_norm


def online_softmax(M, N, rows=16, columns=64, stages=2):
    """y = the logarithm of the sum of exponentials of each row, from tiles that follow each other."""

    @T.prim_func
    def online_softmax(x: T.Tensor((M, N), "float16"), y: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            block = T.alloc_shared((rows, columns), "float16")
            values = T.alloc_fragment((rows, columns), "float32")
            largest = T.alloc_fragment((rows,), "float32")
            before = T.alloc_fragment((rows,), "float32")
            added = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.fill(largest, -T.infinity("float32"))
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(N, columns), num_stages=stages):
                T.copy(x[bx * rows, step * columns], block)
                T.copy(block, values)
                T.copy(largest, before)
                T.reduce_max(values, largest, dim=1, clear=False)
                for i, j in T.Parallel(rows, columns):
                    values[i, j] = T.exp(values[i, j] - largest[i])
                T.reduce_sum(values, added, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * T.exp(before[i] - largest[i]) + added[i]
            for i in T.Parallel(rows):
                y[bx * rows + i] = T.log(total[i]) + largest[i]

    return online_softmax


def rotated(M, N, rows=16):
    """y = pairs of x (a half of a row apart), rotated by angles of position and pair."""
    half = N // 2

    @T.prim_func
    def rotated(
        x: T.Tensor((M, N), "float32"), cosines: T.Tensor((M, half), "float32"), sines: T.Tensor((M, half), "float32"), y: T.Tensor((M, N), "float32")
    ):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            block = T.alloc_shared((rows, N), "float32")
            T.copy(x[bx * rows, 0], block)
            for i, j in T.Parallel(rows, half):
                y[bx * rows + i, j] = block[i, j] * cosines[bx * rows + i, j] - block[i, j + half] * sines[bx * rows + i, j]
            for i, j in T.Parallel(rows, half):
                y[bx * rows + i, j + half] = block[i, j] * sines[bx * rows + i, j] + block[i, j + half] * cosines[bx * rows + i, j]

    return rotated


def unpacked(M, N, out="float16", tile=(32, 64)):
    """y = the numbers of four bits in x, two a byte, the lower one first."""
    m, n = tile

    @T.prim_func
    def unpacked(x: T.Tensor((M, N // 2), "uint8"), y: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            bytes_ = T.alloc_shared((m, n // 2), "uint8")
            T.copy(x[by * m, bx * n // 2], bytes_)
            for i, j in T.Parallel(m, n):
                y[by * m + i, bx * n + j] = T.cast((bytes_[i, j // 2] >> T.cast(4 * (j % 2), "uint8")) & T.cast(15, "uint8"), out)

    return unpacked


def strided(M, N, step, tile=(16, 32)):
    """y = each `step`th row and column of x."""
    m, n = tile

    @T.prim_func
    def strided(x: T.Tensor((M * step, N * step), "float16"), y: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=64) as (bx, by):
            for i, j in T.Parallel(m, n):
                y[by * m + i, bx * n + j] = x[(by * m + i) * step, (bx * n + j) * step]

    return strided


def persistent(M, N, blocks, tile=(32, 64)):
    """y = 2 x, where each of few blocks takes tiles in turns."""
    m, n = tile
    across = N // n
    tiles = M // m * across

    @T.prim_func
    def persistent(x: T.Tensor((M, N), "float16"), y: T.Tensor((M, N), "float16")):
        with T.Kernel(blocks, threads=128) as bx:
            block = T.alloc_shared((m, n), "float16")
            values = T.alloc_fragment((m, n), "float16")
            for turn in T.serial(T.ceildiv(tiles - bx, blocks)):
                at = turn * blocks + bx
                T.copy(x[at // across * m, at % across * n], block)
                for i, j in T.Parallel(m, n):
                    values[i, j] = block[i, j] * 2
                T.copy(values, y[at // across * m, at % across * n])

    return persistent
