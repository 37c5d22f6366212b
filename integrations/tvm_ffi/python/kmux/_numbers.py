# SPDX-License-Identifier: Apache-2.0
"""Numbers by Python's protocols: those of NumPy and others, without importing them."""

from __future__ import annotations

import numbers
import operator
from typing import Any


def is_bool(value: Any) -> bool:
    """Returns true for a bool of Python, NumPy or torch: they have `__index__`, and are no integers for kmux."""
    return isinstance(value, bool) or str(getattr(value, "dtype", "")).rpartition(".")[2] == "bool"


def index_of(value: Any) -> int | None:
    """Returns the integer that `value` is; None for a bool, and for what is no integer, as an array of several elements."""
    if type(value) is int:
        return value
    if is_bool(value) or not hasattr(type(value), "__index__"):
        return None
    try:
        return operator.index(value)
    except (TypeError, ValueError):
        return None


def is_inexact(value: Any) -> bool:
    """Returns true for a number that is no integer: a float, a complex number, or such a one of another library."""
    if is_bool(value) or index_of(value) is not None or isinstance(value, str):
        return False
    has_number = hasattr(type(value), "__float__") or hasattr(type(value), "__complex__")
    return has_number and not hasattr(value, "__len__")  # an array has them, too


def complex_of(value: Any) -> complex | None:
    """Returns a number, real or complex, as Python's complex number; None for what is no number, as an array or a text."""
    is_number = isinstance(value, numbers.Complex) or is_bool(value) or is_inexact(value) or index_of(value) is not None
    if not is_number or hasattr(value, "__dlpack__"):
        return None
    try:
        return complex(value)
    except (TypeError, ValueError, OverflowError):
        return None


def in_json(value: Any) -> Any:
    """Returns a number as JSON has it: the `default` of `json.dumps`.

    Raises:
        TypeError: something else.
    """
    if is_bool(value):
        return bool(value)
    if (index := index_of(value)) is not None:
        return index
    if hasattr(type(value), "__float__") and not hasattr(value, "__len__"):
        return float(value)
    kind = type(value).__qualname__
    raise TypeError(f"a document has {value!r} (of type {kind}; it has numbers, texts, bools, lists and dicts). Write one of these.")
