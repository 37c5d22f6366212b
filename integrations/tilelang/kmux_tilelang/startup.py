"""KMUX_TILELANG=1 python script.py: kmux is installed as soon as the script imports TileLang.

A line of kmux_tilelang.pth imports this in every Python that has the package and the variable.
"""

import importlib.abc
import importlib.machinery
import os
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

VARIABLE = "KMUX_TILELANG"
_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


class _Loader(importlib.abc.Loader):
    """Loads TileLang, then installs kmux."""

    def __init__(self, finder: "_Finder", loader: importlib.abc.Loader) -> None:
        self._finder = finder
        self._loader = loader

    def __getattr__(self, name: str) -> Any:  # what a loader may have besides: get_source, get_resource_reader, ...
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        self._loader.exec_module(module)
        _install(is_strict=os.environ[VARIABLE].lower() == "strict")


def _install(is_strict: bool) -> None:
    """Installs kmux; where it cannot be, TileLang is imported without it, unless it is to be strict."""
    try:
        from .backend import install

        install(default=True, strict=is_strict)
    except ImportError as error:
        if is_strict:
            raise
        warnings.warn(f"TileLang runs without kmux: {error}", RuntimeWarning, stacklevel=2)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds TileLang until it is imported: who asks may only want to know whether there is one."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "tilelang":
            return None
        for other in list(sys.meta_path):
            spec = None if other is self else other.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(self, spec.loader)
                return spec
        return None


def install_after_import() -> None:
    """Installs kmux when TileLang is imported, if the environment says so: "1", or "strict" for no falling back.

    Errors: SystemExit for another word.
    """
    word = os.environ.get(VARIABLE, "").lower()
    if word in (*_YES, "strict"):
        sys.meta_path.insert(0, _Finder())
    elif word not in _NO:
        sys.exit(f"{VARIABLE}={os.environ[VARIABLE]} is not understood. Set 1, or strict, or 0.")


install_after_import()
