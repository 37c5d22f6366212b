"""Exports TileLang kernels as kmux programs: what a caller passes, how the host launches, and the generated text."""

from .description import Description, describe
from .error import ExportError
from .export import export

__all__ = ["Description", "ExportError", "describe", "export"]
__version__ = "0.1.0"
