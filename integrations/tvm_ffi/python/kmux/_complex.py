# SPDX-License-Identifier: Apache-2.0
"""Complex numbers as arguments: a complex scalar is two parameters of a program, NAME_re and NAME_im."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._numbers import complex_of
from ._refused import parameters_of


def is_complex(kind: type) -> bool:
    """Returns true for a type of numbers that have an imaginary part."""
    return issubclass(kind, numbers.Complex) and not issubclass(kind, numbers.Real)


def _parts_of(value: Any) -> tuple[float, float]:
    return float(value.real), float(value.imag)


def _whole(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    name = first["name"].removesuffix("_re")
    return "scalar" in first and first == {**second, "name": f"{name}_re"} and second["name"] == f"{name}_im"


def in_parts(kernel: Any, arguments: Sequence[Any]) -> Sequence[Any]:
    """Returns the arguments of a call with each complex number for a complex scalar as its two parts.

    A complex number for any other parameter stays.
    """
    places = {place for place, each in enumerate(arguments) if is_complex(type(each))}
    if not places:
        return arguments
    parameters = parameters_of(kernel, len(arguments) + len(places))
    parts: list[Any] = []
    for place, each in enumerate(arguments):
        pair = parameters[len(parts) : len(parts) + 2]
        splits = place in places and len(pair) == 2 and _whole(*pair)
        parts.extend(_parts_of(each) if splits else (each,))
    return parts


def named_in_parts(subject: str, parameters: Iterable[str], named: Mapping[str, Any]) -> dict[str, Any]:
    """Returns arguments by name with a number for a complex scalar as the arguments for its two parts.

    Raises:
        TypeError: what is no number for a complex scalar, or one beside its own parts. `subject` begins the message.
    """
    known = set(parameters)
    parts: dict[str, Any] = {}
    for name, value in named.items():
        both = (f"{name}_re", f"{name}_im")
        splits = name not in known and known.issuperset(both)
        parts |= dict(zip(both, _split(subject, name, value, named))) if splits else {name: value}
    return parts


def _split(subject: str, name: str, value: Any, named: Mapping[str, Any]) -> tuple[float, float]:
    if (number := complex_of(value)) is None:
        shown = "None" if value is None else f"of type {type(value).__qualname__}"
        raise TypeError(f'{subject} parameter "{name}" is {shown} (it is a complex number). Pass one, or a real one.')
    if f"{name}_re" in named or f"{name}_im" in named:
        raise TypeError(f'{subject} parameter "{name}" is given as a whole and in parts. Pass it once.')
    return number.real, number.imag
