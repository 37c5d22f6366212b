"""What the arguments of a jit function are known by."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import json
import math
import numbers
import sys
import threading
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

_DTYPES = {"numpy": ("dtype",), "torch": ("dtype", "device", "layout", "memory_format")}  # classes, by library


class _TypeNames:
    """The names of types: "module.Type", and "module.Type#2" for a second type of that name.

    Threads: any.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: weakref.WeakKeyDictionary[type, str] = weakref.WeakKeyDictionary()
        self._counts: dict[str, itertools.count[int]] = {}

    def __getitem__(self, kind: type) -> str:
        with self._lock:
            if kind not in self._known:
                name = f"{kind.__module__}.{kind.__qualname__}"
                number = next(self._counts.setdefault(name, itertools.count(1)))
                self._known[kind] = name if number == 1 else f"{name}#{number}"
            return self._known[kind]


_names = _TypeNames()


def text_of(value: Any) -> str:
    """Returns a JSON text that equal values of one type share and no others: 1, 1.0, True, "1" and numpy.int64(1) have five.

    A dict counts with its order, a dataclass with its fields.

    Raises:
        TypeError: a value of a type whose values cannot be told apart.
    """
    return json.dumps(_json_of(value), separators=(",", ":"))


def _json_of(value: Any) -> Any:
    """None, bool, int, str, finite float and list as JSON has them, everything else as {type: what it holds}."""
    kind = type(value)
    if value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value)):
        return value
    if kind is list:
        return [_json_of(element) for element in value]
    held = _held_by(value)
    if held is None:
        raise TypeError(kind.__qualname__)
    return {_names[kind]: held}


def _held_by(value: Any) -> Any:
    """What a value holds beside its type, as JSON; None if that is not known."""
    if isinstance(value, enum.Flag):
        return value.value
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, type):
        return _names[value] if _is_dtype_class(value) else None
    if _is_dtype(value) or _is_numpy_scalar(value):
        return repr(value)
    if isinstance(value, (str, int, float, complex, list, tuple, dict)):
        added = getattr(value, "__dict__", None) or getattr(value, "default_factory", None)
        return None if added else _held_by_builtin(value)
    if dataclasses.is_dataclass(value):
        return _pairs((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, numbers.Rational):
        return [int(value.numerator), int(value.denominator)]
    return _pairs(value.items()) if isinstance(value, Mapping) else None


def _held_by_builtin(value: Any) -> Any:
    """The same of a value of a built-in type or of a class that derives from one and adds nothing."""
    if isinstance(value, dict):
        return _pairs(value.items())
    if isinstance(value, (list, tuple)):
        return [_json_of(element) for element in value]
    if isinstance(value, complex):
        return [complex.__repr__(value)]
    if isinstance(value, float):
        return float.__repr__(value)
    return str.__str__(value) if isinstance(value, str) else int(value)


def _pairs(items: Iterable[tuple[Any, Any]]) -> list[list[Any]]:
    return [[_json_of(key), _json_of(element)] for key, element in items]


def _is_dtype(value: Any) -> bool:
    libraries = ((sys.modules.get(name), classes) for name, classes in _DTYPES.items())
    return any(isinstance(value, getattr(library, name, ())) for library, classes in libraries for name in classes)


def _is_dtype_class(kind: type) -> bool:
    """Is it one of NumPy's scalars, as numpy.float32, or a class that names a dtype, as jax.numpy.float32?"""
    numpy: Any = sys.modules.get("numpy")
    return numpy is not None and (issubclass(kind, numpy.generic) or isinstance(getattr(kind, "dtype", None), numpy.dtype))


def _is_numpy_scalar(value: Any) -> bool:
    """Is it a number of NumPy or of ml_dtypes, whose repr tells it from all others of its type?"""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, numpy.generic):
        return False
    return isinstance(value, (numpy.number, numpy.bool_)) or type(value).__module__ == "ml_dtypes"


def is_fixed(value: Any) -> bool:
    """Returns true if an object never becomes another value, as a list may that is the default of a parameter."""
    kind = type(value)
    if kind in (tuple, frozenset):
        return all(map(is_fixed, value))
    is_number_or_text = kind in (bool, int, str, float, complex, type(None)) or _is_numpy_scalar(value)
    return is_number_or_text or isinstance(value, (type, enum.Enum)) or _is_dtype(value)


def key_of(name: str, arguments: Mapping[str, Any]) -> str:
    """Returns the key of a call of jit function `name`: a JSON object with sorted names.

    Raises:
        TypeError: an argument that has no key.
    """
    parts = []
    for parameter, value in sorted(arguments.items()):
        try:
            parts.append(f'"{parameter}":{text_of(value)}')
        except TypeError as error:
            raise TypeError(
                f"jit function {name!r}: parameter {parameter!r} holds a {error} (numbers, strings, enums, dtypes, "
                "dataclasses and lists, tuples and dicts of them can be told apart). Pass one of these."
            ) from None
    return "{" + ",".join(parts) + "}"
