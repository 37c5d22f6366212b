"""The runtime's log, as Python has it: logger "kmux" of `logging`.

Lines come with the call that they belong to; those of background work come with the next one.
"""

from __future__ import annotations

import atexit
import functools
import logging
import sys
from typing import Optional

from ._library import functions

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)  # by the runtime's number
logger = logging.getLogger("kmux")


class _Lines(logging.Formatter):
    """ "kmux: info: text", as the command writes them."""

    def format(self, record: logging.LogRecord) -> str:
        return f"kmux: {record.levelname.lower()}: {record.getMessage()}"


def _receive(level: int, text: str) -> None:
    logger.log(_LEVELS[level], "%s", text)


@functools.lru_cache(maxsize=None)
def _show() -> None:
    """Verbose: lines of level info are seen, on stderr unless the application has said where."""
    if logger.getEffectiveLevel() > logging.INFO:
        logger.setLevel(logging.INFO)
    if logger.hasHandlers():
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    logger.addHandler(handler)


@functools.lru_cache(maxsize=None)
def _is_verbose_here() -> bool:
    return bool(functions.is_verbose())


def prepare(verbose: Optional[bool]) -> None:
    """Before a compilation: an argument beats the environment."""
    if _is_verbose_here() if verbose is None else verbose:
        _show()


def _end() -> None:
    functions.deliver_log()
    functions.set_log(None)  # from now on log lines have no reader


functions.set_log(_receive)
atexit.register(_end)
