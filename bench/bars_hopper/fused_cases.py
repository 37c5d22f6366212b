"""Cases of the kernels in fused_kernels.py: products of matrices with something around them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from case import EXACT, EXP, Arrays, Case


def _case(maker: str, name: str, arguments: Mapping[str, Any], inputs: Mapping[str, Any], output: str,
          reference: Callable[[Arrays], np.ndarray], tolerance: float = EXACT) -> Case:  # fmt: skip
    return Case(f"{maker}_{name}" if name else maker, maker, arguments, inputs, output, reference, tolerance, file="fused_kernels.py")


def _unpacked_product(name: str, group: int = 0, **more: Any) -> Case:
    M = N = K = 128
    groups = K // group if group else 1
    dtype = more.get("dtype", "float16")

    def reference(at: Arrays) -> np.ndarray:
        nibbles = np.stack([at["B"] & 15, at["B"] >> 4], -1).reshape(N, K).astype(np.float64) - 8
        return at["A"] @ (nibbles * np.repeat(at["scale"], K // groups, 1)).T

    inputs = {"A": ((M, K), dtype), "B": ((N, K // 2), "uint8"), "scale": ((N, groups), dtype)}
    return _case("unpacked_product", name, {"M": M, "N": N, "K": K, "group": group, **more}, inputs, "C", reference)


def _grouped_product(groups: int, stages: int) -> Case:
    def reference(at: Arrays) -> np.ndarray:
        return np.vstack([rows @ at["B"][which] for rows, which in zip(np.split(at["A"], 4), at["owner"] % groups, strict=True)])

    inputs = {"A": ((256, 64), "float16"), "B": ((groups, 64, 64), "float16"), "owner": ((4,), "int32")}
    arguments = {"M": 256, "N": 64, "K": 64, "groups": groups, "stages": stages}
    return _case("grouped_product", f"{groups}_stages_{stages}", arguments, inputs, "C", reference)


def _sparse_product(stages: int) -> Case:
    def reference(at: Arrays) -> np.ndarray:
        used = np.kron(at["used"] != 0, np.ones((64, 64, 1)))  # of each element of C
        parts = [at["A"][:, 32 * step : 32 * step + 32] @ at["B"][32 * step : 32 * step + 32] for step in range(4)]
        return sum(used[:, :, step] * part for step, part in enumerate(parts))

    inputs = {"A": ((128, 128), "float16"), "B": ((128, 128), "float16"), "used": ((2, 2, 4), "int32")}
    return _case("sparse_product", f"stages_{stages}", {"M": 128, "N": 128, "K": 128, "stages": stages}, inputs, "C", reference)


def _quantized_product(dtype: str, stages: int) -> Case:
    inputs = {"A": ((128, 128), dtype), "B": ((128, 128), dtype), "rows": ((128,), "float32"), "columns": ((128,), "float32")}
    arguments = {"M": 128, "N": 128, "K": 128, "dtype": dtype, "stages": stages}
    return _case("quantized_product", f"{dtype}_stages_{stages}", arguments, inputs, "C",
                 lambda at: (at["A"] @ at["B"].T) * at["rows"][:, None] * at["columns"], 1e-6)  # fmt: skip


def _chained_product(name: str, tolerance: float = EXP, **more: Any) -> Case:
    M, L, K, D = 128, 128, 32, 64
    dtype = more.get("dtype", "float16")
    inputs = {"A": ((M, K), dtype), "B": ((L, K), dtype), "V": ((L, D), dtype)}
    return _case("chained_product", name, {"M": M, "L": L, "K": K, "D": D, **more}, inputs, "C", lambda at: at["A"] @ at["B"].T @ at["V"], tolerance)


def _masked_attention(name: str, kind: str, length: int = 128, keys: int = 128, window: int = 40, tolerance: float = EXP, **more: Any) -> Case:
    D = 64
    dtype = more.get("dtype", "float16")

    def reference(at: Arrays) -> np.ndarray:
        scores = at["Q"] @ at["K"].T
        row, column = np.indices(scores.shape)
        is_seen = {"bias": row >= 0, "window": abs(row - column) < window, "count": column < window}[kind]
        scores = np.where(is_seen, scores + (at["bias"] if kind == "bias" else 0), -np.inf) / np.sqrt(D)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        return weights / weights.sum(1, keepdims=True) @ at["V"]

    inputs = {"Q": ((length, D), dtype), "K": ((keys, D), dtype), "V": ((keys, D), dtype), "bias": ((keys,), "float32")}
    arguments = {"length": length, "keys": keys, "D": D, "kind": kind, "window": window, **more}
    return _case("masked_attention", name, arguments, inputs, "O", reference, tolerance)


def _linear_attention(length: int, D: int) -> Case:
    inputs = {name: ((length, D), "float16") for name in "QKV"}
    reference = lambda at: np.tril(at["Q"] @ at["K"].T) @ at["V"]  # noqa: E731
    return _case("linear_attention", str(D), {"length": length, "D": D}, inputs, "O", reference, EXP)


def _pooled(kind: str, window: int) -> Case:
    def reference(at: Arrays) -> np.ndarray:
        windows = at["x"].reshape(2, 8, window, 8, window, 32)
        return windows.max((2, 4)) if kind == "max" else windows.sum((2, 4))

    arguments = {"batch": 2, "size": 8 * window, "channels": 32, "window": window, "kind": kind}
    return _case("pooled", f"{kind}_{window}", arguments, {"x": ((2, 8 * window, 8 * window, 32), "float16")}, "y", reference)


def _depthwise(window: int) -> Case:
    def reference(at: Arrays) -> np.ndarray:
        padded = np.pad(at["x"], ((window - 1, 0), (0, 0)))
        return sum(padded[window - 1 - i : window - 1 - i + 64] * at["w"][i] for i in range(window))

    inputs = {"x": ((64, 64), "float16"), "w": ((window, 64), "float16")}
    return _case("depthwise_convolution", str(window), {"length": 64, "channels": 64, "window": window}, inputs, "y", reference, 1e-6)


FUSED = [
    _unpacked_product("plain"), _unpacked_product("grouped", group=32), _unpacked_product("bf16", dtype="bfloat16", stages=3),
    *(_grouped_product(groups, stages) for groups, stages in ((32, 2), (32, 0))),
    *(_sparse_product(stages) for stages in (0, 2)),
    *(_quantized_product(dtype, stages) for dtype, stages in (("int8", 0), ("int8", 2), ("float8_e4m3fn", 2))),
    _chained_product("plain"), _chained_product("stages_2", stages=2), _chained_product("bf16", dtype="bfloat16", tolerance=1e-2),
    *(Case(f"persistent_product_{blocks}", "persistent_product", {"M": 128, "N": 192, "K": 64, "blocks": blocks},
           {"A": ((128, 64), "float16"), "B": ((64, 192), "float16")}, "C", lambda at: at["A"] @ at["B"], file="fused_kernels.py")
      for blocks in (2, 4)),
    _masked_attention("bias", "bias"), _masked_attention("window", "window"), _masked_attention("count", "count", length=64, keys=192, window=100),
    _masked_attention("bf16", "bias", dtype="bfloat16", tolerance=1e-2), _masked_attention("stages_2", "window", stages=2),
    _linear_attention(128, 64), _linear_attention(192, 32),
    _pooled("max", 2), _pooled("sum", 3), _depthwise(3), _depthwise(4),
]  # fmt: skip
