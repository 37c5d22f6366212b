"""Loads libkmux_tvm_ffi.so, which registers the runtime with TVM-FFI, and finds its functions."""

from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any

import tvm_ffi

_VARIABLE = "KMUX_TVM_FFI_LIBRARY"
_NAME = "libkmux_tvm_ffi.so"
_PACKAGE = pathlib.Path(__file__).resolve().parent
_IN_WHEEL = _PACKAGE / "_native" / "lib" / _NAME
_OF_DEBIAN = _PACKAGE.parents[2] / _NAME  # /usr/lib, from /usr/lib/python3/dist-packages/kmux


def _load() -> ctypes.CDLL:
    """Never closed: what it has registered lives as long as the process."""
    path = pathlib.Path(os.environ.get(_VARIABLE) or (_OF_DEBIAN if _OF_DEBIAN.exists() else _IN_WHEEL))
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(
            f"the library of kmux cannot be loaded ({error}). Install the wheel, or name libkmux_tvm_ffi.so of a build "
            f"in {_VARIABLE}."
        ) from None


class _Functions:
    """The global functions `kmux.*`, by the rest of their name; each is looked up once.

    They are guarded: a thread that is in one while Python ends does not return (see _process_end.py).
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.folder = pathlib.Path(library._name).parent
        self._guarded: Any = tvm_ffi.get_global_func("kmux.guarded")

    def __getattr__(self, name: str) -> Any:
        function = self._guarded(tvm_ffi.get_global_func(f"kmux.{name}"))
        function.release_gil = True  # whatever TVM-FFI's default is here: some of them take seconds
        setattr(self, name, function)
        return function


functions = _Functions(_load())
