"""Memory that the host sets up for launches: workspaces, and windows of the L2 cache."""

from collections.abc import Callable, Mapping
from typing import Any

from .error import UnsupportedError
from .expression import Expr, product

_HIT_RATIO = 0.8  # the dispatch IR's default


def workspace(name: str, buffer: Any, expression: Callable[[Any], Expr]) -> dict[str, Any]:
    """The workspace `name` that holds a TIR buffer.

    Errors: UnsupportedError for memory that is not the device's.
    """
    scope = buffer.scope()
    if scope != "global":
        raise UnsupportedError(f"buffer '{name}' of the host is in scope '{scope}'. Use T.alloc_global.")
    bits = buffer.dtype.bits * buffer.dtype.lanes
    extents = [expression(extent) for extent in buffer.shape]
    whole = bits % 8 == 0
    return {
        "name": name,
        "bytes": product([*extents, bits // 8]) if whole else ["ceildiv", product([*extents, bits]), 8],
    }


def l2_window(buffer: str, values: list[Any], expression: Callable[[Any], Expr]) -> dict[str, Any]:
    """The window over `buffer`; `values` are its size in bytes and, if given, the hit ratio, a float32."""
    window: dict[str, Any] = {"buffer": buffer, "bytes": expression(values[0])}
    ratio = float(f"{float(values[1].value):.7g}") if len(values) > 1 else _HIT_RATIO
    return window if ratio == _HIT_RATIO else {**window, "hit_ratio": ratio}


def address_of(arguments: Mapping[str, dict[str, str]], value: Any, user: str) -> str:
    """The buffer or pointer parameter that the host expression `value` is.

    Errors: UnsupportedError that names `user`, if it is something else.
    """
    known = arguments.get(getattr(value, "name", ""), {})
    if "tensor" not in known:
        raise UnsupportedError(
            f"{user} lies over '{value}', which is not a parameter. Let it begin where a parameter does."
        )
    return known["tensor"]
