"""Puts kmux into TileLang, and takes it out again."""

import threading
from typing import Any

import kmux
import tilelang.cache
from tilelang.jit.kernel import JITKernel

from ..lower import version, warn_if_untested
from . import kept
from .adapter import KmuxAdapter
from .cache import KmuxCache
from .jit_kernel import PREFIX, Extension, Refused, is_ours, not_for_this_release, request_for, with_adapter
from .own import bypass, own_kernel
from .registry import Registry, own_backend
from .report import count_fallback, forget

_OWN = ("tvm_ffi", "cython", "nvrtc", "cutedsl", "torch")  # TileLang's execution backends
_lock = threading.Lock()
_installed: "_Installation | None" = None


def install(*, default: bool = False, strict: bool = False, named: bool = False) -> None:
    """Makes "kmux" an execution backend of TileLang, and "kmux:nvrtc", "kmux:cpu", ... of each backend of kmux's.

    `default`: "auto" gives it. `strict`: a kernel that kmux does not take is an error; else TileLang's own adapter runs it,
    which `report()` counts and the log says. `named`: kernels that ask for one of TileLang's own backends by name, too; it
    is for tests. Installing again changes these three.

    Errors: ImportError without TileLang or without kmux's library, and for a TileLang that has something under another name,
    which stays as it was.
    """
    global _installed
    warn_if_untested(version())
    with _lock:
        made = _Installation(strict=strict, named=named)
        if _installed is not None:
            _installed.undo()
            _installed = None
        else:
            forget()
        made.apply(default=default)
        _installed = made


def uninstall() -> None:
    """Leaves TileLang as it was; kernels that are compiled stay usable."""
    global _installed
    with _lock:
        if _installed is not None:
            _installed.undo()
            _installed = None


class _Installation:
    def __init__(self, *, strict: bool, named: bool) -> None:
        self._strict, self._named = strict, named
        self._registry = Registry()
        self._extension = Extension(self._takes, self._fall_back)
        self._names = [PREFIX, *(f"{PREFIX}:{plugin.name}" for plugin in kmux.plugins())]

    def apply(self, *, default: bool) -> None:
        """Changes TileLang, in all places or in none.

        Errors: ImportError if this release of TileLang has other ones.
        """
        try:
            self._extension.apply()
            self._registry.add_backends(self._names, first=default)
            self._set_caches()
        except BaseException as error:  # Ctrl-C, too
            self.undo()
            if isinstance(error, ImportError) or not isinstance(error, Exception):
                raise
            raise not_for_this_release(str(error)) from error

    def _set_caches(self) -> None:
        for name in [*self._names, *(_OWN if self._named else ())]:
            own = tilelang.cache._dispatch_map.get(name)
            self._registry.set_cache(name, KmuxCache(name, self._compile, lambda own=own: bypass.depth and own))

    def undo(self) -> None:
        self._registry.undo()
        self._extension.undo()

    def _takes(self, backend: str) -> bool:
        return is_ours(backend) or (self._named and not bypass.depth)

    def _compile(self, function: Any, out_idx: Any, backend: str, key: str, options: dict[str, Any]) -> JITKernel:
        keywords = {**options, "execution_backend": backend}
        if kernel := self._kept(function, out_idx, key, keywords):
            return kernel
        kernel = JITKernel(function, out_idx=out_idx, **keywords)
        if isinstance(kernel.adapter, KmuxAdapter):
            kept.keep(key, kernel.adapter.program)
        return kernel

    def _kept(self, function: Any, out_idx: Any, key: str, keywords: dict[str, Any]) -> JITKernel | None:
        """The kernel of a program that was lowered before, perhaps by another process."""
        if (program := kept.find(key)) is None:
            return None
        kernel = JITKernel(function, out_idx=out_idx, from_database=True, **keywords)
        try:
            request = request_for(kernel, function, out_idx)
            return with_adapter(kernel, request, program, kept.Lowering(kernel, function, program))
        except Refused:
            return None

    def _fall_back(self, kernel: JITKernel, function: Any, out_idx: Any, reason: str) -> Any:
        """TileLang's own adapter for `kernel`, which then is as if that had been asked for."""
        name = str(function.attrs.get("global_symbol"))
        if self._strict:
            raise kmux.UnsupportedError(f"kernel '{name}' cannot run with kmux: {reason}")
        count_fallback(name, reason)
        backend = kernel.execution_backend
        if is_ours(backend):
            backend = own_backend(kernel.target, tuple(self._names))
        own = own_kernel(kernel, function, out_idx, backend)
        kernel.__dict__.update(own.__dict__)
        return own.adapter
