"""TileLang's own kernels, where kmux is installed."""

import threading
from collections.abc import Callable
from typing import Any

import tilelang.cache
from tilelang.jit.kernel import JITKernel


class Bypass(threading.local):
    """Within it, this thread's compilations are TileLang's own."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


bypass = Bypass()


def own_kernel(kernel: Any, function: Any, out_idx: Any, backend: str) -> JITKernel:
    """What TileLang compiles `function` to for one of its own backends, with the options of `kernel` or of an adapter.

    Errors: TileLang's.
    """
    with bypass:
        return tilelang.cache.cached(
            function,
            out_idx,
            execution_backend=backend,
            target=kernel.target,
            target_host=kernel.target_host,
            verbose=kernel.verbose,
            pass_configs=kernel.pass_configs,
            compile_flags=kernel.compile_flags,
        )


class Executable:
    """What `get_exportable_executable` gives: it writes a library, and all else of it is that of TileLang's own kernel.

    That one is compiled when something of it is asked for.
    """

    def __init__(self, export_library: Callable[[str], None], own: Callable[[], JITKernel]) -> None:
        self.export_library, self._own = export_library, own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own().adapter.get_exportable_executable(), name)
