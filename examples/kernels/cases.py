"""Inputs for each kernel and how near to the reference its results have to come.

The first size of each is odd and small (less than a block, or than a warp), the second one has blocks and rows that are not
filled.
"""
import dataclasses
from typing import Any, Callable, Dict, List

import numpy as np

EPSILON = 2.0**-24  # the error of one rounding of a float32 of size 1


class Inputs:
    """Seeded random arrays."""

    def __init__(self, seed: int):
        self._random = np.random.default_rng(seed)

    def floats(self, *shape: int, low: float = -1, high: float = 1) -> np.ndarray:
        return self._random.uniform(low, high, shape).astype(np.float32)

    def integers(self, dtype: type, low: int, high: int, *shape: int) -> np.ndarray:
        return self._random.integers(low, high, shape, dtype=dtype)

    def bfloat16(self, n: int) -> np.ndarray:
        return (self.floats(n, low=-4, high=4).view(np.uint32) >> 16).astype(np.uint16)

    def rows_of(self, rows: int, longest: int) -> np.ndarray:
        """Offsets of rows, some of which are empty and some long."""
        lengths = self._random.integers(0, longest + 1, rows) * self._random.integers(0, 2, rows)
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


@dataclasses.dataclass
class Case:
    """`tolerance`: how far a result may be from the reference, as a multiple of EPSILON, relative to values above `size`
    and absolute below it; 0 is exact. `share`: of a result's elements that many may be anything."""

    inputs: Callable[..., Dict[str, Any]]
    sizes: List[tuple]
    tolerance: float = 0
    size: float = 1
    share: float = 0


def _matrices(i, m, k, n):
    return {"a": i.floats(m, k), "b": i.floats(k, n)}


def _rows(i, rows, columns):
    return {"x": i.floats(rows, columns, low=-4, high=4)}


def _plane(i, height, width):
    return {"x": i.floats(height, width)}


