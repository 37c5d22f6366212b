"""Shapes that a signature computes, evaluated in Python: for tensors without memory, whose extents may be symbolic."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any


def _truncdiv(a: Any, b: Any) -> Any:
    return a // b if (a >= 0) == (b >= 0) else -(-a // b)


_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "floordiv": operator.floordiv,
    "floormod": operator.mod,
    "truncdiv": _truncdiv,
    "truncmod": lambda a, b: a - b * _truncdiv(a, b),
    "ceildiv": lambda a, b: -(-a // b),
    "min": lambda a, b: a if a <= b else b,
    "max": lambda a, b: a if a >= b else b,
    "<<": lambda a, b: a * 2**b,
    ">>": lambda a, b: a // 2**b,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "not": operator.not_,
}


def evaluate(form: Any, values: Mapping[str, Any]) -> Any:
    """The value of an expression as docs/dispatch-ir.md spells it.

    Errors: KeyError for a name that `values` lacks; ZeroDivisionError.
    """
    if isinstance(form, int):
        return form
    if isinstance(form, str):
        return values[form]
    name, *operands = form
    if name == "select":
        return evaluate(operands[1] if evaluate(operands[0], values) else operands[2], values)
    if name == "and":
        return int(bool(evaluate(operands[0], values)) and bool(evaluate(operands[1], values)))
    if name == "or":
        return int(bool(evaluate(operands[0], values)) or bool(evaluate(operands[1], values)))
    if name == "cast":
        return evaluate(operands[1], values)
    return _OPERATORS[name](*(evaluate(operand, values) for operand in operands))


def names_in(form: Any) -> set[str]:
    """The symbols and scalars of an expression."""
    if isinstance(form, str):
        return {form}
    if isinstance(form, int):
        return set()
    operands = form[2:] if form[0] == "cast" else form[1:]
    return set().union(*map(names_in, operands))


def solve(places: Iterable[tuple[Any, Any]], symbols: Iterable[str]) -> dict[str, Any]:
    """The symbols that dimensions and strides carry: `places` has the form of each and what a tensor has there.

    A carrier is linear in one symbol, so its values for 0 and 1 tell which symbol makes the tensor's.
    """
    wanted, found = set(symbols), {}
    for form, extent in places:
        names = names_in(form)
        if len(names) == 1 and (name := next(iter(names))) in wanted and name not in found:
            first = evaluate(form, {name: 0})
            found[name] = extent if form == name else (extent - first) // (evaluate(form, {name: 1}) - first)
    return found
