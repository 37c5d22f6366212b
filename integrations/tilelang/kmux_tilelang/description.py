"""What the author of a kernel says about it and no lowering can find out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

_ATTRIBUTE = "kmux_description"
_Decorated = TypeVar("_Decorated")


@dataclass(frozen=True)
class Description:
    """Words, example values and costs of a kernel.

    `outputs` names the parameters that a call allocates and returns, in that order. `symbols` and `scalars` are example
    values. `flops` and `bytes` are expressions over symbols, integer scalars and the integer arguments of the decorated
    function: "2 * m * N * K".
    """

    description: str = ""
    reference: str = ""
    outputs: list[str] = field(default_factory=list)
    symbols: dict[str, int] = field(default_factory=dict)
    scalars: dict[str, float] = field(default_factory=dict)
    flops: str = ""
    bytes: str = ""


def describe(**fields: Any) -> Callable[[_Decorated], _Decorated]:
    """Decorates a function that returns a prim_func with a `Description` of these fields.

    Errors: TypeError for a field that `Description` does not have.
    """
    description = Description(**fields)

    def decorate(function: _Decorated) -> _Decorated:
        setattr(function, _ATTRIBUTE, description)
        return function

    return decorate


def description_of(value: Any) -> Description:
    """The description that `value` was decorated with, or an empty one."""
    return getattr(value, _ATTRIBUTE, Description())
