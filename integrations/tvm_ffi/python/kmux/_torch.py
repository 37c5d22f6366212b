"""Keeps `import kmux` from importing torch, as TVM-FFI does wherever torch is installed: seconds.

Imported before anything of TVM-FFI. What TVM-FFI takes from torch it gets when the program itself imports torch. Where TVM-FFI or torch
has been imported already, nothing is done.
"""

import importlib.machinery
import importlib.util
import sys
import threading
from collections.abc import Sequence
from types import ModuleType
from typing import Any


# Not importlib.abc's classes: they would cost a fifth of the import of kmux.
class _Loader:
    """Loads torch, then gives it to TVM-FFI."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:  # what a loader may have besides: get_source, get_resource_reader, ...
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _complete(module)


class _Finder:
    """Does not let the thread that made it find torch until `refuses` is None; finds it once."""

    def __init__(self) -> None:
        self.refuses: int | None = threading.get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "torch":
            return None
        if self.refuses == threading.get_ident():
            raise ModuleNotFoundError("torch is left to the program", name=name)
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
        elif self not in sys.meta_path:
            sys.meta_path.insert(0, self)  # torch may be installed yet
        return spec


def _complete(torch: ModuleType) -> None:
    """Does what TVM-FFI's modules do with torch when they find it: names, faster conversion, streams."""
    import tvm_ffi

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "tvm_ffi" and getattr(module, "torch", torch) is None:
            module.torch = torch  # type: ignore[attr-defined]
    tvm_ffi.core._convert_torch_dtype_to_ffi_dtype = _dtype_of
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


def _dtype_of(torch_dtype: Any) -> Any:
    import tvm_ffi

    return tvm_ffi.dtype(str(torch_dtype).removeprefix("torch."))


def _import_tvm_ffi() -> None:
    if "tvm_ffi" in sys.modules or "torch" in sys.modules:
        return
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        import tvm_ffi  # noqa: F401
    finally:
        finder.refuses = None


_import_tvm_ffi()
