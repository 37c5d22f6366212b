"""kmux runs compute kernels and picks the backend at run time.

>>> import kmux, numpy as np
>>> scale = kmux.compile("scale.kmux.json", target="cpu")
>>> y = scale(np.ones(4, "float32"), 2.0)

A program (`load_program`, `program`) becomes a `Kernel` (`compile`, `par_compile`, `jit`), which takes torch, numpy and
cupy arrays as they are. See docs/python.md.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from . import _optional  # first: it imports TVM-FFI  # noqa: F401, I001
from . import _process_end, expr  # noqa: F401
from ._compile import compile, par_compile, resolve
from ._devices import Device, devices
from ._errors import (
    CancelledError,
    CompileError,
    CompileTimeoutError,
    CompileWarning,
    Error,
    InternalError,
    LaunchError,
    OutOfMemoryError,
    UnavailableError,
    UnsupportedError,
)
from ._export import ExportedLibrary, export_library
from ._jit import jit
from ._jit_builder import JitBuffer, JitBuilder, JitConstant
from ._jit_eager import JitEager
from ._jit_lazy import JitFunction
from ._kernel import Kernel, Tuning
from ._library import functions as _functions
from ._memory import used_on
from ._options import CompileOptions, ResolveOptions
from ._plugins import Plugin, plugins
from ._program import Program, cache_program, cached_program, load_program, program
from ._progress import CompileEvent
from ._resolution import Resolution
from ._source_kernel import SourceKernel, kernel
from .expr import Expr

__version__: str = _functions.version()

if TYPE_CHECKING:
    from . import torch as torch


def __getattr__(name: str) -> ModuleType:
    """`kmux.torch` imports torch, so it is imported when it is needed."""
    if name == "torch":
        return import_module("kmux.torch")
    raise AttributeError(f"module 'kmux' has no attribute {name!r}")


__all__ = [
    "CancelledError",
    "CompileError",
    "CompileEvent",
    "CompileTimeoutError",
    "CompileWarning",
    "CompileOptions",
    "Device",
    "Error",
    "ExportedLibrary",
    "Expr",
    "InternalError",
    "JitBuffer",
    "JitBuilder",
    "JitConstant",
    "JitEager",
    "JitFunction",
    "Kernel",
    "LaunchError",
    "OutOfMemoryError",
    "Plugin",
    "Program",
    "Resolution",
    "ResolveOptions",
    "SourceKernel",
    "Tuning",
    "UnavailableError",
    "UnsupportedError",
    "compile",
    "devices",
    "export_library",
    "expr",
    "jit",
    "kernel",
    "cache_program",
    "cached_program",
    "load_program",
    "par_compile",
    "plugins",
    "program",
    "resolve",
    "used_on",
]
