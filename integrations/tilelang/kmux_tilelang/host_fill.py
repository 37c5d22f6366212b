"""Fills that the host does. TileLang would lower `T.fill` outside of `T.Kernel` to stores by the host, which cannot write
device memory; they become calls by name, which lowering leaves alone and the body has a step for."""

import re
import struct
from typing import Any

from .error import UnsupportedError
from .expression import callee_of, kind_of

FUNCTION = "kmux_fill"  # (address, number of bytes, value of each)
_THREAD_BINDING = 4  # the kind of loop that T.Kernel makes
_FORMATS = {"float16": "<e", "float32": "<f", "float64": "<d"}


def with_fills_by_name(function: Any, tvm: Any) -> Any:
    """`function`, in which each fill of the host is a call of `FUNCTION`.

    Errors: UnsupportedError for a fill of a part of a buffer, or with a value whose bytes differ.
    """
    tirx, problems = tvm.tirx, []

    def replaced(statement: Any) -> Any:
        if kind_of(statement) == "For":
            return statement if int(statement.kind) == _THREAD_BINDING else None  # fills in a kernel are the kernel's
        if kind_of(statement.value) != "Call" or callee_of(statement.value) != "fill":
            return None
        try:
            buffer, byte = _fill_of(statement.value)
        except UnsupportedError as error:
            problems.append(error)  # TVM would make another type of it
            return None
        count = tirx.const(buffer.dtype.bits * buffer.dtype.lanes // 8, "int64")
        for extent in buffer.shape:
            count = count * extent.astype("int64")
        return tirx.Evaluate(tirx.call_packed(FUNCTION, buffer.data, count, byte))

    body = tirx.stmt_functor.ir_transform(function.body, replaced, None, ["tirx.Evaluate", "tirx.For"])
    if problems:
        raise problems[0]
    return function.with_body(body)


def fill_step(memory: dict[str, Any], count: Any, byte: Any) -> dict[str, Any]:
    """The step that sets `count` bytes of `memory` to `byte`."""
    step = {"target": memory, "bytes": count}
    return {"fill": {**step, "value": byte} if byte else step}


def repeated_byte(value: float | None, dtype: str) -> int | None:
    """The byte that a number of type `dtype` consists of; None if its bytes differ, or if there is no number."""
    if value is None:
        return None
    if dtype in _FORMATS:
        data = struct.pack(_FORMATS[dtype], value)
    elif match := re.fullmatch(r"u?int(8|16|32|64)", dtype):
        data = int(value).to_bytes(int(match[1]) // 8, "little", signed=value < 0)
    else:
        return 0 if value == 0 else None
    return data[0] if len(set(data)) == 1 else None


def _fill_of(call: Any) -> tuple[Any, int]:
    """The buffer that a fill sets, and the byte."""
    region, value = call.args[0], call.args[1]
    load, extents = region.args[0], list(region.args[2:])
    buffer = load.buffer
    whole = all(int(getattr(index, "value", 1)) == 0 for index in load.indices)
    if not whole or [str(extent) for extent in extents] != [str(extent) for extent in buffer.shape]:
        raise UnsupportedError(f"the host fills a part of '{buffer.name}'. Fill all of it, or within T.Kernel.")
    byte = repeated_byte(getattr(value, "value", None), str(buffer.dtype))
    if byte is None:
        raise UnsupportedError(
            f"the host fills '{buffer.name}' with {value}, whose bytes differ. Fill it within T.Kernel."
        )
    return buffer, byte
