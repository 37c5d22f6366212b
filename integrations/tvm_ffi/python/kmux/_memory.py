"""The order in which memory of a device is freed (docs/memory.md)."""

from __future__ import annotations

from typing import Any

import tvm_ffi

from . import _check
from ._given import taken
from ._library import functions


def _handle(stream: Any) -> Any:
    for attribute in ("cuda_stream", "ptr", "handle"):  # torch's, cupy's, cuda.core's
        stream = getattr(stream, attribute, stream)
    return stream


def _tensor(array: Any) -> Any:
    given = taken("tensor", array)
    return given if isinstance(given, tvm_ffi.Tensor) else tvm_ffi.from_dlpack(given)


def used_on(tensor: Any, stream: Any) -> None:
    """Says that what is on `stream` by now uses `tensor`, which a kernel returned: its memory is freed behind that.

    Launches of kmux say so themselves; this is for what other libraries launch, as torch's `record_stream`. Memory of the host is in no
    order unless it is pinned: nothing is done.

    Args:
        tensor: a tensor that a kernel of kmux allocated, or an array that shares its memory.
        stream: the handle of a stream, or a stream of torch or cupy.

    Raises:
        kmux.UnsupportedError: the memory is that of a device, and kmux did not allocate it.
    """
    functions.used_on(_tensor(_check.array("tensor", tensor)), _check.integer("stream", _handle(stream)))
