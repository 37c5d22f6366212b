"""Options as words of the command."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Mapping
from typing import Any

_KNOWN = ("execution_backend", "options", "compile_flags", "include_dirs")


def of(options: Mapping[str, Any]) -> list[str]:
    """The words of the options of a compilation that hold wherever it is done.

    Raises:
        TypeError: another option.
    """
    for name in options:
        if name not in _KNOWN:
            near = difflib.get_close_matches(name, _KNOWN, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"It has {', '.join(_KNOWN)}."
            raise TypeError(f"a fleet has no option {name!r} (it would not mean the same on every node). {hint}")
    words: list[str] = []
    if backend := options.get("execution_backend"):
        words += ["--backend", str(backend)]
    for name, value in sorted(dict(options.get("options") or {}).items()):
        words += ["--option", f"{name}={_value(value)}"]
    flags = options.get("compile_flags") or []
    for flag in [flags] if isinstance(flags, str) else map(shlex.quote, flags):
        words += ["--flag", flag]
    folders = options.get("include_dirs") or []
    if isinstance(folders, str):
        raise TypeError(f"include_dirs is {folders!r} (a str, whose letters would be taken one by one). Write [{folders!r}].")
    for folder in folders:
        words += ["--include", os.path.abspath(folder)]
    return words


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
