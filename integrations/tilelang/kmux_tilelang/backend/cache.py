"""The cache from which TileLang gets compiled kernels, in place of its own."""

import threading
from collections.abc import Callable
from typing import Any

from tilelang.jit.kernel import JITKernel

from .kept import is_on, kept_key
from .limit import compiling


class KmuxCache:
    """Keeps what was compiled by what it was compiled from; on the disk, kmux's own cache does.

    Threads: any; a kernel that two ask for at once may be lowered twice.
    """

    def __init__(self, backend: str, compile: Callable[..., JITKernel], own: Callable[[], Any]) -> None:
        """`own()` is TileLang's cache of this name where this thread's compilations are to be TileLang's."""
        self._backend, self._compile, self._own = backend, compile, own
        self._kernels: dict[str, JITKernel] = {}
        self._lock = threading.Lock()

    def cached(self, func: Any = None, out_idx: Any = None, *_: Any, **options: Any) -> JITKernel:
        """The kernel of the prim_func `func`; `options` are those of `tilelang.compile`, resolved as TileLang does.

        Errors: those of lowering and of `kmux.compile`.
        """
        if own := self._own():
            return own.cached(func, out_idx, *_, **options)
        options = _of_any_release(options)
        key = kept_key(func, out_idx, self._backend, options)
        with self._lock:
            if key in self._kernels and is_on():
                return self._kernels[key]
        with compiling:
            kernel = self._compile(func, out_idx, self._backend, key, options)
        with self._lock:
            return self._kernels.setdefault(key, kernel) if is_on() else kernel

    def clear_cache(self) -> None:
        """Forgets the kernels of this process."""
        with self._lock:
            self._kernels.clear()


def _of_any_release(options: dict[str, Any]) -> dict[str, Any]:
    """The target from the context of compilation, where there is one (since 0.1.14)."""
    context = options.get("backend_context")
    if context is None:
        return options
    return {**options, "target": context.target, "target_host": context.target_host}
