"""Calls with addresses: a parameter that a kernel declares as `T.ptr` takes a tensor, and `tensor.data_ptr()`."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import kmux


def pointers_of(function: Any, result_idx: tuple[int, ...]) -> dict[int, str]:
    """The parameters of `function` that are `T.ptr`: the name of the tensor that is made of each, by its position in a call.

    TileLang names the handle of a tensor that a caller passes after the tensor.
    """
    inputs = [parameter for i, parameter in enumerate(function.params) if i not in result_idx]
    buffers = {i: function.buffer_map[p] for i, p in enumerate(inputs) if p in function.buffer_map}
    return {i: buffer.name for i, buffer in buffers.items() if inputs[i].name != f"{buffer.name}_handle"}


def by_address(program: kmux.Program, names: set[str]) -> kmux.Program:
    """`program`, whose buffers `names` are pointers, of which nothing can be checked.

    Errors: ValueError if it must know more of them, as of one that alone has a symbol.
    """
    document = json.loads(program.to_json())
    for param in document["signature"]["params"]:
        if param["name"] in names and "buffer" in param:
            del param["buffer"]
            param["pointer"] = {}
    return kmux.program(document, program.files)


def taking_addresses(
    call: Callable[..., Any], pointers: Mapping[int, str], compile: Callable[[], Callable[..., Any]]
) -> Callable[..., Any]:
    """`call`, and what `compile` makes, once, where an integer is passed for one of `pointers`."""
    made: list[Callable[..., Any]] = []

    def called(*arguments: Any) -> Any:
        if not any(type(arguments[i]) is int for i in pointers if i < len(arguments)):
            return call(*arguments)
        if not made:
            made.append(compile())
        return made[0](*arguments)

    return called
