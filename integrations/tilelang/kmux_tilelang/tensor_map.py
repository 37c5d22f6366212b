"""Tensor maps: the host's calls that create them, as tensor maps of the dispatch IR."""

from typing import Any

from .error import UnsupportedError
from .expression import Expr

_CREATE = "__tvm_tensormap_create_"
_DTYPES = [
    "uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", "bfloat16", "float32_ftz",
    "tfloat32", "tfloat32_ftz", "u4_align8", "u4_align16", "u6_align16",
]  # fmt: skip
_INTERLEAVE = ["none", "16b", "32b"]
_SWIZZLE = ["none", "32b", "64b", "128b", "128b_atom_32b", "128b_atom_32b_flip_8b", "128b_atom_64b"]
_L2_PROMOTION = ["none", "64b", "128b", "256b"]
_OOB_FILL = ["none", "nan"]


def creates_tensor_map(function: str) -> bool:
    """Does the packed function of this name create a tensor map?"""
    return function.startswith(_CREATE)


def tensor_map(function: str, name: str, base: dict[str, str], values: list[Expr]) -> dict[str, Any]:
    """The map `name` over `base`, from what the host passes to `function` behind the map: data type, rank, geometry.

    The innermost dimension comes first; the first stride is an element's size and left out.
    Errors: UnsupportedError for another number of values, or a symbol where the dispatch IR has a number.
    """
    reader = _Reader(name, values)
    dtype, rank = reader.word(_DTYPES), reader.number()
    result: dict[str, Any] = {"name": name, "dtype": dtype, "base": base}
    result |= {"dims": reader.expressions(rank), "strides_bytes": reader.expressions(rank)[1:]}
    mode = function.removeprefix(_CREATE)
    if mode == "tiled":
        result["tiled"] = {"box": reader.numbers(rank)}
    elements = reader.numbers(rank)
    if mode == "im2col":
        result["im2col"] = _im2col(reader, rank)
    elif mode != "tiled":
        raise UnsupportedError(f"tensor map '{name}' is of mode '{mode}', which the dispatch IR does not have.")
    words = {
        "interleave": reader.word(_INTERLEAVE),
        "swizzle": reader.word(_SWIZZLE),
        "l2_promotion": reader.word(_L2_PROMOTION),
        "oob_fill": reader.word(_OOB_FILL),
    }
    reader.finish()
    result |= {key: word for key, word in words.items() if word != "none"}
    return result if set(elements) == {1} else {**result, "element_strides": elements}


def _im2col(reader: "_Reader", rank: int) -> dict[str, Any]:
    corners = {"lower_corner": reader.numbers(rank - 2), "upper_corner": reader.numbers(rank - 2)}
    return {**corners, "pixels_per_column": reader.number(), "channels_per_pixel": reader.number()}


class _Reader:
    """Takes values from the front."""

    def __init__(self, name: str, values: list[Expr]):
        self._name = name
        self._values = list(values)

    def expressions(self, count: int) -> list[Expr]:
        if len(self._values) < count:
            self._refuse("has too few values")
        taken, self._values = self._values[:count], self._values[count:]
        return taken

    def numbers(self, count: int) -> list[int]:
        taken = self.expressions(count)
        if symbolic := [value for value in taken if not isinstance(value, int)]:
            self._refuse(f"has {symbolic[0]} where a number must stand")
        return taken

    def number(self) -> int:
        return self.numbers(1)[0]

    def word(self, words: list[str]) -> str:
        number = self.number()
        if not 0 <= number < len(words):
            self._refuse(f"has {number} where one of {', '.join(words)} must stand")
        return words[number]

    def finish(self) -> None:
        if self._values:
            self._refuse(f"has {len(self._values)} values too many")

    def _refuse(self, problem: str) -> None:
        raise UnsupportedError(f"tensor map '{self._name}' {problem}. Use TileLang 0.1.13 to 0.1.15, and constant tiles.")
