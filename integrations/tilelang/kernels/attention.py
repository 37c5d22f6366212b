"""Attention without its matrix of scores in memory."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="flash attention, forward, half precision",
    reference="O = softmax(Q @ K.T / sqrt(D)) @ V for each batch and head",
    outputs=["O"],
    flops="4 * batch * heads * length * length * D",
    bytes="8 * batch * heads * length * D",
)
def flash_attention(batch=1, heads=8, length=1024, D=64):
    """O[batch, length, heads, D]: the softmax of a row is corrected as its maximum grows."""
    rows, columns = 64, 64
    scale = 1.44269504 / D**0.5  # exp2 in place of exp
    shape = (batch, length, heads, D)

    @T.prim_func
    def flash_attention(
        Q: T.Tensor(shape, "float16"),
        K: T.Tensor(shape, "float16"),
        V: T.Tensor(shape, "float16"),
        O: T.Tensor(shape, "float16"),
    ):
        with T.Kernel(T.ceildiv(length, rows), heads, batch, threads=128) as (bx, head, item):
            q = T.alloc_shared((rows, D), "float16")
            k = T.alloc_shared((columns, D), "float16")
            v = T.alloc_shared((columns, D), "float16")
            scores = T.alloc_fragment((rows, columns), "float32")
            weights = T.alloc_fragment((rows, columns), "float16")
            result = T.alloc_fragment((rows, D), "float32")
            largest = T.alloc_fragment((rows,), "float32")
            before = T.alloc_fragment((rows,), "float32")
            correction = T.alloc_fragment((rows,), "float32")
            added = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(Q[item, bx * rows : (bx + 1) * rows, head, :], q)
            T.fill(result, 0)
            T.fill(total, 0)
            T.fill(largest, -T.infinity("float32"))
            for step in T.Pipelined(T.ceildiv(length, columns), num_stages=2):
                T.copy(K[item, step * columns : (step + 1) * columns, head, :], k)
                T.clear(scores)
                T.gemm(q, k, scores, transpose_B=True)
                T.copy(largest, before)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i in T.Parallel(rows):
                    correction[i] = T.exp2(before[i] * scale - largest[i] * scale)
                for i, j in T.Parallel(rows, columns):
                    scores[i, j] = T.exp2(scores[i, j] * scale - largest[i] * scale)
                T.reduce_sum(scores, added, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * correction[i] + added[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(rows, D):
                    result[i, j] *= correction[i]
                T.copy(V[item, step * columns : (step + 1) * columns, head, :], v)
                T.gemm(weights, v, result)
            for i, j in T.Parallel(rows, D):
                result[i, j] /= total[i]
            T.copy(result, O[item, bx * rows : (bx + 1) * rows, head, :])

    return flash_attention
