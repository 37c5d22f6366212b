"""Cases of the kernels in vector_kernels.py: no products of matrices."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from case import EXACT, HALF, Arrays, Case

_MAPS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "absolute": np.abs,
    "clamped": lambda x: np.clip(x, -1, 1),
    "cubed": lambda x: x**3,
    "exponential": np.exp,
    "rectified": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "root": lambda x: np.sqrt(np.abs(x)),
    "selected": lambda x: np.where(x > 0, x, x / 4),
}
_PAIRS: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "sum": np.add,
    "difference": np.subtract,
    "product": np.multiply,
    "larger": np.maximum,
    "smaller": np.minimum,
}
_FOLDS: Mapping[str, Callable[..., np.ndarray]] = {
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "absmax": lambda x, axis: np.max(np.abs(x), axis),
    "abssum": lambda x, axis: np.sum(np.abs(x), axis),
}


def _case(maker: str, name: str, arguments: Mapping[str, Any], inputs: Mapping[str, Any], reference: Callable[[Arrays], np.ndarray],
          tolerance: float = EXACT, **more: Any) -> Case:  # fmt: skip
    return Case(f"{maker}_{name}" if name else maker, maker, arguments, inputs, "y", reference, tolerance, file="vector_kernels.py", **more)


def _mapped(name: str, kind: str, M: int = 64, N: int = 128, tolerance: float = 1e-5, **more: Any) -> Case:
    inputs = {"x": ((M, N), more.get("dtype", "float32"))}
    return _case("mapped", name, {"M": M, "N": N, "kind": kind, **more}, inputs, lambda at: _MAPS[kind](at["x"]), tolerance)


def _combined(name: str, kind: str, along: str = "both", dtype: str = "float16", tolerance: float = HALF) -> Case:
    shape = {"both": (64, 128), "row": (1, 128), "column": (64, 1)}[along]
    arguments = {"M": 64, "N": 128, "kind": kind, "along": along, "dtype": dtype}
    return _case("combined", name, arguments, {"a": ((64, 128), dtype), "b": (shape, dtype)}, lambda at: _PAIRS[kind](at["a"], at["b"]),
                 tolerance)  # fmt: skip


def _folded(name: str, kind: str, M: int = 64, N: int = 128, dim: int = 1, tolerance: float = 1e-6, **more: Any) -> Case:
    inputs = {"x": ((M, N), more.get("dtype", "float32"))}
    arguments = {"M": M, "N": N, "kind": kind, "dim": dim, **more}
    return _case("folded", name, arguments, inputs, lambda at: _FOLDS[kind](at["x"], axis=dim), tolerance)


def _scanned(name: str, M: int, N: int, dim: int, is_reversed: bool) -> Case:
    def reference(at: Arrays) -> np.ndarray:
        x = np.flip(at["x"], dim) if is_reversed else at["x"]
        sums = x.cumsum(dim)
        return np.flip(sums, dim) if is_reversed else sums

    arguments = {"M": M, "N": N, "dim": dim, "is_reversed": is_reversed}
    return _case("scanned", name, arguments, {"x": ((M, N), "float32")}, reference, 1e-6)


def _scattered(kind: str, dtype: str = "float32") -> Case:
    def reference(at: Arrays) -> np.ndarray:
        y = np.zeros(32)
        {"add": np.add, "max": np.maximum, "min": np.minimum}[kind].at(y, at["index"], at["x"])
        return y

    inputs = {"x": ((1024,), dtype), "index": ((1024,), "int32")}
    arguments = {"count": 1024, "bins": 32, "kind": kind, "dtype": dtype}
    return _case("scattered", f"{kind}_{dtype}", arguments, inputs, reference, 1e-6, updated=((32,), dtype))


def _maps() -> list[Case]:
    return [
        *(_mapped(kind, kind) for kind in _MAPS),
        _mapped("f16_tanh", "tanh", dtype="float16", tolerance=HALF),
        _mapped("bf16_silu", "silu", dtype="bfloat16", is_staged=True),
        _mapped("staged_sigmoid", "sigmoid", dtype="float16", is_staged=True, threads=256),
        _mapped("odd", "rectified", M=50, N=100, tile=(16, 64)),
        _mapped("to_f16", "clamped", out="float16", is_staged=True, tolerance=HALF),
        *(_combined(kind, kind) for kind in _PAIRS),
        _combined("row_sum", "sum", "row"),
        _combined("column_product", "product", "column", "float32"),
        _combined("row_larger_bf16", "larger", "row", "bfloat16"),
    ]


def _folds() -> list[Case]:
    return [
        *(_folded(kind, kind) for kind in _FOLDS),
        _folded("columns_sum", "sum", dim=0),
        _folded("columns_max", "max", dim=0, threads=256),
        _folded("f16_max", "max", dtype="float16"),
        _folded("s32_sum", "sum", dtype="int32"),
        _folded("long_sum", "sum", M=16, N=1024, share=4),
        _scanned("rows", 64, 128, 1, False),
        _scanned("rows_back", 64, 128, 1, True),
        _scanned("columns", 64, 32, 0, False),
        _case("largest_rows", "", {"M": 32, "N": 64, "count": 1}, {"x": ((32, 64), "float32")}, lambda at: at["x"].max(1, keepdims=True)),
        _case("sorted_rows", "64", {"M": 8, "N": 64}, {"x": ((8, 64), "float32")}, lambda at: np.sort(at["x"], 1)),
        _case("sorted_rows", "256", {"M": 4, "N": 256}, {"x": ((4, 256), "float32")}, lambda at: np.sort(at["x"], 1)),
    ]


def _moves() -> list[Case]:
    vector = {"A": ((64, 512), "float16"), "x": ((512,), "float16")}
    rows = {"x": ((32, 64), "float32"), "cosines": ((32, 32), "float32"), "sines": ((32, 32), "float32")}
    return [
        _case("matrix_times_vector", "f16", {"N": 64, "K": 512}, vector, lambda at: at["A"] @ at["x"]),
        _case("matrix_times_vector", "lanes_16", {"N": 64, "K": 512, "lanes": 16, "rows": 4}, vector, lambda at: at["A"] @ at["x"]),
        *(_scattered(kind, dtype) for kind, dtype in (("add", "float32"), ("add", "int32"), ("add", "float16"), ("max", "int32"), ("min", "float32"))),
        _case("added_tiles", "", {"M": 64, "N": 128, "parts": 3}, {"x": ((3, 64, 128), "float32")}, lambda at: at["x"].sum(0),
              updated=((64, 128), "float32")),
        *(_case("blurred", str(reach), {"M": 40, "N": 70, "reach": reach}, {"x": ((40, 70), "float32")}, lambda at, r=reach: _blurred(at["x"], r))
          for reach in (1, 2)),
        _case("layer_norm", "", {"M": 32, "N": 128}, {"x": ((32, 128), "float16"), "scale": ((128,), "float32"), "shift": ((128,), "float32")},
              lambda at: _normal(at["x"]) * at["scale"] + at["shift"], 1e-5),
        *(_case("online_softmax", f"stages_{stages}", {"M": 32, "N": 256, "stages": stages}, {"x": ((32, 256), "float16")},
                lambda at: np.log(np.exp(at["x"]).sum(1)), 1e-5) for stages in (0, 2, 3)),
        _case("rotated", "", {"M": 32, "N": 64}, rows, _rotated, 1e-6),
        *(_case("unpacked", dtype, {"M": 64, "N": 128, "out": dtype}, {"x": ((64, 64), "uint8")}, _unpacked) for dtype in ("float16", "float32", "int8")),
        *(_case("strided", str(step), {"M": 32, "N": 64, "step": step}, {"x": ((32 * step, 64 * step), "float16")}, lambda at, s=step: at["x"][::s, ::s])
          for step in (2, 3)),
        _case("persistent", "", {"M": 128, "N": 256, "blocks": 3}, {"x": ((128, 256), "float16")}, lambda at: 2 * at["x"]),
    ]  # fmt: skip


def _blurred(x: np.ndarray, reach: int) -> np.ndarray:
    padded = np.pad(x, reach)
    span = range(2 * reach + 1)
    return sum(padded[i : i + x.shape[0], j : j + x.shape[1]] for i in span for j in span)


def _normal(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


def _rotated(at: Arrays) -> np.ndarray:
    left, right = np.split(at["x"], 2, axis=1)
    return np.hstack([left * at["cosines"] - right * at["sines"], left * at["sines"] + right * at["cosines"]])


def _unpacked(at: Arrays) -> np.ndarray:
    return np.stack([at["x"] & 15, at["x"] >> 4], -1).reshape(len(at["x"]), -1)


VECTOR = [*_maps(), *_folds(), *_moves()]
