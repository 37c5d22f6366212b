"""NumPy in, NumPy out: what a kernel allocates for a caller who passed NumPy's arrays."""

from __future__ import annotations

import sys
from typing import Any

import tvm_ffi

_CPU = 1  # DLPack's number


class _Memory:
    """The memory of a tensor, as NumPy asks for it. The array keeps this, and this the tensor."""

    __slots__ = ("__array_interface__", "_tensor")

    def __init__(self, tensor: tvm_ffi.Tensor, typestr: str, itemsize: int) -> None:
        self._tensor = tensor
        self.__array_interface__ = {
            "version": 3,
            "shape": tuple(tensor.shape),
            "typestr": typestr,
            "strides": tuple(stride * itemsize for stride in tensor.strides),
            "data": (tensor.data_ptr(), False),
        }


def _array_of(tensor: Any, numpy: Any) -> Any:
    """An array over the tensor's memory that may be written; the tensor itself where NumPy has no such dtype."""
    if not isinstance(tensor, tvm_ffi.Tensor) or tensor.device.dlpack_device_type() != _CPU:
        return tensor
    try:
        dtype = numpy.dtype(str(tensor.dtype))
    except TypeError:
        return tensor
    return numpy.asarray(_Memory(tensor, dtype.str, dtype.itemsize))


def like(made: Any, arguments: tuple[Any, ...]) -> Any:
    """What a kernel returned, as the arrays that it was called with: NumPy's for NumPy's."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not any(isinstance(argument, numpy.ndarray) for argument in arguments):
        return made
    if isinstance(made, tvm_ffi.Array):
        return [_array_of(tensor, numpy) for tensor in made]
    return _array_of(made, numpy)