def _graph(i, vertices, longest):
    offsets = i.rows_of(vertices, longest)
    return {"offsets": offsets, "targets": i.integers(np.int32, 0, vertices, offsets[-1]), "source": vertices // 2, "levels": 9}


def _sparse(i, rows, longest, n):
    offsets = i.rows_of(rows, longest)
    entries = offsets[-1]
    return {"rows": offsets, "columns": i.integers(np.int32, 0, n, entries), "values": i.floats(entries), "x": i.floats(n)}


def _words(i, pairs, letters):
    lengths = i.integers(np.int32, 0, 65, pairs, 2)
    a, b = (i.integers(np.uint8, 97, 97 + letters, pairs, 64) for _ in range(2))
    return {"a": a, "b": b, "lengths": lengths}


LINES = [(7,), (10007,)]
MATRICES = [(1, 3, 2), (75, 70, 131)]  # the last one of _matrices' three is the width
PLANES = [(3, 5), (61, 131)]
ROWS = [(1, 5), (37, 333)]
# A sum of n values rounds n times, each time by at most EPSILON of what there is so far. Errors of either sign cancel: of
# random values about sqrt(n) times EPSILON remain, and four times as much is practically never exceeded.
CASES = {
    # One rounding, or two where product and sum are not fused; `size` is what is rounded.
    "vector_add": Case(lambda i, n: {"x": i.floats(n), "y": i.floats(n)}, LINES + [(0,)], 2, 2),
    "saxpy": Case(lambda i, n: {"x": i.floats(n), "y": i.floats(n), "a": 1.7}, LINES, 4, 3),
    "dequantize": Case(lambda i, n: {"x": i.integers(np.int8, -128, 128, n, 64), "scales": i.floats(n, low=0),
                                     "zeros": i.integers(np.int8, -5, 5, n)}, [(1,), (37,)], 1, 0),
    # A handful of roundings of values up to `size`.
    "stencil_2d": Case(lambda i, *s: {"x": i.floats(*s), "weight": 0.1}, PLANES, 8, 4),
    "stencil_3d": Case(lambda i, *s: {"x": i.floats(*s), "weight": 0.1}, [(1, 3, 2), (9, 21, 35)], 8, 6),
    "jacobi": Case(lambda i, *s: {"x": i.floats(*s), "steps": 7}, PLANES, 16),
    "gaussian_blur": Case(_plane, PLANES, 16),
    "adam_step": Case(lambda i, n: {"weights": i.floats(n), "gradients": i.floats(n), "first": i.floats(n),
                                    "second": i.floats(n, low=0.01), "rate": 0.01, "beta1": 0.9, "beta2": 0.999, "step": 3},
                      LINES, 8),
    # Places are computed in float32: those of pixels up to 131, and neighbours differ by up to 2.
    "bilinear_resize": Case(lambda i, h, w: {"x": i.floats(h, w), "new_height": h * 2 - 1, "new_width": w // 2}, PLANES, 4 * 131),
    # A function of the library is within a few units in the last place; exp multiplies its argument's error by the argument.
    "bias_activation": Case(lambda i, r, c: {"x": i.floats(r, c, low=-4, high=4), "bias": i.floats(c)}, ROWS, 16, 1),
    "softmax": Case(_rows, ROWS + [(5, 40)], 32, 1),
    "cross_entropy": Case(lambda i, r, c: {**_rows(i, r, c), "labels": i.integers(np.int32, -1, c, r)}, ROWS, 32, 4),
    "black_scholes": Case(lambda i, n: {"price": i.floats(n, low=5, high=30), "strike": i.floats(n, low=1, high=100),
                                        "years": i.floats(n, low=0.25, high=10), "rate": 0.02, "volatility": 0.3},
                          LINES, 64, 30),
    # The angle is up to 1000, with the error of its size.
    "rotary_embedding": Case(lambda i, t, h, d: {"x": i.floats(t, h, 2 * d), "positions": i.integers(np.int32, 0, 1000, t)},
                             [(1, 1, 3), (21, 3, 40)], 4 * 1000),
    # 16 bits: one rounding to 11 (float16) or 8 (bfloat16) binary digits.
    "rms_norm": Case(lambda i, r, c: {"x": i.floats(r, c).astype(np.float16), "scale": i.floats(c).astype(np.float16),
                                      "epsilon": 1e-5}, ROWS, 2.0**13, 2.0**-14),
    "swiglu": Case(lambda i, n: {"gate": i.bfloat16(n), "up": i.bfloat16(n)}, LINES, 2.0**16 * 1.01, 2.0**-14),
    # Sums: see above; `size` is about that of one product.
    "matmul_naive": Case(_matrices, MATRICES, 4 * 9),
    "matmul_tiled": Case(_matrices, MATRICES, 4 * 9),
    "matmul_register_tiled": Case(_matrices, MATRICES, 4 * 9),
    "batched_gemv": Case(lambda i, b, r, c: {"a": i.floats(b, r, c), "x": i.floats(b, c)}, [(1, 1, 3), (3, 37, 131)], 4 * 12),
    "convolution": Case(lambda i, b, c, o, h, w: {"x": i.floats(b, c, h, w), "filters": i.floats(o, c, 3, 3)},
                        [(1, 1, 1, 3, 2), (2, 5, 3, 19, 23)], 4 * 7),
    "reduce_tree": Case(lambda i, n: {"x": i.floats(n)}, LINES + [(300001,)], 4 * 60, 4),
    "reduce_grid_stride": Case(lambda i, n: {"x": i.floats(n)}, LINES + [(300001,)], 4 * 60, 4),
    "reduce_cooperative_groups": Case(lambda i, *s: {"x": i.floats(*s), "y": i.floats(*s)}, ROWS, 4 * 18),
    "spmv_csr": Case(_sparse, [(1, 3, 2), (357, 60, 99)], 4 * 8),
    "scatter_add": Case(lambda i, e, n, c: {"table": i.floats(e, c), "rows": i.integers(np.int32, -1, e, n), "x": i.floats(n, c)},
                        [(2, 3, 5), (19, 257, 71)], 4 * 6, 4),
    "kmeans_step": Case(lambda i, n, d, k: {"points": i.floats(n, d), "centers": i.floats(k, d)}, [(3, 1, 2), (2003, 3, 11)], 4 * 16),
    "layer_norm": Case(lambda i, r, c: {"x": i.floats(r, c, high=5), "scale": i.floats(c), "shift": i.floats(c), "epsilon": 1e-5},
                       ROWS, 64, 2),
    "flash_attention": Case(lambda i, h, n: {x: i.floats(h, n, 32) for x in "qkv"}, [(1, 3), (3, 131)], 64),
    # Nine steps, whose twiddle factors are as near as their angles.
    "fft": Case(lambda i, n: {"x": i.floats(n, 512, 2)}, [(1,), (7,)], 64, 8),
    # The nearest bodies pull with 1 / softening.
    "n_body": Case(lambda i, n: {"bodies": i.floats(n, 4), "softening": 0.01}, [(3,), (517,)], 4 * 23, 100),
    # An orbit near the border is chaotic: float32 and double part there.
    "mandelbrot": Case(lambda i, h, w: {"corner": np.array([-2.1, -1.2], np.float32), "height": h, "width": w,
                                        "step": 3.0 / w, "limit": 60}, [(3, 5), (61, 131)], share=0.01),
    # Exact: integers, or floating-point numbers that are only compared and moved.
    "transpose": Case(_plane, PLANES),
    "reduce_shuffle": Case(_rows, ROWS),
    "reduce_atomics": Case(lambda i, n: {"x": i.integers(np.int32, -2**31, 2**31, n)}, LINES),
    "scan": Case(lambda i, n: {"x": i.integers(np.int32, -99, 99, n)}, LINES + [(300001,)]),
    "histogram": Case(lambda i, n: {"x": i.integers(np.uint8, 0, 200, n)}, LINES + [(300001,)]),
    "compact": Case(lambda i, n: {"x": i.floats(n), "threshold": 0.3}, LINES),
    "top_k": Case(lambda i, r, c, k: {"x": np.floor(i.floats(r, c, high=99)), "k": k}, [(1, 5, 5), (23, 333, 9)]),
    "argmax": Case(lambda i, n: {"x": np.floor(i.floats(n, low=-99))}, LINES),
    "bitonic_sort": Case(lambda i, n: {"x": i.floats(n)}, [(1,), (513,), (10007,)]),
    "radix_sort": Case(lambda i, n: {"x": i.integers(np.uint32, 0, 2**32, n)}, LINES),
    "segment_sum": Case(lambda i, n, s: {"keys": np.sort(i.integers(np.int32, 0, s, n)), "values": i.integers(np.int32, -9, 9, n),
                                         "segments": s}, [(7, 3), (10007, 500)]),
    "bfs_level": Case(_graph, [(3, 2), (1009, 7)]),
    "philox": Case(lambda i, n: {"key": i.integers(np.uint32, 0, 2**32, 2), "n": n}, LINES),
    "monte_carlo": Case(lambda i, n: {"seeds": i.integers(np.uint32, 0, 2**32, n), "throws": 50}, [(7,), (1009,)]),
    "median_filter": Case(lambda i, *s: {"x": i.integers(np.uint8, 0, 256, *s)}, PLANES),
    "game_of_life": Case(lambda i, *s: {"x": i.integers(np.uint8, 0, 2, *s)}, PLANES),
    "gather": Case(lambda i, e, n, c: {"table": i.floats(e, c), "rows": i.integers(np.int64, -2, e + 2, n)}, [(2, 3, 5), (19, 57, 71)]),
    # A quotient that lies between two integers to the last digit may round either way.
    "quantize": Case(_rows, ROWS, share=0.001),
    "edit_distance": Case(_words, [(1, 3), (41, 4)]),
}
