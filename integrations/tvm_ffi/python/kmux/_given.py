"""What a call is given, as TVM-FFI takes it: memory that must not be written is told from memory that may be.

TVM-FFI asks an array for the first form of DLPack, which cannot say that. Here it is asked for the versioned form, and
one that is read-only is taken where the kernel only reads it.
"""

from __future__ import annotations

import ctypes
import numbers
import operator
import sys
from array import array as PythonArray
from collections.abc import Sequence
from typing import Any, Callable

import tvm_ffi

from . import _complex, _interfaces, _ml_dtypes, _optional, _torch_views
from ._refused import Refused, argument_error, parameters_of

_READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY
_NAME = b"dltensor_versioned"
_is_valid, _pointer = ctypes.pythonapi.PyCapsule_IsValid, ctypes.pythonapi.PyCapsule_GetPointer
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)

_BUFFERS = (memoryview, bytearray, PythonArray, ctypes.Array)  # memory that says nothing of itself by DLPack
_USUAL = frozenset("?bBhHiIlLqQefdFD")  # NumPy's letters of the dtypes that DLPack has; packages take them for others again

_plain: set[type] = {int, float, bool, str, type(None), tvm_ffi.Tensor}  # types of which no value can be read-only
_tell_plain: list[Callable[..., object]] = []


def when_plain(tell: Callable[..., object]) -> None:
    """Calls `tell` with the types of values that need not be looked at, now and as they are found.

    Behind torch's types is the place of the bits that views have whose memory does not hold their values.
    """
    _tell_plain.append(tell)
    for kind in _plain:
        tell(kind)


_readers: dict[type, Callable[[Any], tuple[Any, bool]]] = {}  # of the other types that were seen


def _reader_of(value: Any) -> Callable[[Any], tuple[Any, bool]] | None:
    """What reads values of the type of this one; None if TVM-FFI does, and none can be read-only."""
    kind = type(value)
    numpy = _optional.numpy
    if numpy is not None and issubclass(kind, (numpy.ndarray, numpy.bool_)):
        return _of_numpy if issubclass(kind, numpy.ndarray) else _of_bool
    if issubclass(kind, _BUFFERS):
        return _of_buffer
    if _complex.is_complex(kind):
        return _of_complex
    if _is_index(kind):
        return _of_index
    if _is_real(kind):
        return _of_real
    torch = sys.modules.get("torch")
    of_torch = torch is not None and issubclass(kind, getattr(torch, "Tensor", ()))  # older ones lack the interface
    if of_torch and hasattr(kind, "is_conj") and hasattr(kind, "is_neg"):
        if (place := _torch_views.place_of(torch)) is not None:
            _tell(kind, *place)
        return _of_torch
    # One with the C interface of DLPack says to TVM-FFI what it has to say about itself.
    known = of_torch or issubclass(kind, tvm_ffi.Tensor) or hasattr(kind, "__dlpack_c_exchange_api__")
    if known:
        return None
    return _of_exporter if hasattr(kind, "__dlpack__") else _interfaces.reader_of(value)


def _tell(kind: type, *place: int) -> None:
    for tell in _tell_plain:
        tell(kind, *place)


def _add_plain(kind: type) -> None:
    _plain.add(kind)
    _tell(kind)


def _is_index(kind: type) -> bool:
    """Is it an integer by Python's protocol alone? TVM-FFI takes those that are numbers by their class."""
    known = issubclass(kind, (numbers.Number, tvm_ffi.Object)) or hasattr(kind, "__dlpack__")
    return hasattr(kind, "__index__") and not known


def _is_real(kind: type) -> bool:
    """Is it a number by Python's protocol alone, as ml_dtypes' and `decimal.Decimal` are? NumPy's dates have the protocol, too."""
    if _optional.numpy is not None and issubclass(kind, _optional.numpy.generic):
        return _ml_dtypes.is_number(kind)
    known = issubclass(kind, (numbers.Real, tvm_ffi.Object)) or hasattr(kind, "__dlpack__") or hasattr(kind, "__len__")
    return hasattr(kind, "__float__") and not known


