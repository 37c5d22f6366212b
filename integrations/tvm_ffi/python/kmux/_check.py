# SPDX-License-Identifier: Apache-2.0
"""Types of arguments, where TVM-FFI would name them by numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._given import is_array
from ._numbers import index_of, is_bool
from ._text import utf8


def integer(name: str, value: Any) -> int:
    """`value` as Python's integer.

    Raises:
        TypeError: it is none.
    """
    if (index := index_of(value)) is None:
        raise wrong(name, value, "an int")
    return index


def number(name: str, value: Any) -> float:
    """`value` as Python's float.

    Raises:
        TypeError: it is no number.
    """
    if isinstance(value, str) or is_bool(value) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise wrong(name, value, "a number")
    try:
        return float(value)
    except TypeError:  # of an array of several elements
        raise wrong(name, value, "a number") from None


def text(name: str, value: Any) -> str:
    """`value`, a string.

    Raises:
        TypeError: it is none.
        ValueError: it is not UTF-8.
    """
    if not isinstance(value, str):
        raise wrong(name, value, "a string")
    return utf8(name, value)


def array(name: str, value: Any) -> Any:
    """`value`, an array.

    Raises:
        TypeError: it is none.
    """
    if not is_array(value):
        raise wrong(name, value, "an array with __dlpack__")
    return value


def listed(name: str, values: Any, elements: str) -> list[Any]:
    """`values`, a list or what is iterated as one, of `elements`.

    Raises:
        TypeError: a text or a dict, which is iterated by letters or keys; an array, by rows; what is not iterated.
    """
    is_list = isinstance(values, Iterable) and not isinstance(values, (str, bytes, bytearray, Mapping)) and not is_array(values)
    if not is_list:
        shown = repr(values) if isinstance(values, (str, bytes, int)) else f"a {type(values).__qualname__}"
        raise TypeError(f"{name} are {shown} (a list {elements} is wanted). Put it into a list.")
    return list(values)


def made(value: Any, maker: str) -> Any:
    """Returns `value`, an object that the library made, as `maker` returns it.

    Raises:
        TypeError: it was made by `__new__` alone, and would crash the library.
    """
    if not value.__chandle__():
        kind = type(value).__name__
        raise TypeError(f"this {kind} is empty (it was made by {kind}.__new__). Call {maker}.")
    return value


def wrong(name: str, value: Any, wanted: str) -> TypeError:
    """The error for an argument of another type."""
    kind = type(value).__qualname__
    return TypeError(f"{name} is {'an' if kind[0] in 'aeiou' else 'a'} {kind} ({wanted} is wanted). Pass one.")
