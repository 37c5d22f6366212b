"""Integer expressions of a program, written with Python's operators (docs/dispatch-ir.md#expressions).

>>> from kmux import expr
>>> b.launch("f", [x, y], grid=expr.min(expr.ceildiv(n, 256), 1024), block=256)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsIndex, Union

from ._numbers import index_of

Extent = Union[SupportsIndex, str, "Expr"]


class Expr:
    """A number that is known at the call: a symbol, a scalar parameter, or what is computed of them.

    `+ - * // % << >> & | ^` and comparisons mean what they mean for Python's integers; `ceildiv`, `min`, `max` and `select`
    of `kmux.expr` are the rest.
    """

    def __init__(self, form: Any) -> None:
        self._form = form

    def form(self) -> Any:
        """What a program's document has: a number, a name or a list."""
        return self._form

    def __repr__(self) -> str:
        return f"<kmux.Expr {json.dumps(self.form())}>"

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self!r} is not a bool (its value is known at the call). Use kmux.expr.select, or compare the value of a constant "
            "of the JitBuilder: n.value > 2."
        )

    __hash__ = None  # type: ignore[assignment]  # == makes an expression

    if TYPE_CHECKING:  # set below
        def __add__(self, other: Extent) -> Expr: ...
        def __radd__(self, other: Extent) -> Expr: ...
        def __sub__(self, other: Extent) -> Expr: ...
        def __rsub__(self, other: Extent) -> Expr: ...
        def __mul__(self, other: Extent) -> Expr: ...
        def __rmul__(self, other: Extent) -> Expr: ...
        def __floordiv__(self, other: Extent) -> Expr: ...
        def __rfloordiv__(self, other: Extent) -> Expr: ...
        def __mod__(self, other: Extent) -> Expr: ...
        def __rmod__(self, other: Extent) -> Expr: ...
        def __lshift__(self, other: Extent) -> Expr: ...
        def __rlshift__(self, other: Extent) -> Expr: ...
        def __rshift__(self, other: Extent) -> Expr: ...
        def __rrshift__(self, other: Extent) -> Expr: ...
        def __and__(self, other: Extent) -> Expr: ...
        def __rand__(self, other: Extent) -> Expr: ...
        def __or__(self, other: Extent) -> Expr: ...
        def __ror__(self, other: Extent) -> Expr: ...
        def __xor__(self, other: Extent) -> Expr: ...
        def __rxor__(self, other: Extent) -> Expr: ...
        def __lt__(self, other: Extent) -> Expr: ...
        def __le__(self, other: Extent) -> Expr: ...
        def __gt__(self, other: Extent) -> Expr: ...
        def __ge__(self, other: Extent) -> Expr: ...


def form_of(value: Any) -> Any:
    """An expression as a program's document has it.

    Raises:
        TypeError: something else.
    """
    if isinstance(value, Expr):
        return value.form()
    if isinstance(value, list):
        return [*value[:1], *map(form_of, value[1:])]
    if isinstance(value, str):
        return value
    if (index := index_of(value)) is not None:
        return index
    raise TypeError(f"{value!r} is not an expression (a {type(value).__qualname__}). Give an int, a name or a kmux.Expr.")


def apply(operator: str, *operands: Any) -> Expr:
    """The expression of an operator as docs/dispatch-ir.md spells it."""
    return Expr([operator, *map(form_of, operands)])


def ceildiv(a: Extent, b: Extent) -> Expr:
    """a / b, rounded up."""
    return apply("ceildiv", a, b)


def minimum(a: Extent, b: Extent) -> Expr:
    """The smaller one."""
    return apply("min", a, b)


def maximum(a: Extent, b: Extent) -> Expr:
    """The larger one."""
    return apply("max", a, b)


def select(condition: Extent, a: Extent, b: Extent) -> Expr:
    """a if the condition is not 0, else b."""
    return apply("select", condition, a, b)


min = minimum
max = maximum

_OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "floordiv": "floordiv",
    "mod": "floormod",
    "lshift": "<<",
    "rshift": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _forward(operator: str) -> Callable[[Any, Any], Expr]:
    return lambda self, other: apply(operator, self, other)


def _backward(operator: str) -> Callable[[Any, Any], Expr]:
    return lambda self, other: apply(operator, other, self)


for _name, _operator in {**_OPERATORS, **_COMPARISONS}.items():
    setattr(Expr, f"__{_name}__", _forward(_operator))
for _name, _operator in _OPERATORS.items():
    setattr(Expr, f"__r{_name}__", _backward(_operator))
