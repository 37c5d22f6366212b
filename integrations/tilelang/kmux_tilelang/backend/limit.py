"""How long a kernel may take to compile, and whether others are compiled at the same time."""

import threading
from typing import Any

from tilelang import env

SEVERAL = 600.0  # seconds for each of several, as of kmux.par_compile: kernels that take a minute are rare


class Compiling:
    """The threads that lower or compile a kernel: TileLang's `par_compile` and its autotuner have many.

    Threads: any.
    """

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1

    @property
    def has_several(self) -> bool:
        """Would one that never ends hold up others? Those of a pool are not yet, or no more, all under way."""
        return self._count > 1 or threading.current_thread() is not threading.main_thread()


compiling = Compiling()


def time_limit(several: bool) -> float | None:
    """The seconds that a kernel may take; None for no limit.

    TILELANG_COMPILE_TIMEOUT_SECONDS says it, where 0 is none; else one of several has `SEVERAL`, and one alone none.
    Errors: ValueError for a word that is no number of seconds, in TileLang's words.
    """
    said = str(getattr(env, "TILELANG_COMPILE_TIMEOUT_SECONDS", "")).strip()
    given: Any = env.get_compile_timeout_seconds() if said else None
    if said:
        return None if given is None else float(given)
    return SEVERAL if several else None
