"""Kernels in TileLang that are more than one product of matrices: attention of other forms, packed weights, groups, pools."""

import tilelang.language as T


def unpacked_product(M, N, K, group=0, tile=(64, 64, 64), stages=2, dtype="float16"):
    """C = A @ B.T, where B has numbers of four bits, two a byte, with a scale for each `group` of K if there are groups."""
    m, n, k = tile
    groups = K // group if group else 1
    size = group or K

    @T.prim_func
    def unpacked_product(
        A: T.Tensor((M, K), dtype), B: T.Tensor((N, K // 2), "uint8"), scale: T.Tensor((N, groups), dtype), C: T.Tensor((M, N), "float32")
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            a = T.alloc_shared((m, k), dtype)
            packed = T.alloc_shared((n, k // 2), "uint8")
            b = T.alloc_shared((n, k), dtype)
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                T.copy(A[by * m, step * k], a)
                T.copy(B[bx * n, step * k // 2], packed)
                for i, j in T.Parallel(n, k):
                    nibble = (packed[i, j // 2] >> T.cast(4 * (j % 2), "uint8")) & T.cast(15, "uint8")
                    b[i, j] = (T.cast(nibble, dtype) - T.cast(8, dtype)) * scale[bx * n + i, (step * k + j) // size]
                T.gemm(a, b, total, transpose_B=True)
            T.copy(total, C[by * m, bx * n])

    return unpacked_product


def grouped_product(M, N, K, groups, tile=(64, 64, 32), stages=2):
    """C = the rows of A, each tile of them times the B whose number `owner` has."""
    m, n, k = tile

    @T.prim_func
    def grouped_product(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((groups, K, N), "float16"),
        owner: T.Tensor((M // m,), "int32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            a = T.alloc_shared((m, k), "float16")
            b = T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                T.copy(A[by * m, step * k], a)
                T.copy(B[owner[by], step * k, bx * n], b)
                T.gemm(a, b, total)
            T.copy(total, C[by * m, bx * n])

    return grouped_product


def sparse_product(M, N, K, tile=(64, 64, 32), stages=2):
    """C = A @ B, without the tiles of K that `used` has no 1 for."""
    m, n, k = tile

    @T.prim_func
    def sparse_product(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        used: T.Tensor((M // m, N // n, K // k), "int32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            a = T.alloc_shared((m, k), "float16")
            b = T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                if used[by, bx, step] != 0:
                    T.copy(A[by * m, step * k], a)
                    T.copy(B[step * k, bx * n], b)
                    T.gemm(a, b, total)
            T.copy(total, C[by * m, bx * n])

    return sparse_product


def chained_product(M, L, K, D, tile=(64, 64), stages=1, dtype="float16"):
    """C = (A @ B.T) @ V: the first product stays in registers as an operand of the second."""
    m, n = tile

    @T.prim_func
    def chained_product(
        A: T.Tensor((M, K), dtype), B: T.Tensor((L, K), dtype), V: T.Tensor((L, D), dtype), C: T.Tensor((M, D), "float32")
    ):
        with T.Kernel(T.ceildiv(M, m), threads=128) as by:
            a = T.alloc_shared((m, K), dtype)
            b = T.alloc_shared((n, K), dtype)
            v = T.alloc_shared((n, D), dtype)
            scores = T.alloc_fragment((m, n), "float32")
            weights = T.alloc_fragment((m, n), dtype)
            total = T.alloc_fragment((m, D), "float32")
            T.copy(A[by * m, 0], a)
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(L, n), num_stages=stages):
                T.copy(B[step * n, 0], b)
                T.clear(scores)
                T.gemm(a, b, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(scores, weights)
                T.copy(V[step * n, 0], v)
                T.gemm(weights, v, total, policy=T.GemmWarpPolicy.FullRow)
            T.copy(total, C[by * m, 0])

    return chained_product


def persistent_product(M, N, K, blocks, tile=(64, 64, 32), stages=2):
    """C = A @ B, where each of few blocks takes tiles in turns."""
    m, n, k = tile
    across = N // n
    tiles = M // m * across

    @T.prim_func
    def persistent_product(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, threads=128) as bx:
            a = T.alloc_shared((m, k), "float16")
            b = T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            for turn in T.serial(T.ceildiv(tiles, blocks)):
                at = turn * blocks + bx
                if at < tiles:
                    T.clear(total)
                    for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                        T.copy(A[at // across * m, step * k], a)
                        T.copy(B[step * k, at % across * n], b)
                        T.gemm(a, b, total)
                    T.copy(total, C[at // across * m, at % across * n])

    return persistent_product


def quantized_product(M, N, K, dtype="int8", tile=(64, 64, 64), stages=2):
    """C = (A @ B.T) * scale of the row * scale of the column, with sums of bytes."""
    m, n, k = tile
    sums = "int32" if dtype == "int8" else "float32"

    @T.prim_func
    def quantized_product(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((N, K), dtype),
        rows: T.Tensor((M,), "float32"),
        columns: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            a = T.alloc_shared((m, k), dtype)
            b = T.alloc_shared((n, k), dtype)
            total = T.alloc_fragment((m, n), sums)
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                T.copy(A[by * m, step * k], a)
                T.copy(B[bx * n, step * k], b)
                T.gemm(a, b, total, transpose_B=True)
            for i, j in T.Parallel(m, n):
                C[by * m + i, bx * n + j] = T.cast(total[i, j], "float32") * rows[by * m + i] * columns[bx * n + j]

    return quantized_product


def masked_attention(length, keys, D, kind, window=64, rows=64, columns=64, stages=1, dtype="float16"):
    """O = softmax(Q @ K.T / sqrt(D) + mask) @ V; the mask is a window, a bias by column, or a count of keys."""
    scale = 1.44269504 / D**0.5

    @T.prim_func
    def masked_attention(
        Q: T.Tensor((length, D), dtype),
        K: T.Tensor((keys, D), dtype),
        V: T.Tensor((keys, D), dtype),
        bias: T.Tensor((keys,), "float32"),
        O: T.Tensor((length, D), "float32"),
    ):
        with T.Kernel(T.ceildiv(length, rows), threads=128) as bx:
            q = T.alloc_shared((rows, D), dtype)
            k = T.alloc_shared((columns, D), dtype)
            v = T.alloc_shared((columns, D), dtype)
            scores = T.alloc_fragment((rows, columns), "float32")
            weights = T.alloc_fragment((rows, columns), dtype)
            result = T.alloc_fragment((rows, D), "float32")
            largest = T.alloc_fragment((rows,), "float32")
            before = T.alloc_fragment((rows,), "float32")
            added = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(Q[bx * rows, 0], q)
            T.clear(result)
            T.clear(total)
            T.fill(largest, -1e30)
            for step in T.Pipelined(T.ceildiv(keys, columns), num_stages=stages):
                T.copy(K[step * columns, 0], k)
                T.clear(scores)
                T.gemm(q, k, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(rows, columns):
                    if kind == "bias":
                        scores[i, j] += bias[step * columns + j]
                    elif kind == "window":
                        scores[i, j] = T.if_then_else(T.abs(bx * rows + i - step * columns - j) < window, scores[i, j], -1e30)
                    else:
                        scores[i, j] = T.if_then_else(step * columns + j < window, scores[i, j], -1e30)
                T.copy(largest, before)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i, j in T.Parallel(rows, columns):
                    scores[i, j] = T.if_then_else(scores[i, j] < -1e29, 0, T.exp2((scores[i, j] - largest[i]) * scale))
                for i in T.Parallel(rows):
                    before[i] = T.exp2((before[i] - largest[i]) * scale)
                T.reduce_sum(scores, added, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * before[i] + added[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(rows, D):
                    result[i, j] *= before[i]
                T.copy(V[step * columns, 0], v)
                T.gemm(weights, v, result, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(rows, D):
                result[i, j] /= total[i]
            T.copy(result, O[bx * rows, 0])

    return masked_attention


def linear_attention(length, D, rows=64, dtype="float16"):
    """O = tril(Q @ K.T) @ V by chunks: a state K.T @ V goes from chunk to chunk."""

    @T.prim_func
    def linear_attention(
        Q: T.Tensor((length, D), dtype), K: T.Tensor((length, D), dtype), V: T.Tensor((length, D), dtype), O: T.Tensor((length, D), "float32")
    ):
        with T.Kernel(1, threads=128):
            q = T.alloc_shared((rows, D), dtype)
            k = T.alloc_shared((rows, D), dtype)
            v = T.alloc_shared((rows, D), dtype)
            near = T.alloc_shared((rows, rows), dtype)
            held = T.alloc_shared((D, D), dtype)
            scores = T.alloc_fragment((rows, rows), "float32")
            state = T.alloc_fragment((D, D), "float32")
            result = T.alloc_fragment((rows, D), "float32")
            T.clear(state)
            for step in T.serial(length // rows):
                T.copy(Q[step * rows, 0], q)
                T.copy(K[step * rows, 0], k)
                T.copy(V[step * rows, 0], v)
                T.clear(scores)
                T.gemm(q, k, scores, transpose_B=True)
                for i, j in T.Parallel(rows, rows):
                    scores[i, j] = T.if_then_else(i >= j, scores[i, j], 0)
                T.copy(scores, near)
                T.copy(state, held)
                T.clear(result)
                T.gemm(near, v, result)
                T.gemm(q, held, result)
                T.gemm(k, v, state, transpose_A=True)
                T.copy(result, O[step * rows, 0])

    return linear_attention


def pooled(batch, size, channels, window, kind="max"):
    """y = the maximum or the sum of each window of an image, channels last."""
    extent = size // window
    begin = float("-inf") if kind == "max" else 0.0

    @T.prim_func
    def pooled(x: T.Tensor((batch, size, size, channels), "float16"), y: T.Tensor((batch, extent, extent, channels), "float32")):
        with T.Kernel(extent, batch, threads=128) as (row, item):
            values = T.alloc_fragment((extent, channels), "float32")
            for i, c in T.Parallel(extent, channels):
                values[i, c] = begin
            for di, dj in T.grid(window, window):
                for i, c in T.Parallel(extent, channels):
                    if kind == "max":
                        values[i, c] = T.max(values[i, c], x[item, row * window + di, i * window + dj, c])
                    else:
                        values[i, c] += x[item, row * window + di, i * window + dj, c]
            T.copy(values, y[item, row, 0, 0])

    return pooled


def depthwise_convolution(length, channels, window, rows=32):
    """y[t, c] = the sum of w[i, c] x[t - i, c], with zeros before the beginning."""

    @T.prim_func
    def depthwise_convolution(
        x: T.Tensor((length, channels), "float16"), w: T.Tensor((window, channels), "float16"), y: T.Tensor((length, channels), "float32")
    ):
        with T.Kernel(T.ceildiv(length, rows), threads=128) as bx:
            total = T.alloc_fragment((rows, channels), "float32")
            T.clear(total)
            for i in T.serial(window):
                for t, c in T.Parallel(rows, channels):
                    at = bx * rows + t - i
                    total[t, c] += T.if_then_else(at >= 0, T.cast(x[at, c], "float32"), 0.0) * T.cast(w[i, c], "float32")
            T.copy(total, y[bx * rows, 0])

    return depthwise_convolution
