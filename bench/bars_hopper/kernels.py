"""Kernels for Hopper in TileLang: one maker for each kind, whose arguments choose types, tiles and pipelines."""

import tilelang.language as T


def product(M, N, K, tile=(64, 64, 32), dtype="float16", sums="float32", out="float32", stages=2, threads=128,
            transpose_A=False, transpose_B=False, a_in="shared", cluster=None):  # fmt: skip
    """C = A @ B, in tiles of (m, n, k) elements; an operand is transposed in memory if said so."""
    m, n, k = tile
    at_A = (lambda row, step: (step * k, row * m)) if transpose_A else (lambda row, step: (row * m, step * k))
    at_B = (lambda column, step: (column * n, step * k)) if transpose_B else (lambda column, step: (step * k, column * n))
    more = {"cluster_dims": cluster} if cluster else {}

    @T.prim_func
    def product(
        A: T.Tensor((K, M) if transpose_A else (M, K), dtype),
        B: T.Tensor((N, K) if transpose_B else (K, N), dtype),
        C: T.Tensor((M, N), out),
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=threads, **more) as (bx, by):
            a = T.alloc_shared((k, m) if transpose_A else (m, k), dtype)
            b = T.alloc_shared((n, k) if transpose_B else (k, n), dtype)
            total = T.alloc_fragment((m, n), sums)
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                T.copy(A[at_A(by, step)], a)
                T.copy(B[at_B(bx, step)], b)
                if a_in == "fragment":
                    rows = T.alloc_fragment((m, k), dtype)
                    T.copy(a, rows)
                    T.gemm(rows, b, total, transpose_B=transpose_B)
                else:
                    T.gemm(a, b, total, transpose_A=transpose_A, transpose_B=transpose_B)
            T.copy(total, C[by * m, bx * n])

    return product


def batched_product(batch, M, N, K, tile=(64, 64, 32), dtype="float16", stages=2):
    """C[i] = A[i] @ B[i]."""
    m, n, k = tile

    @T.prim_func
    def batched_product(
        A: T.Tensor((batch, M, K), dtype), B: T.Tensor((batch, K, N), dtype), C: T.Tensor((batch, M, N), "float32")
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), batch, threads=128) as (bx, by, item):
            a = T.alloc_shared((m, k), dtype)
            b = T.alloc_shared((k, n), dtype)
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                T.copy(A[item, by * m, step * k], a)
                T.copy(B[item, step * k, bx * n], b)
                T.gemm(a, b, total)
            T.copy(total, C[item, by * m, bx * n])

    return batched_product


def split_product(M, N, K, parts, tile=(64, 64, 32)):
    """C += A @ B, where each block adds the products of a part of K by atomic additions."""
    m, n, k = tile
    share = K // parts

    @T.prim_func
    def split_product(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), parts, threads=128) as (bx, by, part):
            a = T.alloc_shared((m, k), "float16")
            b = T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(share, k), num_stages=2):
                T.copy(A[by * m, part * share + step * k], a)
                T.copy(B[part * share + step * k, bx * n], b)
                T.gemm(a, b, total)
            for i, j in T.Parallel(m, n):
                T.atomic_add(C[by * m + i, bx * n + j], total[i, j])

    return split_product


