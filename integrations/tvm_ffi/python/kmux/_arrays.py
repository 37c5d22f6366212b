"""NumPy in, NumPy out: what a kernel allocates for a caller who passed NumPy's arrays."""

from __future__ import annotations

from typing import Any

import tvm_ffi

from . import _optional

_REFUSALS = (BufferError, RuntimeError, TypeError, ValueError)  # of NumPy, for a dtype or device that it does not have


class _Memory:
    """The memory of a tensor, which may be written. The array that is made of this keeps it, and this the tensor."""

    __slots__ = ("__array_interface__", "_tensor")

    def __init__(self, tensor: tvm_ffi.Tensor, read_only: Any) -> None:
        self._tensor = tensor
        self.__array_interface__ = {
            "version": 3,
            "shape": read_only.shape,
            "strides": read_only.strides,
            "typestr": read_only.dtype.str,
            "data": (read_only.__array_interface__["data"][0], False),  # TVM-FFI before 0.1.13 does not say it
        }


def _array_of(tensor: Any, numpy: Any) -> Any:
    """An array over the tensor's memory; the tensor itself where NumPy cannot have it."""
    if not isinstance(tensor, tvm_ffi.Tensor):
        return tensor
    try:
        array = numpy.from_dlpack(tensor)
    except _REFUSALS:
        return tensor
    # Before 2.1 it asks for a form of DLPack that does not say whether the memory may be written.
    return array if array.flags.writeable else numpy.asarray(_Memory(tensor, array))


def like(made: Any, arguments: tuple[Any, ...]) -> Any:
    """What a kernel returned, as the arrays that it was called with: NumPy's for NumPy's."""
    if (numpy := _optional.numpy) is None:
        return made
    for argument in arguments:
        if isinstance(argument, numpy.ndarray):
            break
    else:
        return made
    if isinstance(made, tvm_ffi.Array):
        return [_array_of(tensor, numpy) for tensor in made]
    return _array_of(made, numpy)
