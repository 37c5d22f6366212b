"""kmux as an execution backend of TileLang: `install()`, and `@tilelang.jit(execution_backend="kmux")` runs through it."""

from .install import install, uninstall
from .report import Report, report

__all__ = ["Report", "install", "report", "uninstall"]
