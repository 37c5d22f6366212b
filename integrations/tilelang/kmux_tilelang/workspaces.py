"""Workspaces in Python of CuTe DSL: a kernel gets the address of bytes, and TileLang's text wants a tensor of elements."""

import ast
from collections.abc import Mapping
from typing import Any

from .alignment import launches_in
from .cute_types import TYPES, dtype_of
from .error import UnsupportedError


def with_workspaces(text: str, devices: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    """`text`, whose kernels begin with a tensor over each parameter that a launch of `body` gives a workspace.

    Errors: UnsupportedError for elements of a type that CuTe DSL does not have.
    """
    given = {
        (launch["kernel"], position)
        for launch in launches_in(body.get("steps", []))
        for position, argument in enumerate(launch["args"])
        if "workspace" in argument
    }
    lines = text.splitlines(keepends=True)
    functions = {function.name: function for function in ast.parse(text).body if isinstance(function, ast.FunctionDef)}
    added = [(functions[kernel].body[0], devices[kernel].params[position]) for kernel, position in given]
    for statement, parameter in sorted(added, key=lambda pair: (-pair[0].lineno, pair[1].name)):
        made = f"cute.make_tensor(cute.recast_ptr({parameter.name}, dtype=cutlass.{_type_of(parameter)}), (1,))"
        lines.insert(statement.lineno - 1, f"{' ' * statement.col_offset}{parameter.name} = {made}\n")
    return "".join(lines)


def _type_of(parameter: Any) -> str:
    dtype = dtype_of(parameter)
    if dtype not in TYPES:
        raise UnsupportedError(
            f"workspace '{parameter.name}' has elements of {dtype}, which target 'cutedsl' does not have. Choose target 'cuda'."
        )
    return TYPES[dtype]
