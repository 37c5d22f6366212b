# SPDX-License-Identifier: Apache-2.0
"""What `inspect.signature` and `help` show of a kernel, made of its program's signature."""

from __future__ import annotations

import inspect
import json
import keyword
from collections.abc import Mapping
from typing import Any


class _Words:
    """An annotation that is shown without quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class CallSignature:
    """The `__signature__` of kernels; their class has none."""

    def __get__(self, kernel: Any, owner: type) -> inspect.Signature:
        if kernel is None:
            raise AttributeError("__signature__")
        try:
            return call_signature(kernel.signature)
        except ValueError as error:  # parameters that Python's functions cannot have
            raise AttributeError(f"__signature__ ({error})") from None


def call_signature(signature: Mapping[str, Any]) -> inspect.Signature:
    """The signature of a call that leaves out the outputs, which may be given by name.

    A parameter with the name of a keyword (lambda) has another one (lambda_), and is given by position, as those before it.
    """
    outputs = signature.get("outputs", ())
    names = {each["name"] for each in signature["params"]}
    inputs = [_parameter(each, names) for each in signature["params"] if each["name"] not in outputs]
    made = [_parameter(each, names) for each in signature["params"] if each["name"] in outputs]
    optional = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=None) for each in made]
    return inspect.Signature([*_by_position(inputs, names), *optional], return_annotation=_returned(made))


def _parameter(parameter: Mapping[str, Any], names: set[str]) -> inspect.Parameter:
    name = parameter["name"]
    while keyword.iskeyword(name) or (name != parameter["name"] and name in names):
        name += "_"
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=_Words(_kind(parameter)))


def _by_position(inputs: list[inspect.Parameter], names: set[str]) -> list[inspect.Parameter]:
    last = max((place for place, each in enumerate(inputs) if each.name not in names), default=-1)
    return [each.replace(kind=inspect.Parameter.POSITIONAL_ONLY) for each in inputs[: last + 1]] + inputs[last + 1 :]


def _returned(outputs: list[inspect.Parameter]) -> Any:
    if not outputs:
        return None
    words = ", ".join(repr(each.annotation) for each in outputs)
    return _Words(words if len(outputs) == 1 else f"[{words}]")


def _kind(parameter: Mapping[str, Any]) -> str:
    if (scalar := parameter.get("scalar")) is not None:
        return str(scalar["dtype"])
    if (buffer := parameter.get("buffer")) is None:
        return "pointer"
    inout = "inout " if buffer.get("inout") else ""
    return f"{inout}{buffer['dtype']}[{', '.join(map(_form, buffer['shape']))}]"


def _form(form: Any) -> str:
    """An expression as people write it."""
    if not isinstance(form, list):
        return str(form)
    operator, *operands = form
    words = [each if isinstance(each, str) else _form(each) for each in operands]
    if len(words) == 2 and not operator[0].isalpha():
        return f"({f' {operator} '.join(words)})"
    return f"{operator}({', '.join(words)})" if operator[0].isalpha() else json.dumps(form)
