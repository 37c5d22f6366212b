# SPDX-License-Identifier: Apache-2.0
"""The kernel of one key of a jit function, which one thread makes while the others wait for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ._kernel import Kernel

_lock = threading.Lock()
_awaited: dict[int, JitEntry] = {}  # by the thread that waits


class JitEntry:
    """The kernel of one key; the first caller makes it, the others wait."""

    def __init__(self) -> None:
        self.kernel: Kernel | None = None
        self._lock = threading.RLock()
        self._maker: int | None = None  # the thread that makes it

    @contextmanager
    def held(self, function: str) -> Iterator[None]:
        """Holds the entry of jit function `function`, after waiting for the thread that makes its kernel.

        Raises:
            RecursionError: that thread waits for this one, maybe by way of others, so that neither would go on.
        """
        if not self._lock.acquire(blocking=False):
            self._wait(function)
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def made_here(self, function: str) -> Iterator[None]:
        """Declares that this thread, which holds the entry, makes its kernel.

        Raises:
            RecursionError: it does so already.
        """
        if self._maker is not None:
            raise RecursionError(f"{function} calls itself with its own arguments (its kernel would need itself). Call it with others.")
        self._maker = threading.get_ident()
        try:
            yield
        finally:
            self._maker = None

    def _wait(self, function: str) -> None:
        thread = threading.get_ident()
        with _lock:  # of threads that begin to wait for each other, the last one finds the others here
            if self._needs(thread):
                raise RecursionError(
                    f"{function} is being made by a thread that waits for a kernel of this one (the two would need each other). "
                    "Call it with other arguments."
                )
            _awaited[thread] = self
        try:
            self._lock.acquire()
        finally:
            with _lock:
                del _awaited[thread]

    def _needs(self, thread: int) -> bool:
        """Returns true if the kernel is made by `thread`, or by one that waits for what `thread` makes."""
        entry: JitEntry | None = self
        while entry is not None and (maker := entry._maker) is not None:
            if maker == thread:
                return True
            entry = _awaited.get(maker)
        return False
