"""TileLang's kernels with kmux: inside TileLang (`install`), or exported as programs (`export`).

>>> import kmux_tilelang
>>> kmux_tilelang.install(default=True)  # from here on, what tilelang.jit compiles runs through kmux
"""

from typing import TYPE_CHECKING, Any

from .description import Description, describe
from .error import ExportError
from .export import export

if TYPE_CHECKING:
    from .backend import Report, install, report, uninstall

_BACKEND = ("Report", "install", "report", "uninstall")  # these import TileLang, which takes seconds

__all__ = ["Description", "ExportError", "Report", "describe", "export", "install", "report", "uninstall"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _BACKEND:
        from . import backend

        return getattr(backend, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
