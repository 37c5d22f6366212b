"""How threads that are in the library leave it while Python ends.

TVM-FFI asks for the lock of the interpreter on the way back from a function. Python ends a thread that does so once it is being
finalized, by an exception that ends the process there ("terminate called without an active exception").
"""

from __future__ import annotations

import atexit
import ctypes
import threading
import time

from ._library import functions

_SETTLE = 0.02  # seconds in which threads that have left the library get the lock, as long as they wait for each other


def _address(*names: str) -> int:
    """Of the first function of Python's C API that this Python has."""
    function = next(filter(None, (getattr(ctypes.pythonapi, name, None) for name in names)))
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _end() -> None:
    functions.python_ends(_address("Py_IsFinalizing", "_Py_IsFinalizing"), _address("PyGILState_GetThisThreadState"))
    if threading.active_count() > 1:
        time.sleep(_SETTLE)


atexit.register(_end)  # the first of kmux's: it runs last
