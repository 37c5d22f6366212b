"""Functions of TVM-FFI that read NumPy's arrays themselves, where the library for that can be loaded."""

from __future__ import annotations

import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from typing import TYPE_CHECKING, Any

import tvm_ffi

from ._library import functions


class _PlainFunction(tvm_ffi.Function):
    """It calls as TVM-FFI does."""

    __call__ = tvm_ffi.Function.__call__

    def _direct(self, address: int) -> None:
        """Nothing: there is no other way."""


def _direct_function() -> Any:
    """The type of kmux_python.abi3.so; that of TVM-FFI under a Python for which its stable ABI is not meant."""
    path = functions.folder / "kmux_python.abi3.so"
    if sys.implementation.name != "cpython" or "t" in sys.abiflags or not path.is_file():
        return _PlainFunction
    loader = ExtensionFileLoader("kmux_python", str(path))
    try:
        module: Any = loader.create_module(ModuleSpec("kmux_python", loader, origin=str(path)))
        loader.exec_module(module)
        numpy = sys.modules.get("numpy")  # which TVM-FFI has imported if there is one
        return module.make_type(tvm_ffi.Function, functions.raise_last, numpy and numpy.ndarray)
    except (ImportError, SystemError):  # a Python older than that ABI
        return _PlainFunction


if TYPE_CHECKING:
    DirectFunction = _PlainFunction
else:
    DirectFunction = _direct_function()
