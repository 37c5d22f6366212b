"""Memory that the host sets up for launches: workspaces, and windows of the L2 cache."""

from collections.abc import Callable, Mapping
from typing import Any

from .error import UnsupportedError
from .expression import Expr, callee_of, kind_of, product

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


def place_of(value: Any, expression: Callable[[Any], Expr]) -> tuple[Any, Expr]:
    """What the address `value` of the host is counted from, and the bytes to it: 0 for what is no such sum."""
    name = callee_of(value) if kind_of(value) == "Call" else ""
    if name == "handle_add_byte_offset":
        base, before = place_of(value.args[0], expression)
        return base, _sum(before, expression(value.args[1]))
    if name == "address_of" and kind_of(value.args[0]) == "BufferLoad":
        load = value.args[0]
        element = load.buffer.dtype.bits * load.buffer.dtype.lanes
        if element % 8 == 0 and not list(load.buffer.strides):
            return load.buffer.data, _bytes_of(load, element // 8, expression)
    return value, 0


def _bytes_of(load: Any, element: int, expression: Callable[[Any], Expr]) -> Expr:
    """From the beginning of a compact buffer to what `load` reads."""
    extents = [expression(extent) for extent in load.buffer.shape]
    total: Expr = 0
    for i, index in enumerate(load.indices):
        total = _sum(total, product([expression(index), *extents[i + 1 :], element]))
    return total


def _sum(a: Expr, b: Expr) -> Expr:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return a if b == 0 else b if a == 0 else ["+", a, b]


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
