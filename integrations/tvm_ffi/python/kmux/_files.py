# SPDX-License-Identifier: Apache-2.0
"""Files that are not there: the errors that Python has for them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any


def raise_if_unreadable(path: str) -> None:
    """Returns if there is a file that may be read; does not open it.

    Raises:
        OSError: FileNotFoundError, IsADirectoryError, PermissionError and the like.
    """
    os.stat(path)
    number = errno.EISDIR if os.path.isdir(path) else 0 if os.access(path, os.R_OK) else errno.EACCES
    if number:
        raise OSError(number, os.strerror(number), path)


@contextmanager
def with_lock_files(sets: Iterable[Mapping[str, Any]]) -> Iterator[None]:
    """Makes of an error about a lock file that one of the sets of options names, and that cannot be opened, the OSError of that."""
    try:
        yield
    except ValueError as error:
        for path in {str(options["lock_file"]) for options in sets if options.get("lock_file")}:
            if f"cannot read '{path}'" in str(error):
                try:
                    raise_if_unreadable(path)
                except OSError as why:
                    raise why from None
        raise