class _Memory:
    """The memory of an array as if it might be written, which a kernel that only reads it does not do."""

    __slots__ = ("__array_interface__", "_array")

    def __init__(self, array: Any) -> None:
        self._array = array
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def _is_immutable(array: Any) -> bool:
    """JAX's arrays may be shared by others, and do not say so."""
    jax = sys.modules.get("jax")
    return jax is not None and hasattr(jax, "Array") and isinstance(array, jax.Array)


def _flags_of(capsule: Any) -> int:
    """The flags of a DLManagedTensorVersioned; none for another form."""
    # Behind the version, its owner and its deleter.
    return ctypes.c_uint64.from_address(_pointer(capsule, _NAME) + 24).value if _is_valid(capsule, _NAME) else 0


def _of_numpy(array: Any) -> tuple[Any, bool]:
    numpy: Any = _optional.numpy
    if type(array) is not numpy.ndarray and isinstance(array, numpy.ma.MaskedArray) and numpy.ma.is_masked(array):
        raise Refused("is a masked array (a kernel does not see its mask). Pass x.filled(VALUE), or x.data for all elements.")
    is_read_only = not array.flags.writeable
    if array.dtype.num >= _ml_dtypes.FIRST and (name := _ml_dtypes.name_of(array.dtype)) is not None:
        return _of_ml_dtypes(array, name), is_read_only or name in _ml_dtypes.PACKED
    given = numpy.asarray(_Memory(array)) if is_read_only and not array.dtype.hasobject else array
    try:
        if not _is_usual(array):
            given.__dlpack__()
    except BufferError as error:
        raise Refused(f"is a NumPy array of dtype {array.dtype.str!r} ({str(error).rstrip('.')}). {_advice(array)}") from None
    return given, is_read_only


def _of_ml_dtypes(array: Any, name: str) -> Any:
    if name in _ml_dtypes.PACKED:
        if (count := _ml_dtypes.per_byte(name)) is None:
            raise Refused(f"is a NumPy array of dtype {name!r}, with a byte for each element (a kernel's lie side by side). Pass another array.")
        return _ml_dtypes.packed_tensor_of(array, name, count)
    if any(step % array.dtype.itemsize for step in array.strides):
        raise Refused(f"is a NumPy array of dtype {name!r} (its strides are not whole elements). Pass a copy.")
    return _ml_dtypes.tensor_of(array, name)


def _is_usual(array: Any) -> bool:
    """Returns true if NumPy exports the array for sure."""
    dtype = array.dtype
    if dtype.char not in _USUAL or dtype.num >= _ml_dtypes.FIRST or not dtype.isnative:
        return False
    return array.flags.c_contiguous or not any(step % dtype.itemsize for step in array.strides)


def _advice(array: Any) -> str:
    return "Pass another array." if array.dtype.isnative else f"Pass x.astype({array.dtype.newbyteorder('=').name!r})."


def _of_torch(tensor: Any) -> tuple[Any, bool]:
    """Refuses views whose memory has other values: neither DLPack nor TVM-FFI can say that they are conjugated or negated."""
    if tensor.is_conj():
        raise Refused("is a torch.Tensor that is conjugated lazily (its memory has the values before that). Pass x.resolve_conj().")
    if tensor.is_neg():
        raise Refused("is a torch.Tensor that is negated lazily (its memory has the values before that). Pass x.resolve_neg().")
    return tensor, False


def _of_bool(value: Any) -> tuple[Any, bool]:
    return bool(value), False


def _of_index(value: Any) -> tuple[Any, bool]:
    try:
        return operator.index(value), False
    except TypeError:  # as of arrays that have several elements
        return value, False


def _of_real(value: Any) -> tuple[Any, bool]:
    is_integer = "int" in type(value).__name__ and _ml_dtypes.is_number(type(value))  # int4 and the like have no __index__
    try:
        return int(value) if is_integer else float(value), False
    except (TypeError, ValueError, OverflowError):
        return value, False


def _of_buffer(value: Any) -> tuple[Any, bool]:
    raise Refused(f"is a {type(value).__name__} (a kernel takes arrays with __dlpack__). Pass numpy.asarray(x).")


def _of_complex(value: Any) -> tuple[Any, bool]:
    raise Refused("is a complex number (this parameter is a real one). Declare a scalar of dtype complex64 or complex128, or pass an array.")


