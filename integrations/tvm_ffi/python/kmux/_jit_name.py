"""Functions by their names: what a wrapper pickles as, and its source."""

from __future__ import annotations

import inspect
import sys
from typing import Any


def pickled(wrapper: Any, otherwise: tuple[Any, ...]) -> str | tuple[Any, ...]:
    """What `__reduce__` of a decorated function returns: its name, where that leads to it; else `otherwise`."""
    found: Any = sys.modules.get(wrapper.__module__)
    for name in wrapper.__qualname__.split("."):
        found = getattr(found, name, None)
    return str(wrapper.__qualname__) if found is wrapper else otherwise


def source_of(function: Any) -> str:
    """Its text; empty where Python does not have it."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""
