"""What the kernels compute, in double precision (exactly, for integers): a function a kernel, by its program's name.

Each takes the program's inputs by name and returns what the call writes: its outputs, and the inputs that it changes.
"""
import numpy as np


def vector_add(x, y):
    return {"z": x.astype(np.float64) + y}


def saxpy(x, y, a):
    return {"y": np.float64(np.float32(a)) * x + y}


def bias_activation(x, bias):
    v = x.astype(np.float64) + bias
    return {"y": 0.5 * v * (1 + _erf(v / np.sqrt(2)))}


def _erf(x):
    """The integral of 2 / sqrt(pi) exp(-t^2) from 0 to x, by Gauss and Legendre's method with 60 points; |x| up to 6."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    half = np.asarray(x)[..., None] / 2
    return (2 / np.sqrt(np.pi)) * half[..., 0] * (np.exp(-((half * (nodes + 1)) ** 2)) @ weights)


def _neighbours(x):
    """The sum of the neighbours along all axes, zeros outside."""
    total = np.zeros_like(x)
    for axis in range(x.ndim):
        padded = np.pad(x, [(1, 1) if i == axis else (0, 0) for i in range(x.ndim)])
        total += np.take(padded, range(0, x.shape[axis]), axis) + np.take(padded, range(2, x.shape[axis] + 2), axis)
    return total


def stencil_2d(x, weight):
    x = x.astype(np.float64)
    return {"y": x + np.float32(weight) * (_neighbours(x) - 2 * x.ndim * x)}


stencil_3d = stencil_2d


def jacobi(x, steps):
    y = x.astype(np.float64)
    for _ in range(steps):
        y[1:-1, 1:-1] = (y[1:-1, :-2] + y[1:-1, 2:] + y[:-2, 1:-1] + y[2:, 1:-1]) / 4
    return {"y": y}


def matmul_naive(a, b):
    return {"c": a.astype(np.float64) @ b.astype(np.float64)}


matmul_tiled = matmul_register_tiled = matmul_naive


def batched_gemv(a, x):
    return {"y": np.einsum("bij,bj->bi", a.astype(np.float64), x)}


def transpose(x):
    return {"y": x.T}


def reduce_tree(x):
    return {"sum": np.sum(x, dtype=np.float64)}


def reduce_shuffle(x):
    return {"y": x.max(1)}


def reduce_grid_stride(x):
    return {"total": np.sum(x.astype(np.float64) ** 2)}


def reduce_atomics(x):
    return {"sum": x.sum(dtype=np.int64), "smallest": x.min(), "largest": x.max()}


def reduce_cooperative_groups(x, y):
    return {"dots": (x.astype(np.float64) * y).sum(1)}


def scan(x):
    return {"y": np.cumsum(x)}


def histogram(x):
    return {"counts": np.bincount(x, minlength=256)}


def compact(x, threshold):
    kept = x[x > np.float32(threshold)]
    return {"y": np.concatenate([kept, np.zeros(len(x) - len(kept))]), "kept": len(kept)}


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return {"y": e / e.sum(1, keepdims=True)}


def cross_entropy(x, labels):
    x = x.astype(np.float64)
    there = (labels >= 0) & (labels < x.shape[1])
    of_label = x[np.arange(len(x)), np.where(there, labels, 0)]
    return {"losses": np.where(there, np.log(np.exp(x).sum(1)) - of_label, 0)}


def layer_norm(x, scale, shift, epsilon):
    x = x.astype(np.float64)
    normal = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + epsilon)
    return {"y": normal * scale + shift}


def rms_norm(x, scale, epsilon):
    x = x.astype(np.float64)
    return {"y": x / np.sqrt((x * x).mean(1, keepdims=True) + epsilon) * scale}


def bfloat16(bits):
    """The numbers that 16 bits each stand for."""
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def swiglu(gate, up):
    g = bfloat16(gate)
    return {"y": g / (1 + np.exp(-g)) * bfloat16(up)}


def rotary_embedding(x, positions):
    half = x.shape[2] // 2
    angle = positions[:, None, None] * 10000.0 ** (-np.arange(half) / half)
    u, v = x[..., :half].astype(np.float64), x[..., half:].astype(np.float64)
    return {"x": np.concatenate([u * np.cos(angle) - v * np.sin(angle), v * np.cos(angle) + u * np.sin(angle)], 2)}


def top_k(x, k):
    places = np.argsort(-x, 1, kind="stable")[:, :k]
    return {"values": np.take_along_axis(x, places, 1), "places": places}


def argmax(x):
    return {"place": np.argmax(x)}


def mandelbrot(corner, height, width, step, limit):
    step, corner = np.float64(np.float32(step)), corner.astype(np.float64)
    c = (corner[0] + step * np.arange(width)) + 1j * (corner[1] + step * np.arange(height))[:, None]
    z, counts = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(limit):
        inside = np.abs(z) < 2
        counts += inside
        z = np.where(inside, z * z + c, z)
    return {"counts": counts}


def n_body(bodies, softening):
    place, mass = bodies[:, :3].astype(np.float64), bodies[:, 3].astype(np.float64)
    delta = place[None] - place[:, None]
    pull = mass / ((delta**2).sum(2) + softening) ** 1.5
    return {"accelerations": np.pad((pull[..., None] * delta).sum(1), [(0, 0), (0, 1)])}


def bitonic_sort(x):
    return {"y": np.sort(x)}


radix_sort = bitonic_sort


def spmv_csr(rows, columns, values, x):
    products = np.concatenate([[0], np.cumsum(values.astype(np.float64) * x[columns])])
    return {"y": products[rows[1:]] - products[rows[:-1]]}


def segment_sum(keys, values, segments):
    sums = np.zeros(segments, np.int64)
    np.add.at(sums, keys, values)
    return {"sums": sums}


def kmeans_step(points, centers):
    distances = ((points[:, None].astype(np.float64) - centers) ** 2).sum(2)
    nearest = distances.argmin(1)
    counts = np.bincount(nearest, minlength=len(centers))
    sums = np.zeros(centers.shape)
    np.add.at(sums, nearest, points.astype(np.float64))
    moved = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centers)
    return {"nearest": nearest, "moved": moved}


def bfs_level(offsets, targets, source, levels):
    distances = np.full(len(offsets) - 1, -1)
    distances[source], level = 0, [source]
    for distance in range(1, levels + 1):
        reached = {t for v in level for t in targets[offsets[v]:offsets[v + 1]]}
        level = [v for v in reached if distances[v] < 0]
        distances[level] = distance
    return {"distances": distances}


def flash_attention(q, k, v):
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / np.sqrt(q.shape[2])
    e = np.exp(scores) * np.tri(q.shape[1])
    return {"o": e / e.sum(2, keepdims=True) @ v.astype(np.float64)}


def philox(key, n):
    low = np.uint64(0xFFFFFFFF)
    c = [np.arange(n, dtype=np.uint64)] + [np.zeros(n, np.uint64)] * 3
    keys = key.astype(np.uint64)
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(q >> np.uint64(32)) ^ c[1] ^ keys[0], q & low, (p >> np.uint64(32)) ^ c[3] ^ keys[1], p & low]
        keys = (keys + np.array([0x9E3779B9, 0xBB67AE85], np.uint64)) & low
    return {"y": np.stack(c, 1)}


def monte_carlo(seeds, throws):
    state, hits = seeds | np.uint32(1), 0
    for _ in range(throws):
        point = []
        for _ in range(2):
            for left, right in ((13, 0), (0, 17), (5, 0)):
                state = state ^ (state << np.uint32(left) if left else state >> np.uint32(right))
            point.append((state >> np.uint32(17)).astype(np.int64))
        hits += np.count_nonzero(point[0] ** 2 + point[1] ** 2 < 1 << 30)
    return {"hits": hits}


def gaussian_blur(x):
    y = x.astype(np.float64)
    for axis in (1, 0):
        padded = np.pad(y, [(2, 2) if i == axis else (0, 0) for i in (0, 1)], mode="edge")
        y = sum(w * np.take(padded, range(i, i + y.shape[axis]), axis) for i, w in enumerate((1, 4, 6, 4, 1))) / 16
    return {"y": y}


def convolution(x, filters):
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (1, 1), (1, 1)])
    height, width = x.shape[2:]
    return {"y": sum(np.einsum("bchw,oc->bohw", padded[:, :, v:v + height, u:u + width], filters[:, :, v, u].astype(np.float64))
                     for v in range(3) for u in range(3))}


def _around(x, mode):
    """The nine shifts of an image."""
    padded = np.pad(x, 1, mode=mode)
    return np.stack([padded[v:v + x.shape[0], u:u + x.shape[1]] for v in range(3) for u in range(3)])


def median_filter(x):
    return {"y": np.median(_around(x, "edge"), 0)}


def bilinear_resize(x, new_height, new_width):
    def axis(size, new_size):
        at = np.clip((np.arange(new_size) + 0.5) * size / new_size - 0.5, 0, size - 1)
        low = at.astype(int)
        return low, np.minimum(low + 1, size - 1), at - low

    x = x.astype(np.float64)
    top, bottom, down = axis(x.shape[0], new_height)
    left, right, along = axis(x.shape[1], new_width)
    rows = x[top] * (1 - down[:, None]) + x[bottom] * down[:, None]
    return {"y": rows[:, left] * (1 - along) + rows[:, right] * along}


def game_of_life(x):
    alive = _around(x, "wrap").sum(0) - x
    return {"y": (alive == 3) | ((alive == 2) & (x == 1))}


def gather(table, rows):
    there = (rows >= 0) & (rows < len(table))
    return {"y": np.where(there[:, None], table[np.where(there, rows, 0)], 0)}


def scatter_add(table, rows, x):
    result, there = table.astype(np.float64), (rows >= 0) & (rows < len(table))
    np.add.at(result, rows[there], x[there].astype(np.float64))
    return {"table": result}


def dequantize(x, scales, zeros):
    return {"y": (x.astype(np.float64) - zeros[:, None]) * scales[:, None]}


def quantize(x):
    scales = np.abs(x).max(1) / np.float32(127)
    return {"scales": scales, "y": np.rint(x / np.where(scales > 0, scales, np.float32(1))[:, None])}


def black_scholes(price, strike, years, rate, volatility):
    price, strike, years = (a.astype(np.float64) for a in (price, strike, years))
    deviation = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + volatility**2 / 2) * years) / deviation
    discounted = strike * np.exp(-rate * years)
    low, high = (0.5 * (1 + _erf(d / np.sqrt(2))) for d in (d1 - deviation, d1))
    return {"call": price * high - discounted * low, "put": discounted * (1 - low) - price * (1 - high)}


def adam_step(weights, gradients, first, second, rate, beta1, beta2, step):
    rate, beta1, beta2 = (np.float64(np.float32(a)) for a in (rate, beta1, beta2))
    m = beta1 * first + (1 - beta1) * gradients
    v = beta2 * second + (1 - beta2) * gradients.astype(np.float64) ** 2
    move = rate * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + 1e-8)
    return {"weights": weights - move, "first": m, "second": v}


def fft(x):
    y = np.fft.fft(x[..., 0] + 1j * x[..., 1].astype(np.float64))
    return {"y": np.stack([y.real, y.imag], 2)}


def edit_distance(a, b, lengths):
    distances = []
    for word, other, (rows, columns) in zip(a, b, lengths):
        last = list(range(columns + 1))
        for row in range(1, rows + 1):
            now = [row]
            for column in range(1, columns + 1):
                changed = last[column - 1] + int(word[row - 1] != other[column - 1])
                now.append(min(changed, last[column] + 1, now[-1] + 1))
            last = now
        distances.append(last[columns])
    return {"distances": np.array(distances)}
