"""Finds a kernel by the name that the user gives and makes its prim_func."""

import contextlib
import importlib
import importlib.util
import inspect
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .description import Description, description_of
from .error import UnsupportedError, UsageError


@dataclass(frozen=True)
class Kernel:
    """A prim_func, what its author says about it, the arguments it was made with (defaults included), and how the author
    wants it lowered and compiled."""

    name: str
    function: Any
    description: Description
    arguments: Mapping[str, Any]
    out_idx: list[int]
    pass_configs: Mapping[str, Any]
    compile_flags: list[str]


def load_kernel(spec: str, arguments: Mapping[str, Any], context: Any = None) -> Kernel:
    """Imports `module:function` (or `path/to/file.py:function`) and makes its prim_func, within `context` if given.

    The function may be a prim_func, a function that returns one, or a `tilelang.jit` function in lazy style.
    Errors: UsageError for an unknown module, function or argument; UnsupportedError if no prim_func comes out.
    """
    module_name, separator, name = spec.rpartition(":")
    if not separator or not module_name or not name:
        raise UsageError(f"'{spec}' does not name a kernel. Write module:function or path/to/file.py:function.")
    module = _import(module_name)
    if not hasattr(module, name):
        raise UsageError(f"'{module_name}' has no '{name}'. It has: {', '.join(_kernels_of(module)) or 'no kernels'}.")
    maker = getattr(module, name)
    with context or contextlib.nullcontext():
        function, bound = _make(spec, maker, arguments)
    return Kernel(
        name=name,
        function=function,
        description=description_of(maker),
        arguments=bound,
        out_idx=_out_idx_of(maker, function),
        pass_configs={**_attribute(function, "pass_configs", {}), **(getattr(maker, "pass_configs", None) or {})},
        compile_flags=[
            *flags_of(_attribute(function, "compile_flags", [])),
            *flags_of(getattr(maker, "compile_flags", None)),
        ],
    )


def _import(name: str) -> ModuleType:
    try:
        return _import_file(Path(name)) if name.endswith(".py") else importlib.import_module(name)
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise UsageError(
            f"cannot import '{name}' ({error}). Give a module on PYTHONPATH or the path of a .py file."
        ) from error
    except Exception as error:  # whatever the module raises is the module's fault
        raise UsageError(f"importing '{name}' raised {_raised(error)}. Correct the module.") from error


def _import_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # TileLang reads the kernel's source through its module
    spec.loader.exec_module(module)
    return module


def _make(spec: str, maker: Any, arguments: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    if _is_prim_func(maker):
        if arguments:
            raise UsageError(f"'{spec}' is a prim_func and takes no arguments. Leave out --arg.")
        return maker, {}
    factory = getattr(maker, "get_tir", maker)
    if not callable(factory):
        raise UnsupportedError(f"'{spec}' is not a kernel (a {type(maker).__name__}). Name a prim_func or a function.")
    bound = _bind(spec, maker, arguments)
    try:
        function = factory(**bound)
    except Exception as error:  # the kernel's own code and TileLang's front end raise many types
        raise UnsupportedError(f"making '{spec}' raised {_raised(error)}. Correct the kernel.") from error
    if not _is_prim_func(function):
        raise UnsupportedError(
            f"'{spec}' gave a {type(function).__name__}, no prim_func. Return the function under @T.prim_func."
        )
    return function, bound


def _bind(spec: str, maker: Any, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    signature = getattr(maker, "signature", None) or inspect.signature(maker)
    try:
        bound = signature.bind(**arguments)
    except TypeError as error:
        raise UsageError(f"'{spec}{signature}' cannot be called ({error}). Set its arguments with --arg.") from error
    bound.apply_defaults()
    return bound.arguments


def _raised(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip() or '(no text)').splitlines()[0]}"


def _attribute(function: Any, name: str, default: Any) -> Any:
    attributes = getattr(function, "attrs", None) or {}
    return attributes.get(f"tilelang_{name}", default)


def flags_of(value: Any) -> list[str]:
    """One flag a word, whether the author gave a text or a list."""
    texts = [value] if isinstance(value, str) else list(value or [])
    return [flag for text in texts for flag in shlex.split(str(text))]


def _out_idx_of(maker: Any, function: Any) -> list[int]:
    own = _attribute(function, "out_idx", None)
    if own is not None:
        return [int(index) for index in own]
    out_idx = getattr(maker, "out_idx", None)
    return [out_idx] if isinstance(out_idx, int) else list(out_idx or [])


def _kernels_of(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and (_is_prim_func(value) or hasattr(value, "get_tir") or _is_own(module, value))
    ]


def _is_own(module: ModuleType, value: Any) -> bool:
    return inspect.isfunction(value) and value.__module__ == module.__name__


def _is_prim_func(value: Any) -> bool:
    return type(value).__name__ == "PrimFunc"
