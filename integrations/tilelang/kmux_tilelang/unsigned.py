"""Elements of unsigned type in Python of CuTe DSL.

TileLang's text reaches every element through an iterator, and an iterator of CuTe DSL does not know whether its integers are
signed: it reads 200 of a uint8 tensor as -56, and a conversion to a wider type keeps that.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .cute_types import TYPES, dtype_of
from .error import MiscomputedError

_TYPES = {dtype: name for dtype, name in TYPES.items() if dtype.startswith("uint")}
_MADE = re.compile(r"^\s*(\w+) = tl\.make_(?:rmem_)?tensor\(.*\bcutlass\.(Uint\d+)\b", re.MULTILINE)


def with_unsigned(text: str, devices: Mapping[str, Any]) -> str:
    """`text`, in which each element that is read from unsigned memory has its type again.

    Errors: MiscomputedError where several are read at a time and converted, which cannot be mended in the text.
    """
    types = {**_of_parameters(devices), **dict(_MADE.findall(text))}
    if not types:
        return text
    tree = ast.parse(text)
    if "tl.cast_tensor(" in text and (name := next(_read_as_vectors(tree, types), None)):
        raise MiscomputedError(
            f"elements of '{name}' are unsigned, read several at a time and converted on target 'cutedsl' (CuTe DSL's iterators "
            "take them for signed). Read one at a time, or choose target 'cuda'."
        )
    lines = [line.encode() for line in text.splitlines(keepends=True)]  # columns of ast are bytes
    for number, column, added in sorted(_insertions(tree, types), reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:column] + added.encode() + line[column:]
    return b"".join(lines).decode()


def _of_parameters(devices: Mapping[str, Any]) -> dict[str, str]:
    """The type of what each parameter points to, where it is unsigned; kernels that share a name agree on it."""
    found = {}
    for parameter in (parameter for device in devices.values() for parameter in getattr(device, "params", ())):
        kind = _TYPES.get(dtype_of(parameter))
        if kind:
            found[parameter.name] = kind
    return found


def _insertions(tree: ast.AST, types: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Line, column and what is to stand there, for each reading of one element of unsigned memory."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and (name := _memory(node.value, types)):
            yield node.lineno, node.col_offset, f"cutlass.{types[name]}("
            yield node.end_lineno or node.lineno, node.end_col_offset or 0, ")"


def _read_as_vectors(tree: ast.AST, types: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        is_load = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "load"
        if is_load and (name := _memory(node.func.value, types)):
            yield name


def _memory(node: ast.expr, types: Mapping[str, str]) -> str:
    """The unsigned memory that `tl.make_tensor_at_offset(NAME.iterator, ...)` is in, or nothing."""
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Attribute):
        return ""
    first = node.args[0]
    named = isinstance(first, ast.Attribute) and first.attr == "iterator" and isinstance(first.value, ast.Name)
    return first.value.id if node.func.attr == "make_tensor_at_offset" and named and first.value.id in types else ""