def biased_product(M, N, K, tile=(64, 64, 32), stages=2):
    """C = max(A @ B + bias, 0) in half precision, written through shared memory."""
    m, n, k = tile

    @T.prim_func
    def biased_product(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        bias: T.Tensor((N,), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            a = T.alloc_shared((m, k), "float16")
            b = T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            result = T.alloc_shared((m, n), "float16")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                T.copy(A[by * m, step * k], a)
                T.copy(B[step * k, bx * n], b)
                T.gemm(a, b, total)
            for i, j in T.Parallel(m, n):
                total[i, j] = T.max(total[i, j] + bias[bx * n + j], 0)
            T.copy(total, result)
            T.copy(result, C[by * m, bx * n])

    return biased_product


def gated_product(M, N, K, tile=(64, 64, 32), stages=2):
    """C = (A @ B) * (A @ G): two products share a tile."""
    m, n, k = tile

    @T.prim_func
    def gated_product(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        G: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            a = T.alloc_shared((m, k), "float16")
            b = T.alloc_shared((k, n), "float16")
            g = T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            gate = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            T.clear(gate)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                T.copy(A[by * m, step * k], a)
                T.copy(B[step * k, bx * n], b)
                T.copy(G[step * k, bx * n], g)
                T.gemm(a, b, total)
                T.gemm(a, g, gate)
            for i, j in T.Parallel(m, n):
                total[i, j] *= gate[i, j]
            T.copy(total, C[by * m, bx * n])

    return gated_product


def scaled_product(M, N, K, tile=(64, 64, 32), stages=2):
    """C = A @ (W * scale), where W has bytes and a scale for each column."""
    m, n, k = tile

    @T.prim_func
    def scaled_product(
        A: T.Tensor((M, K), "float16"),
        W: T.Tensor((K, N), "int8"),
        scale: T.Tensor((N,), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            a = T.alloc_shared((m, k), "float16")
            w = T.alloc_shared((k, n), "int8")
            b = T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=stages):
                T.copy(A[by * m, step * k], a)
                T.copy(W[step * k, bx * n], w)
                for i, j in T.Parallel(k, n):
                    b[i, j] = T.cast(w[i, j], "float16") * scale[bx * n + j]
                T.gemm(a, b, total)
            T.copy(total, C[by * m, bx * n])

    return scaled_product


def attention(length, D, heads=2, groups=2, rows=64, columns=64, is_causal=False, stages=2, dtype="float16", threads=128):
    """O = softmax(Q @ K.T / sqrt(D)) @ V; `groups` heads of K and V serve those of Q."""
    scale = 1.44269504 / D**0.5  # exp2 in place of exp
    shared_by = heads // groups

    @T.prim_func
    def attention(
        Q: T.Tensor((1, length, heads, D), dtype),
        K: T.Tensor((1, length, groups, D), dtype),
        V: T.Tensor((1, length, groups, D), dtype),
        O: T.Tensor((1, length, heads, D), dtype),
    ):
        with T.Kernel(T.ceildiv(length, rows), heads, threads=threads) as (bx, head):
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
            T.copy(Q[0, bx * rows : (bx + 1) * rows, head, :], q)
            T.fill(result, 0)
            T.fill(total, 0)
            T.fill(largest, -T.infinity("float32"))
            steps = T.ceildiv((bx + 1) * rows, columns) if is_causal else T.ceildiv(length, columns)
            for step in T.Pipelined(steps, num_stages=stages):
                T.copy(K[0, step * columns : (step + 1) * columns, head // shared_by, :], k)
                if is_causal:
                    for i, j in T.Parallel(rows, columns):
                        scores[i, j] = T.if_then_else(
                            bx * rows + i >= step * columns + j, 0, -T.infinity("float32")
                        )
                else:
                    T.clear(scores)
                T.gemm(q, k, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(largest, before)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i, j in T.Parallel(rows, columns):
                    scores[i, j] = T.exp2(scores[i, j] * scale - largest[i] * scale)
                for i in T.Parallel(rows):
                    before[i] = T.exp2(before[i] * scale - largest[i] * scale)
                T.reduce_sum(scores, added, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * before[i] + added[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(rows, D):
                    result[i, j] *= before[i]
                T.copy(V[0, step * columns : (step + 1) * columns, head // shared_by, :], v)
                T.gemm(weights, v, result, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(rows, D):
                result[i, j] /= total[i]
            T.copy(result, O[0, bx * rows : (bx + 1) * rows, head, :])

    return attention


def convolution(batch, size, channels, filters, window, stride=1, dilation=1, pad=0, stages=2):
    """out = conv2d(image, weights), channels last; an im2col tensor map gathers the image."""
    rows, columns, depth = 64, 64, 32
    extent = (size + 2 * pad - dilation * (window - 1) - 1) // stride + 1
    pixels = batch * extent * extent

    @T.prim_func
    def convolution(
        image: T.Tensor((batch, size, size, channels), "float16"),
        weights: T.Tensor((window, window, channels, filters), "float16"),
        out: T.Tensor((batch, extent, extent, filters), "float16"),
    ):
        with T.Kernel(T.ceildiv(filters, columns), T.ceildiv(pixels, rows), threads=128) as (bx, by):
            patch = T.alloc_shared((rows, depth), "float16")
            kernel = T.alloc_shared((depth, columns), "float16")
            total = T.alloc_fragment((rows, columns), "float32")
            result = T.alloc_shared((rows, columns), "float16")
            flat_weights = T.Tensor((window * window * channels, filters), "float16", weights.data)
            flat_out = T.Tensor((pixels, filters), "float16", out.data)
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(window * window * channels, depth), num_stages=stages):
                T.im2col(image, patch, by, step, window, stride, dilation, pad)
                T.copy(flat_weights[step * depth, bx * columns], kernel)
                T.gemm(patch, kernel, total)
            T.copy(total, result)
            T.copy(result, flat_out[by * rows, bx * columns])

    return convolution


def moved(M, N, tile=(64, 64), dtype="float16", out="float16", is_transposed=False):
    """y = x, or its transpose, converted, through shared memory."""
    m, n = tile

    @T.prim_func
    def moved(x: T.Tensor((M, N), dtype), y: T.Tensor((N, M) if is_transposed else (M, N), out)):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (bx, by):
            block = T.alloc_shared((m, n), dtype)
            T.copy(x[by * m, bx * n], block)
            if is_transposed:
                turned = T.alloc_shared((n, m), out)
                for i, j in T.Parallel(n, m):
                    turned[i, j] = block[j, i]
                T.copy(turned, y[bx * n, by * m])
            else:
                values = T.alloc_fragment((m, n), dtype)
                T.copy(block, values)
                T.copy(values, y[by * m, bx * n])

    return moved


def reduced(M, N, rows=16, kind="sum", dtype="float16"):
    """y = the sum, maximum, softmax or root mean square norm of each row of x."""

    @T.prim_func
    def reduced(x: T.Tensor((M, N), dtype), y: T.Tensor((M, N) if kind in ("softmax", "norm") else (M,), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            block = T.alloc_shared((rows, N), dtype)
            values = T.alloc_fragment((rows, N), "float32")
            found = T.alloc_fragment((rows,), "float32")
            T.copy(x[bx * rows, 0], block)
            T.copy(block, values)
            if kind == "sum":
                T.reduce_sum(values, found, dim=1)
                T.copy(found, y[bx * rows])
            elif kind == "max":
                T.reduce_max(values, found, dim=1)
                T.copy(found, y[bx * rows])
            elif kind == "norm":
                squares = T.alloc_fragment((rows, N), "float32")
                for i, j in T.Parallel(rows, N):
                    squares[i, j] = values[i, j] * values[i, j]
                T.reduce_sum(squares, found, dim=1)
                for i, j in T.Parallel(rows, N):
                    values[i, j] *= T.rsqrt(found[i] / N + 1e-5)
                T.copy(values, y[bx * rows, 0])
            else:
                total = T.alloc_fragment((rows,), "float32")
                T.reduce_max(values, found, dim=1)
                for i, j in T.Parallel(rows, N):
                    values[i, j] = T.exp(values[i, j] - found[i])
                T.reduce_sum(values, total, dim=1)
                for i, j in T.Parallel(rows, N):
                    values[i, j] /= total[i]
                T.copy(values, y[bx * rows, 0])

    return reduced


def running_sums(M, N, rows=16):
    """y = the running sums of each row of x."""

    @T.prim_func
    def running_sums(x: T.Tensor((M, N), "float32"), y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            block = T.alloc_shared((rows, N), "float32")
            T.copy(x[bx * rows, 0], block)
            T.cumsum(src=block, dim=1)
            T.copy(block, y[bx * rows, 0])

    return running_sums


def gathered(M, N, count, rows=16):
    """y[i] = x[index[i]]."""

    @T.prim_func
    def gathered(x: T.Tensor((M, N), "float16"), index: T.Tensor((count,), "int32"), y: T.Tensor((count, N), "float16")):
        with T.Kernel(T.ceildiv(count, rows), threads=128) as bx:
            for i, j in T.Parallel(rows, N):
                y[bx * rows + i, j] = x[index[bx * rows + i], j]

    return gathered


def histogram(count, bins, share=256):
    """y[b] += how often b is in x, counted in shared memory first."""

    @T.prim_func
    def histogram(x: T.Tensor((count,), "int32"), y: T.Tensor((bins,), "int32")):
        with T.Kernel(T.ceildiv(count, share), threads=128) as bx:
            counts = T.alloc_shared((bins,), "int32")
            T.clear(counts)
            for i in T.Parallel(share):
                T.atomic_add(counts[x[bx * share + i]], 1)
            for i in T.Parallel(bins):
                T.atomic_add(y[i], counts[i])

    return histogram


def multicast(M, N, tile=(64, 64)):
    """y = x, where both blocks of a cluster get the tile of the first one. Not in the corpus: TileLang's code has a race."""
    m, n = tile

    @T.prim_func
    def multicast(x: T.Tensor((M, N), "float16"), y: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128, cluster_dims=(2, 1, 1)) as (bx, by):
            block = T.alloc_shared((m, n), "float16")
            T.copy_cluster(x[by * m, bx * n], block, cluster_mask=3)
            T.copy(block, y[by * m, bx * n])

    return multicast
