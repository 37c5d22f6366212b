"""NumPy in, NumPy out: what a kernel allocates for a caller who passed NumPy's arrays."""

from __future__ import annotations

from typing import Any

import tvm_ffi

from . import _ml_dtypes, _optional
from ._library import functions

_REFUSALS = (BufferError, RuntimeError, TypeError, ValueError)  # of NumPy, for a dtype or device that it does not have


class _Memory:
    """The memory of a tensor, which may be written. The array that is made of this keeps it, and this the tensor."""

    __slots__ = ("__array_interface__", "_tensor")

    def __init__(self, tensor: tvm_ffi.Tensor, address: int, strides: tuple[int, ...], typestr: str) -> None:
        self._tensor = tensor
        self.__array_interface__ = {
            "version": 3,
            "shape": tuple(tensor.shape),
            "strides": strides,
            "typestr": typestr,
            "data": (address, False),
        }


def _of_ml_dtypes(tensor: tvm_ffi.Tensor, numpy: Any) -> Any:
    """An array of ml_dtypes over the tensor's memory; the tensor itself where there is no such dtype."""
    if (scalar := _ml_dtypes.scalar_of(str(tensor.dtype))) is None or tensor.device.type != "cpu":
        return tensor
    size = numpy.dtype(scalar).itemsize
    strides = tuple(step * size for step in tensor.strides)
    return numpy.asarray(_Memory(tensor, functions.address_of(tensor), strides, f"<u{size}")).view(scalar)


def _array_of(tensor: Any, numpy: Any) -> Any:
    """An array over the tensor's memory; the tensor itself where NumPy cannot have it."""
    if not isinstance(tensor, tvm_ffi.Tensor):
        return tensor
    try:
        array = numpy.from_dlpack(tensor)
    except _REFUSALS:
        return _of_ml_dtypes(tensor, numpy)
    # Before 2.1 it asks for a form of DLPack that does not say whether the memory may be written.
    if array.flags.writeable:
        return array
    address = array.__array_interface__["data"][0]  # TVM-FFI before 0.1.13 does not say it
    return numpy.asarray(_Memory(tensor, address, array.strides, array.dtype.str))


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
