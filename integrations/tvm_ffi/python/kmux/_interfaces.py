"""Arrays that describe their memory by `__cuda_array_interface__` (PyCUDA, RMM, older Numba) or `__array_interface__`, not by DLPack.

Sources: Numba, "CUDA Array Interface (Version 3)"; NumPy, "The array interface protocol" (version 3).
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from . import _optional
from ._library import functions
from ._numbers import index_of
from ._owner import Owner
from ._refused import Refused

_CUDA, _HOST = "__cuda_array_interface__", "__array_interface__"
_CPU_DEVICE, _CUDA_DEVICE = 1, 2  # DLPack's types
_KINDS = {"b": "bool", "i": "int{}", "u": "uint{}", "f": "float{}", "c": "complex{}"}  # by the letters of the protocol
_BYTES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}


def has_one(value: Any) -> bool:
    """Returns true if the value is an array with one of the protocols; NumPy's numbers have one, too."""
    numpy = _optional.numpy
    if isinstance(value, numbers.Number) or (numpy is not None and isinstance(value, numpy.generic)):
        return False
    return hasattr(value, _CUDA) or hasattr(value, _HOST)


def reader_of(value: Any) -> Callable[[Any], tuple[Any, bool]] | None:
    """What reads values of this type, if it `has_one`: it returns a tensor, and whether its memory must not be written."""
    if not has_one(value):
        return None
    return _of_cuda if hasattr(value, _CUDA) else _of_host


def device_of(value: Any) -> tuple[int, int] | None:
    """DLPack's type and number of the device that the memory is on; None if the value has none of the protocols.

    Raises:
        Refused: the CUDA driver does not know the memory.
    """
    if not has_one(value):
        return None
    return (_CUDA_DEVICE, _ordinal(getattr(value, _CUDA))) if hasattr(value, _CUDA) else (_CPU_DEVICE, 0)


def _of_cuda(value: Any) -> tuple[Any, bool]:
    if (interface := getattr(value, _CUDA, None)) is None:
        return value, False
    address, read_only = _memory(interface, _CUDA)
    ordinal = _ordinal(interface)
    tensor = _tensor(value, interface, _CUDA, address, (_CUDA_DEVICE, ordinal))
    _wait(interface.get("stream"), ordinal)
    return tensor, read_only


def _of_host(value: Any) -> tuple[Any, bool]:
    if (interface := getattr(value, _HOST, None)) is None:
        return value, False
    address, read_only = _memory(interface, _HOST)
    return _tensor(value, interface, _HOST, address, (_CPU_DEVICE, 0)), read_only


def _memory(interface: Mapping[str, Any], protocol: str) -> tuple[int, bool]:
    if not isinstance(interface, Mapping):
        raise Refused(f"has {interface!r} as its {protocol} (a dict is wanted). Pass an array that follows the protocol.")
    if interface.get("mask") is not None:
        raise Refused(f"has a mask in its {protocol} (a kernel does not see it). Pass an array without one.")
    data = interface.get("data")
    if not isinstance(data, tuple) or len(data) != 2:
        raise Refused(f"has no address in its {protocol} (its data are a buffer). Pass numpy.asarray(x).")
    if (address := index_of(data[0] or 0)) is None:
        raise _malformed("data", data, "an integer address is", protocol)
    return address, bool(data[1])


def _numbers(interface: Mapping[str, Any], key: str, protocol: str) -> tuple[int, ...]:
    given = interface.get(key)
    numbers = [index_of(each) for each in given] if isinstance(given, Iterable) else [None]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        raise _malformed(key, given, "a tuple of integers is", protocol)
    return tuple(known)


def _malformed(key: str, value: Any, wanted: str, protocol: str) -> Refused:
    return Refused(f"has {key} {value!r} in its {protocol} ({wanted} wanted). Pass an array that follows the protocol.")


def _ordinal(interface: Mapping[str, Any]) -> int:
    address = _memory(interface, _CUDA)[0]
    if address == 0 or 0 in _numbers(interface, "shape", _CUDA):
        return 0  # nothing is anywhere
    ordinal: int = functions.cuda_device_of(address)
    if ordinal < 0:
        raise Refused(f"has an address in its {_CUDA} that no CUDA driver in this process knows. Pass memory of a device.")
    return ordinal


def _wait(stream: Any, ordinal: int) -> None:
    """Has the call come behind what its producer put on `stream`; None says that there is nothing to wait for."""
    if stream == 0:
        raise Refused(f"has stream 0 in its {_CUDA}, which the protocol forbids (it may be either default stream). Give 1 or 2.")
    if stream is not None:
        if (number := index_of(stream)) is None:
            raise _malformed("stream", stream, "an integer or None is", _CUDA)
        functions.wait_for_stream(ordinal, number)


def _tensor(value: Any, interface: Mapping[str, Any], protocol: str, address: int, device: tuple[int, int]) -> Any:
    dtype, size = _dtype(interface.get("typestr"), protocol)
    shape = _numbers(interface, "shape", protocol)
    steps = None if interface.get("strides") is None else _numbers(interface, "strides", protocol)
    if steps is not None and len(steps) != len(shape):
        raise _malformed("strides", steps, f"{len(shape)} of them are", protocol)
    if steps is not None and any(step % size for step in steps) and math.prod(shape) != 0:
        raise Refused(f"has strides in its {protocol} that are not whole elements. Pass a copy.")
    strides = None if steps is None else [step // size for step in steps]
    return functions.foreign_tensor(address, shape, strides, dtype, *device, Owner(value))


def _dtype(typestr: Any, protocol: str) -> tuple[str, int]:
    """The name of the dtype, and the bytes of an element."""
    if not isinstance(typestr, str):
        raise _malformed("typestr", typestr, "a text is", protocol)
    order, kind, size = typestr[:1], typestr[1:2], typestr[2:]
    foreign = order == (">" if sys.byteorder == "little" else "<")
    if not size.isdecimal() or int(size) not in _BYTES.get(kind, ()) or (foreign and int(size) > 1):
        why = "its bytes are in foreign order" if foreign else "no dtype of a kernel"
        raise Refused(f"has typestr {typestr!r} in its {protocol} ({why}). Pass another array.")
    return _KINDS[kind].format(8 * int(size)), int(size)
