# SPDX-License-Identifier: Apache-2.0
"""Texts that are not UTF-8: names of files in another encoding are refused, and contents of files are taken byte by byte.

Python has such bytes as surrogates (PEP 383, error handler "surrogateescape").
"""

from __future__ import annotations

import os
from typing import Any

_BYTES = "surrogateescape"


def utf8(name: str, value: str) -> str:
    """Returns `value`, argument `name`.

    Raises:
        ValueError: it is not UTF-8.
    """
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} {value!r} is not UTF-8 (kmux takes no other names and texts). Rename it.") from None
    return value


def path_of(name: str, path: Any) -> str:
    """Returns a path, argument `name`, as a string.

    Raises:
        TypeError: it is not a path.
        ValueError: it is not UTF-8.
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"{name} is {path!r} (the path of a file is wanted). Pass a str, bytes or os.PathLike.")
    return utf8(name, os.fsdecode(path))


def content(name: str, text: str) -> str | bytes:
    """Returns the content of a file as the library takes it: with the bytes that are not UTF-8.

    Raises:
        ValueError: it has surrogates that stand for no byte.
    """
    if text.isascii():
        return text
    try:
        encoded = text.encode(errors=_BYTES)
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} has half of a surrogate pair, {text[error.start]!r} (it is no character). Remove it.") from None
    return encoded


def decoded(content: bytes) -> str:
    """Returns the content of a file as text, with a surrogate for each byte that is not UTF-8."""
    return content.decode(errors=_BYTES)


def read(path: str | os.PathLike[str]) -> str:
    """Returns the text of a file, with a surrogate for each byte that is not UTF-8.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, encoding="utf-8", errors=_BYTES) as file:
        return file.read()
