"""TIR expressions and arithmetic text, as expressions of the dispatch IR: 5, "n", ["+", E, E], ["cast", "int32", E]."""

import ast
import functools
import math
import operator
from collections.abc import Iterator, Mapping
from typing import Any, Union

from .error import UnsupportedError, UsageError

Expr = Union[int, str, list]

_INTEGERS = ("int", "uint", "bool")  # how the data types begin that expressions compute with
_BINARY = {
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "truncdiv", "Mod": "truncmod", "FloorDiv": "floordiv",
    "FloorMod": "floormod", "Min": "min", "Max": "max", "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">",
    "GE": ">=", "And": "and", "Or": "or",
}  # fmt: skip
_CALLS = {
    "shift_left": "<<", "shift_right": ">>", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
    "if_then_else": "select",
}  # fmt: skip
_WRAPPING = ("+", "-", "*", "<<")  # whose value of an unsigned type can lie outside it
_TEXT = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul),
    ast.FloorDiv: ("floordiv", operator.floordiv), ast.Mod: ("floormod", operator.mod),
}  # fmt: skip
_TEXT_CALLS = {"min": min, "max": max, "ceildiv": lambda a, b: -(-a // b)}


def kind_of(node: Any) -> str:
    """The name of a TIR node's class: "Add", "Var", ... TIR is read by these names alone, so no test needs TVM."""
    return type(node).__name__


def callee_of(call: Any) -> str:
    """What a TIR call calls: an operator without its namespace ("shift_left") or a function's name."""
    name = getattr(call.op, "name", None) or getattr(call.op, "name_hint", None) or str(call.op)
    return name.rpartition(".")[2]


def from_tir(node: Any, names: Mapping[str, Expr] = {}) -> Expr:
    """The integer expression `node`; a variable in `names` becomes what stands there.

    Arithmetic of unsigned types wraps as in TIR, where expressions of the dispatch IR are of int64; of uint64, whose upper half
    those do not have, a value that would wrap is an error of the call.

    Errors: UnsupportedError that names a node which the dispatch IR does not have.
    """
    if isinstance(node, (bool, int)):
        return int(node)
    kind = kind_of(node)
    if kind == "IntImm":
        return int(node.value)
    if kind in ("Var", "SizeVar") and str(node.dtype).startswith(_INTEGERS):
        return names.get(node.name, node.name)
    if kind == "Call" and callee_of(node) == "likely":
        return from_tir(node.args[0], names)
    if kind == "Call" and callee_of(node) == "bitwise_not":
        return _wrapped(["^", from_tir(node.args[0], names), -1], str(node.dtype))
    if kind == "Cast" and str(node.dtype) == "int64":
        return from_tir(node.value, names)  # what all expressions of the dispatch IR are
    head = _head_of(node, kind)
    made = [*head, *(from_tir(operand, names) for operand in _operands_of(node, kind))]
    return _wrapped(made, str(node.dtype)) if head[0] in _WRAPPING else made


def product(factors: list[Expr]) -> Expr:
    """The factors multiplied; numbers are computed and stand behind what has names."""
    factors = [part for factor in factors for part in _factors_of(factor)]
    number = math.prod(factor for factor in factors if isinstance(factor, int))
    names = [factor for factor in factors if not isinstance(factor, int)] if number else []
    return functools.reduce(lambda a, b: ["*", a, b], names if names and number == 1 else [*names, number])


def linear_in(value: Expr) -> str:
    """The one name in which `value` is linear: "n" of 2 * n + 1; empty if there is none."""
    if not isinstance(value, list):
        return value if isinstance(value, str) else ""
    head, *operands = value
    names = [operand for operand in operands if not isinstance(operand, int)]
    return linear_in(names[0]) if head in ("+", "-", "*") and len(names) == 1 else ""


def variables_of(node: Any) -> Iterator[Any]:
    """The variables of a TIR expression, from left to right, repeats included."""
    if isinstance(node, (bool, int)):
        return
    kind = kind_of(node)
    if kind in ("Var", "SizeVar"):
        yield node
    for operand in _operands_of(node, kind):
        yield from variables_of(operand)


def from_text(text: str, constants: Mapping[str, int] = {}) -> Expr:
    """The expression that `text` spells in Python: integers, names, + - * // %, min, max and ceildiv.

    Names in `constants` become their values; constant parts are computed.
    Errors: UsageError that shows the text and the part that is not understood.
    """
    try:
        return _from_ast(ast.parse(text, mode="eval").body, constants)
    except SyntaxError as error:
        raise UsageError(f"'{text}' is not an expression ({error.msg}). Write it like 2 * m * 256.") from error


def _factors_of(value: Expr) -> list[Expr]:
    if isinstance(value, list) and value[0] == "*":
        return [*_factors_of(value[1]), *_factors_of(value[2])]
    return [value]


def _wrapped(value: Expr, dtype: str) -> Expr:
    if not dtype.startswith("uint"):
        return value
    bits = int(dtype.removeprefix("uint"))
    return ["&", value, (1 << bits) - 1] if bits < 64 else ["cast", dtype, value]


def _head_of(node: Any, kind: str) -> list:
    if kind in _BINARY:
        return [_BINARY[kind]]
    if kind == "Not":
        return ["not"]
    if kind == "Select":
        return ["select"]
    if kind == "Cast" and str(node.dtype).startswith(_INTEGERS):
        return ["cast", str(node.dtype)]
    if kind == "Call" and callee_of(node) in _CALLS:
        return [_CALLS[callee_of(node)]]
    raise UnsupportedError(
        f"host expression '{node}' ({kind}) has no counterpart in the dispatch IR. "
        "Compute it in the kernel, or pass it as a scalar parameter."
    )


def _operands_of(node: Any, kind: str) -> list:
    if kind in _BINARY:
        return [node.a, node.b]
    if kind == "Not":
        return [node.a]
    if kind == "Select":
        return [node.condition, node.true_value, node.false_value]
    if kind == "Cast":
        return [node.value]
    return list(node.args) if kind == "Call" else []


def _from_ast(node: ast.expr, constants: Mapping[str, int]) -> Expr:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        return constants.get(node.id, node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in _TEXT:
        head, compute = _TEXT[type(node.op)]
        return _folded(head, compute, [node.left, node.right], constants)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TEXT_CALLS:
        if len(node.args) == 2:
            return _folded(node.func.id, _TEXT_CALLS[node.func.id], node.args, constants)
    raise UsageError(f"'{ast.unparse(node)}' is not understood. Use integers, names, + - * // %, min, max and ceildiv.")


def _folded(head: str, compute: Any, operands: list, constants: Mapping[str, int]) -> Expr:
    values = [_from_ast(operand, constants) for operand in operands]
    return compute(*values) if all(isinstance(value, int) for value in values) else [head, *values]
