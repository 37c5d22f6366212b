# SPDX-License-Identifier: Apache-2.0
"""Macros for sources, as a program has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def defines_of(defines: Mapping[str, Any]) -> list[str]:
    """Returns "NAME=VALUE" of each; a bool is 1 or 0.

    Raises:
        TypeError: not a dict of names.
        ValueError: a value of several lines.
    """
    if not isinstance(defines, Mapping) or not all(isinstance(name, str) for name in defines):
        raise TypeError(f"defines are {defines!r} (a dict of macros by name is wanted). Write {{'NAME': VALUE}}.")
    texts = [f"{name}={int(value) if isinstance(value, bool) else value}" for name, value in defines.items()]
    for text in texts:
        if "\n" in text:
            raise ValueError(f"define {text!r} has several lines (a macro has one). Join them.")
    return texts
