"""One kernel of the corpus: its inputs, its reference, and the values of types that NumPy has no name for.

Values are quarters from -2 to 2, which all floating point types have: sums of their products are exact in float32.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = Mapping[str, np.ndarray]
EXACT, HALF, EXP = 0, 1e-3, 2e-3  # relative errors
_BITS = {"bfloat16": (127, 7), "float8_e4m3fn": (7, 3), "float8_e5m2": (15, 2)}  # bias, bits of the fraction


@dataclass(frozen=True)
class Case:
    """One kernel. `inputs`: shape and type by name; an input among the outputs begins as zeros."""

    name: str
    maker: str
    arguments: Mapping[str, Any]
    inputs: Mapping[str, tuple[tuple[int, ...], str]]
    output: str
    reference: Callable[[Arrays], np.ndarray]
    tolerance: float = EXACT
    updated: tuple[tuple[int, ...], str] | None = None
    file: str = "kernels.py"  # of the maker
    arch: str = "sm_90a"


def values_of(shape: tuple[int, ...], dtype: str, random: np.random.Generator) -> np.ndarray:
    """Returns the values of an input as float64 or integers."""
    if dtype == "int32":
        return random.integers(0, 32, shape)
    if dtype in ("int8", "uint8"):
        return random.integers(0 if dtype == "uint8" else -4, 5, shape)
    return random.integers(-8, 9, shape) / 4


def stored(values: np.ndarray, dtype: str) -> np.ndarray:
    """Returns the values in their type, which may be one that NumPy has no name for."""
    if dtype not in _BITS:
        return values.astype(dtype)
    bias, fraction = _BITS[dtype]
    bits = values.astype(np.float32).view(np.uint32)
    exponent = (bits >> 23 & 0xFF).astype(np.int64) - 127 + bias
    packed = np.where(values == 0, 0, exponent << fraction | (bits >> (23 - fraction) & ((1 << fraction) - 1)))
    width = 2 if dtype == "bfloat16" else 1
    packed |= (bits >> 31).astype(np.int64) << (8 * width - 1)
    return packed.astype(f"<u{width}").view(f"V{width}")


def read(array: np.ndarray) -> np.ndarray:
    """Returns a result as float64. No kernel has results of uint16, so these are the bits of bfloat16."""
    if array.dtype != np.uint16:
        return array.astype(np.float64)
    return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