def _of_exporter(value: Any) -> tuple[Any, bool]:
    immutable = _is_immutable(value)
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except (TypeError, BufferError):  # it knows no versions, or TVM-FFI is told why
        return value, immutable
    read_only = immutable or bool(_flags_of(capsule) & _READ_ONLY)
    # One that tells TVM-FFI its stream is left to it.
    return value if hasattr(value, "__tvm_ffi_env_stream__") else tvm_ffi.from_dlpack(capsule), read_only


def told(value: Any) -> tuple[Any, bool]:
    """What TVM-FFI is given for `value`; must it not be written?

    Raises:
        Refused: an array that cannot be passed.
    """
    kind = type(value)
    if kind in _plain:
        return value, False
    if (reader := _readers.get(kind) or _reader_of(value)) is None:
        _add_plain(kind)
        return value, False
    _readers[kind] = reader
    return reader(value)


def is_array(value: Any) -> bool:
    """Returns true if the value describes memory by a protocol that a kernel takes."""
    return hasattr(value, "__dlpack__") or _interfaces.has_one(value)


def _name_of(value: Any) -> str:
    if _optional.numpy is not None and isinstance(value, _optional.numpy.ndarray):
        return "NumPy array"
    return "jax.Array" if _is_immutable(value) else f"{type(value).__module__}.{type(value).__qualname__}"


def _told_of(kernel: Any, arguments: Sequence[Any], place: int) -> tuple[Any, bool]:
    try:
        return told(arguments[place])
    except Refused as error:
        raise argument_error(kernel, len(arguments), place, TypeError, error.problem) from None


def taken_for(kernel: Any, arguments: Sequence[Any]) -> list[Any]:
    """Returns the arguments of a call as TVM-FFI takes them, also those that must not be written.

    Raises:
        TypeError: an array that cannot be passed, by the name of its parameter.
    """
    arguments = _complex.in_parts(kernel, arguments)
    return [_told_of(kernel, arguments, place)[0] for place in range(len(arguments))]


def taken(name: str, value: Any) -> Any:
    """Returns argument `name` of a function as TVM-FFI takes it.

    Raises:
        TypeError: an array that cannot be passed.
    """
    try:
        return told(value)[0]
    except Refused as error:
        raise TypeError(f"{name} {error.problem}") from None


def _unwritable(value: Any) -> str:
    """Returns why a kernel cannot write `value`, behind the name of its parameter."""
    numpy = _optional.numpy
    name = _ml_dtypes.name_of(value.dtype) if numpy is not None and isinstance(value, numpy.ndarray) else None
    if name in _ml_dtypes.PACKED:
        advice = f"Pass a uint8 array with {_ml_dtypes.per_byte(name)} elements in a byte"
        return f"is a NumPy array of dtype {name!r}, with a byte for each element (the kernel writes them side by side). {advice}."
    return f"is a read-only {_name_of(value)} (the kernel writes it). Pass a copy."


def arguments_of(kernel: Any, arguments: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a call as TVM-FFI takes them.

    Raises:
        TypeError: an array that cannot be passed.
        ValueError: one must not be written, and the kernel writes it.
    """
    if all(type(each) in _plain for each in arguments):
        return arguments
    arguments = _complex.in_parts(kernel, arguments)
    given = [_told_of(kernel, arguments, place) for place in range(len(arguments))]
    if not any(read_only for _, read_only in given):
        return [value for value, _ in given]
    outputs = kernel.signature.get("outputs", ())
    for place, (parameter, (_, read_only)) in enumerate(zip(parameters_of(kernel, len(arguments)), given)):
        written = parameter["name"] in outputs or parameter.get("buffer", {}).get("inout")
        if written and read_only:
            problem = _unwritable(arguments[place])
            raise argument_error(kernel, len(arguments), place, ValueError, problem)
    return [value for value, _ in given]


def if_writable(arguments: Sequence[Any]) -> Sequence[Any] | None:
    """The arguments as TVM-FFI takes them, if all may be written."""
    given = [told(each) for each in arguments]
    return None if any(read_only for _, read_only in given) else [value for value, _ in given]
