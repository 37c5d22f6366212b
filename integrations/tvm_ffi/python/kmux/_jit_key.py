"""What the arguments of a jit function are known by."""

from __future__ import annotations

import dataclasses
import enum
import json
import numbers
from collections.abc import Mapping
from typing import Any

_DTYPE_LIBRARIES = ("numpy", "torch", "ml_dtypes", "jax", "cupy")


def _is_dtype(value: Any) -> bool:
    kind = value if isinstance(value, type) else type(value)
    return kind.__module__.split(".")[0] in _DTYPE_LIBRARIES and not hasattr(value, "__dlpack__")


def text_of(value: Any) -> str:
    """A text that equal values share and different ones do not: 1, 1.0, True and "1" are four.

    Raises:
        TypeError: a value of a type that has none.
    """
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value)
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(text_of, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ",".join(sorted(f"{text_of(key)}:{text_of(element)}" for key, element in value.items())) + "}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return type(value).__qualname__ + text_of(members)
    if _is_dtype(value):
        return str(value)
    raise TypeError(type(value).__qualname__)


def key_of(name: str, arguments: Mapping[str, Any]) -> str:
    """The key of a call of jit function `name`, as JSON with sorted names.

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
