"""Convolution as a matrix product whose left matrix is never written: a tensor map gathers it (im2col)."""

import tilelang.language as T
from kmux_tilelang import describe


@describe(
    description="2-D convolution, half precision, through an im2col tensor map",
    reference="out = conv2d(image, weights): channels last, kernel height and width before channels",
    outputs=["out"],
    flops="2 * batch * size * size * filters * channels * window * window",
    bytes="2 * batch * size * size * (channels + filters) + 2 * window * window * channels * filters",
)
def conv2d(batch=4, size=32, channels=64, filters=128, window=3):
    """out[batch, size, size, filters]: stride 1, padded so that the size stays."""
    pad = window // 2
    rows, columns, depth = 128, 128, 64
    pixels = batch * size * size

    @T.prim_func
    def conv2d(
        image: T.Tensor((batch, size, size, channels), "float16"),
        weights: T.Tensor((window, window, channels, filters), "float16"),
        out: T.Tensor((batch, size, size, filters), "float16"),
    ):
        with T.Kernel(T.ceildiv(filters, columns), T.ceildiv(pixels, rows), threads=128) as (bx, by):
            patch = T.alloc_shared((rows, depth), "float16")
            kernel = T.alloc_shared((depth, columns), "float16")
            total = T.alloc_fragment((rows, columns), "float32")
            result = T.alloc_shared((rows, columns), "float16")
            flat_weights = T.Tensor((window * window * channels, filters), "float16", weights.data)
            flat_out = T.Tensor((pixels, filters), "float16", out.data)
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(window * window * channels, depth), num_stages=3):
                T.im2col(image, patch, by, step, window, 1, 1, pad)
                T.copy(flat_weights[step * depth, bx * columns], kernel)
                T.gemm(patch, kernel, total)
            T.copy(total, result)
            T.copy(result, flat_out[by * rows, bx * columns])

    return conv2d
