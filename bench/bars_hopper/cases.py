"""The kernels of the corpus with their inputs and references in NumPy: those of kernels.py, and all on both architectures."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from case import EXACT, EXP, HALF, Arrays, Case
from fused_cases import FUSED
from vector_cases import VECTOR


def _product(name: str, M: int, N: int, K: int, tolerance: float = EXACT, **more: Any) -> Case:
    dtype = more.get("dtype", "float16")
    turned_A, turned_B = more.get("transpose_A", False), more.get("transpose_B", False)
    inputs = {"A": ((K, M) if turned_A else (M, K), dtype), "B": ((N, K) if turned_B else (K, N), dtype)}

    def reference(at: Arrays) -> np.ndarray:
        return (at["A"].T if turned_A else at["A"]) @ (at["B"].T if turned_B else at["B"])

    return Case(f"product_{name}", "product", {"M": M, "N": N, "K": K, **more}, inputs, "C", reference, tolerance)


def _products() -> list[Case]:
    small = {"M": 128, "N": 128, "K": 128}
    integers = {"out": "int32", "sums": "int32", "transpose_B": True, "tile": (64, 64, 64)}
    bytes_of = {"transpose_B": True, "tile": (64, 64, 64)}
    return [
        _product("f16", **small),
        *(_product(f"f16_stages_{stages}", **small, stages=stages) for stages in (0, 1, 3, 4)),
        *(_product(f"f16_tile_{m}_{n}_{k}", 2 * m, 2 * n, 128, tile=(m, n, k), threads=threads)
          for m, n, k, threads in ((128, 64, 64, 128), (64, 128, 64, 128), (128, 128, 32, 256), (128, 256, 64, 256), (64, 32, 16, 128),
                                   (64, 16, 32, 128), (256, 64, 32, 256), (64, 96, 32, 128))),
        *(_product(f"f16_{'t' if a else 'n'}{'t' if b else 'n'}", **small, transpose_A=a, transpose_B=b)
          for a, b in ((False, True), (True, False), (True, True))),
        _product("f16_fragment", **small, a_in="fragment"),
        _product("f16_fragment_nt", **small, a_in="fragment", transpose_B=True),
        _product("f16_half_sums", **small, sums="float16", out="float16", tolerance=HALF),
        _product("f16_half_result", **small, out="float16", tolerance=HALF),
        _product("f16_deep", 64, 64, 1024, tile=(64, 64, 64), stages=4),
        _product("f16_cluster", **small, cluster=(2, 1, 1)),
        _product("f16_cluster_column", **small, cluster=(1, 2, 1), stages=3),
        *(_product(f"bf16_{'t' if a else 'n'}{'t' if b else 'n'}", **small, dtype="bfloat16", transpose_A=a, transpose_B=b)
          for a in (False, True) for b in (False, True)),
        _product("bf16_result", **small, dtype="bfloat16", out="bfloat16", tolerance=8e-3),
        _product("tf32", **small, dtype="float32", transpose_B=True),
        _product("tf32_tile", 128, 256, 64, dtype="float32", transpose_B=True, tile=(64, 128, 32), stages=3),
        *(_product(f"{dtype}_stages_{stages}", **small, dtype=f"float8_{dtype}", stages=stages, **bytes_of)
          for dtype in ("e4m3fn", "e5m2") for stages in (1, 3)),
        *(_product(f"s8_stages_{stages}", **small, dtype="int8", stages=stages, **integers) for stages in (0, 2, 3)),
        _product("s8_wide", 128, 256, 128, dtype="int8", **{**integers, "tile": (128, 128, 64)}, threads=256),
    ]  # fmt: skip


def _fused() -> list[Case]:
    square = {"A": ((128, 128), "float16"), "B": ((128, 128), "float16")}
    sizes = {"M": 128, "N": 128, "K": 128}
    return [
        Case("batched_product", "batched_product", {"batch": 3, **sizes}, {"A": ((3, 128, 128), "float16"), "B": ((3, 128, 128), "float16")},
             "C", lambda at: at["A"] @ at["B"]),
        Case("batched_product_bf16", "batched_product", {"batch": 2, **sizes, "dtype": "bfloat16", "stages": 3},
             {"A": ((2, 128, 128), "bfloat16"), "B": ((2, 128, 128), "bfloat16")}, "C", lambda at: at["A"] @ at["B"]),
        Case("split_product", "split_product", {**sizes, "parts": 2}, square, "C", lambda at: at["A"] @ at["B"],
             updated=((128, 128), "float32")),
        Case("biased_product", "biased_product", sizes, {**square, "bias": ((128,), "float16")}, "C",
             lambda at: np.maximum(at["A"] @ at["B"] + at["bias"], 0), HALF),
        Case("biased_product_stages_3", "biased_product", {**sizes, "stages": 3, "tile": (64, 128, 64)},
             {**square, "bias": ((128,), "float16")}, "C", lambda at: np.maximum(at["A"] @ at["B"] + at["bias"], 0), HALF),
        Case("gated_product", "gated_product", sizes, {**square, "G": ((128, 128), "float16")}, "C",
             lambda at: (at["A"] @ at["B"]) * (at["A"] @ at["G"]), 1e-6),
        Case("scaled_product", "scaled_product", sizes, {"A": ((128, 128), "float16"), "W": ((128, 128), "int8"), "scale": ((128,), "float16")},
             "C", lambda at: at["A"] @ (at["W"] * at["scale"])),
    ]  # fmt: skip


def _softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def _attention(name: str, length: int, D: int, heads: int = 2, groups: int = 2, tolerance: float = EXP, **more: Any) -> Case:
    dtype = more.get("dtype", "float16")
    inputs = {"Q": ((1, length, heads, D), dtype), "K": ((1, length, groups, D), dtype), "V": ((1, length, groups, D), dtype)}

    def reference(at: Arrays) -> np.ndarray:
        keys, values = (np.repeat(at[name], heads // groups, axis=2) for name in "KV")
        scores = np.einsum("bqhd,bkhd->bhqk", at["Q"], keys) / np.sqrt(D)
        if more.get("is_causal"):
            scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        return np.einsum("bhqk,bkhd->bqhd", _softmax(scores), values)

    arguments = {"length": length, "D": D, "heads": heads, "groups": groups, **more}
    return Case(f"attention_{name}", "attention", arguments, inputs, "O", reference, tolerance)


def _attentions() -> list[Case]:
    return [
        _attention("plain", 128, 64),
        _attention("causal", 128, 64, is_causal=True),
        _attention("grouped", 128, 64, heads=4, groups=2, stages=1),
        _attention("wide", 128, 128, heads=1, groups=1),
        _attention("bf16", 128, 64, dtype="bfloat16", tolerance=1e-2),
        _attention("causal_rows_128", 256, 64, heads=1, groups=1, rows=128, columns=64, is_causal=True),
    ]


def _convolution(name: str, size: int, channels: int, filters: int, window: int, stride: int = 1, dilation: int = 1, pad: int = 0) -> Case:
    extent = (size + 2 * pad - dilation * (window - 1) - 1) // stride + 1
    inputs = {"image": ((2, size, size, channels), "float16"), "weights": ((window, window, channels, filters), "float16")}

    def reference(at: Arrays) -> np.ndarray:
        padded = np.pad(at["image"], ((0, 0), (pad, pad), (pad, pad), (0, 0)))
        reach = stride * (extent - 1) + 1
        return sum(
            padded[:, i * dilation : i * dilation + reach : stride, j * dilation : j * dilation + reach : stride] @ at["weights"][i, j]
            for i in range(window)
            for j in range(window)
        )

    arguments = {"batch": 2, "size": size, "channels": channels, "filters": filters, "window": window, "stride": stride,
                 "dilation": dilation, "pad": pad}  # fmt: skip
    return Case(f"convolution_{name}", "convolution", arguments, inputs, "out", reference, HALF)


def _convolutions() -> list[Case]:
    return [
        _convolution("plain", 8, 32, 64, 3, pad=1),
        _convolution("stride_2", 16, 32, 64, 3, stride=2, pad=1),
        _convolution("dilation_2", 12, 32, 64, 3, dilation=2, pad=2),  # TileLang's map is wrong for pads that change the size
        _convolution("pointwise", 8, 64, 64, 1),
    ]


def _moved(name: str, M: int, N: int, **more: Any) -> Case:
    inputs = {"x": ((M, N), more.get("dtype", "float16"))}
    turned = more.get("is_transposed", False)
    return Case(f"moved_{name}", "moved", {"M": M, "N": N, **more}, inputs, "y", lambda at: at["x"].T if turned else at["x"])


def _reduced(kind: str, reference: Callable[[np.ndarray], np.ndarray], tolerance: float, **more: Any) -> Case:
    name = "_".join([f"reduced_{kind}", *(str(value) for value in more.values())])
    inputs = {"x": ((64, 256), more.get("dtype", "float16"))}
    return Case(name, "reduced", {"M": 64, "N": 256, "kind": kind, **more}, inputs, "y", lambda at: reference(at["x"]), tolerance)


def _pointwise() -> list[Case]:
    return [
        _moved("f16", 128, 128),
        _moved("widened", 128, 256, out="float32"),
        _moved("bf16_to_f32", 128, 128, dtype="bfloat16", out="float32"),
        _moved("f32_to_bf16", 128, 128, dtype="float32", out="bfloat16"),
        _moved("transposed", 128, 192, is_transposed=True),
        _moved("odd", 100, 72),
        _reduced("sum", lambda x: x.sum(1), 1e-6),
        _reduced("sum", lambda x: x.sum(1), 1e-6, dtype="bfloat16"),
        _reduced("max", lambda x: x.max(1), EXACT),
        _reduced("softmax", _softmax, 1e-5),
        _reduced("norm", lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5), 1e-5),
        Case("running_sums", "running_sums", {"M": 64, "N": 128}, {"x": ((64, 128), "float32")}, "y", lambda at: at["x"].cumsum(1), 1e-6),
        Case("gathered", "gathered", {"M": 32, "N": 64, "count": 128}, {"x": ((32, 64), "float16"), "index": ((128,), "int32")}, "y",
             lambda at: at["x"][at["index"]]),
        Case("histogram", "histogram", {"count": 2048, "bins": 32}, {"x": ((2048,), "int32")}, "y",
             lambda at: np.bincount(at["x"], minlength=32), updated=((32,), "int32")),
    ]  # fmt: skip


def _on_ampere(case: Case) -> Case:
    """Returns the case for sm_80: mma.sync and cp.async in place of wgmma and TMA."""
    return replace(case, name=f"{case.name}_sm_80", arch="sm_80")


def _is_for_hopper_alone(case: Case) -> bool:
    """Returns true for types and clusters that sm_80 lacks, and for causal attention, which TileLang 0.1.15 does not lower for it."""
    types = {dtype for _, dtype in case.inputs.values()}
    return bool(types & {"float8_e4m3fn", "float8_e5m2"}) or bool({"cluster", "is_causal"} & set(case.arguments))


_HOPPER = [*_products(), *_fused(), *_attentions(), *_convolutions(), *_pointwise(), *FUSED, *VECTOR]
CASES = [*_HOPPER, *(_on_ampere(case) for case in _HOPPER if not _is_for_hopper_alone(case))]
assert len({case.name for case in CASES}) == len(CASES)
