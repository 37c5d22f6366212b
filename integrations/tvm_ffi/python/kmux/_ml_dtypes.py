"""Arrays and numbers of package ml_dtypes (bfloat16, float8_e4m3fn and the like), which NumPy's DLPack refuses."""

from __future__ import annotations

from typing import Any, Callable

from . import _optional
from ._library import functions
from ._owner import Owner

FIRST = 256  # NPY_USERDEF: dtypes that packages add are numbered from there on
PACKED = frozenset(
    ("int1", "int2", "int4", "uint1", "uint2", "uint4", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn")
)  # these have a byte for each element there, and lie side by side in a kernel
_KNOWN = frozenset(
    ("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2")
    + ("float8_e5m2fnuz", "float8_e8m0fnu")
)
_CPU = 1  # DLPack's type of device

_tell_types: list[Callable[[int, int, int], object]] = []
_told: set[int] = set()


def when_seen(tell: Callable[[int, int, int], object]) -> None:
    """Calls `tell` with number, DLPack's code and bits of each dtype when its first array is seen."""
    _tell_types.append(tell)


def is_number(kind: type) -> bool:
    """Returns true for a type of ml_dtypes' real numbers. NumPy does not count them among its own."""
    return kind.__module__.partition(".")[0] == "ml_dtypes" and "complex" not in kind.__name__


def name_of(dtype: Any) -> str | None:
    """The name of a dtype of ml_dtypes that kernels have, too; None for another one."""
    if dtype.type.__module__.partition(".")[0] != "ml_dtypes":
        return None
    name: str = dtype.type.__name__
    return name if name in _KNOWN or name in PACKED else None


def tensor_of(array: Any, name: str) -> Any:
    """A tensor over the memory of an array of that dtype, which it keeps. The strides are whole elements."""
    size = array.dtype.itemsize
    _tell(array.dtype.num, name)
    strides = [step // size for step in array.strides]
    return functions.foreign_tensor(array.ctypes.data, array.shape, strides, name, _CPU, 0, Owner(array))


def per_byte(name: str) -> int | None:
    """Returns how many elements of a packed dtype lie in a byte of a kernel's; None if they cross bytes."""
    return {"1": 8, "2": 4, "4": 2}.get(name.partition("int")[2] or name[5:6])


def packed_tensor_of(array: Any, name: str, count: int) -> Any:
    """A tensor with a copy of an array of that packed dtype, `count` elements in a byte, the first in the lowest bits."""
    numpy: Any = _optional.numpy
    bits = 8 // count
    values = numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8) & ((1 << bits) - 1)
    values = numpy.pad(values, (0, -values.size % count)).reshape(-1, count)
    packed = numpy.bitwise_or.reduce(values << numpy.arange(0, 8, bits, dtype=numpy.uint8), axis=1)
    strides = [numpy.prod(array.shape[dim + 1 :], dtype=int).item() for dim in range(array.ndim)]
    return functions.foreign_tensor(packed.ctypes.data, array.shape, strides, name, _CPU, 0, Owner(packed))


def _tell(number: int, name: str) -> None:
    if number in _told:
        return
    _told.add(number)
    for tell in _tell_types:
        tell(number, *functions.dtype_fields(name))


def scalar_of(name: str) -> Any:
    """The type of ml_dtypes of that name; None where the package is missing, or has no such one of whole bytes."""
    if name not in _KNOWN:
        return None
    try:
        import ml_dtypes
    except ImportError:
        return None
    return getattr(ml_dtypes, name, None)
