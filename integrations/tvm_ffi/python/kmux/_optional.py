"""Keeps `import kmux` from importing what TVM-FFI imports wherever it is installed: torch (seconds), NumPy (80 ms, half of the
import) and cuda.bindings (30 ms).

Imported before anything of TVM-FFI. What TVM-FFI takes from such a module it gets when the program itself imports it. Where
TVM-FFI or torch has been imported already, nothing is done.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


# Not importlib.abc's classes: they would cost a fifth of the import of kmux.
class _Loader:
    """Loads a module, then gives it to TVM-FFI."""

    def __init__(self, finder: _Finder, loader: Any) -> None:
        self._finder = finder
        self._loader = loader

    def __getattr__(self, name: str) -> Any:  # what a loader may have besides: get_source, get_resource_reader, ...
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.end(module)


class _Finder:
    """Finds no optional module for the thread that made it, as long as `refuses` says so; waits for them from then on."""

    def __init__(self, awaited: dict[str, Callable[[ModuleType], None]]) -> None:
        self.refuses: int | None = threading.get_ident()
        self._awaited = awaited
        self._refused = {name.partition(".")[0] for name in awaited} | {"ml_dtypes"}  # which imports NumPy

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if self.refuses == threading.get_ident() and name.partition(".")[0] in self._refused:
            raise ModuleNotFoundError(f"{name} is left to the program", name=name)
        if name not in self._awaited:
            return None
        spec = _spec_of_others(self, name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(self, spec.loader)  # type: ignore[assignment]
        return spec  # who asks may only want to know whether there is one

    def end(self, module: ModuleType) -> None:
        """The module was loaded."""
        complete = self._awaited.pop(module.__name__, None)
        if not self._awaited and self in sys.meta_path:
            sys.meta_path.remove(self)
        if complete is not None:
            complete(module)


def _spec_of_others(
    finder: _Finder, name: str, path: Sequence[str] | None, target: ModuleType | None
) -> ModuleSpec | None:
    for other in list(sys.meta_path):
        find = getattr(other, "find_spec", None)
        if other is not finder and find is not None and (spec := find(name, path, target)) is not None:
            return spec  # type: ignore[no-any-return]
    return None


def _complete_torch(torch: ModuleType) -> None:
    """Does what TVM-FFI's modules do with torch when they find it: names, faster conversion, streams."""
    import tvm_ffi

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "tvm_ffi" and getattr(module, "torch", torch) is None:
            module.torch = torch  # type: ignore[attr-defined]
    tvm_ffi.core._convert_torch_dtype_to_ffi_dtype = _dtype_of  # type: ignore[assignment]
    for name in (
        "tvm_ffi._optional_torch_c_dlpack",
        "tvm_ffi.stream",
    ):  # what these do at their end, or define, depends on torch
        if (spec := importlib.util.find_spec(name)) is not None and spec.loader is not None:
            fresh = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(fresh)
            _kept.append(fresh)
            if hasattr(fresh, "use_torch_stream"):
                tvm_ffi.use_torch_stream = tvm_ffi.stream.use_torch_stream = fresh.use_torch_stream


_kept: list[ModuleType] = []  # TVM-FFI keeps the library with the faster conversion in such a module


def _dtype_of(dtype: Any) -> Any:
    """Of torch's or NumPy's."""
    import tvm_ffi

    return tvm_ffi.dtype(str(dtype).removeprefix("torch."))


def _complete_cuda(driver: ModuleType) -> None:
    """TVM-FFI asks whether an argument is one of its streams."""
    import tvm_ffi

    tvm_ffi.core.cuda_driver = driver  # type: ignore[attr-defined]


def _complete_numpy(module: ModuleType) -> None:
    """TVM-FFI asks whether a value is a dtype of NumPy's."""
    import tvm_ffi

    tvm_ffi._convert.numpy = module
    tvm_ffi.core._convert_numpy_dtype_to_ffi_dtype = _dtype_of  # type: ignore[assignment]
    for function in _wants_numpy:
        function(module)


numpy: ModuleType | None = None  # when the program has imported all of it
_wants_numpy: list[Callable[[ModuleType], None]] = []


def with_numpy(function: Callable[[ModuleType], None]) -> None:
    """Calls `function` with NumPy: now, or when the program has imported it."""
    if sys.modules.get("numpy") is not None:  # None: the program has none
        function(importlib.import_module("numpy"))  # which waits for a thread that is importing it
    else:
        _wants_numpy.append(function)


def _keep_numpy(module: ModuleType) -> None:
    global numpy
    numpy = module


def _import_tvm_ffi() -> None:
    if "tvm_ffi" in sys.modules or "torch" in sys.modules:
        return
    optional = {"torch": _complete_torch, "numpy": _complete_numpy, "cuda.bindings.driver": _complete_cuda}
    finder = _Finder({name: complete for name, complete in optional.items() if name not in sys.modules})
    sys.meta_path.insert(0, finder)
    try:
        import tvm_ffi  # noqa: F401
    finally:
        finder.refuses = None


_import_tvm_ffi()
with_numpy(_keep_numpy)
