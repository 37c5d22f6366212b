"""How far `par_compile` is."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TypeVar, Union


@dataclass(frozen=True)
class CompileEvent:
    """One step of one program, and how far all are."""

    step: str  # "queued", "started", "compiling", "done", "failed" or "cancelled"
    index: int  # of the program, in input order
    program: str  # its name
    backend: str
    from_cache: bool
    total: int
    running: int
    done: int
    failed: int
    cancelled: int
    elapsed: float  # seconds since the start of the program
    rate: float  # programs a second
    eta: float | None  # seconds until all have ended
    same_as: int | None  # the program that was compiled for it, being identical
    error: str | None


_Made = TypeVar("_Made")
Progress = Union[bool, Callable[[CompileEvent], None]]
_NAMES = tuple(field.name for field in fields(CompileEvent))
_ENDS = ("done", "failed", "cancelled")


def _event(text: str) -> CompileEvent:
    values = json.loads(text)
    return CompileEvent(**{name: values[name] for name in _NAMES})


class ProgressBar:
    """A bar of tqdm, which is told of every event."""

    def __init__(self, total: int) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError(
                "progress=True needs tqdm (it is not installed). Install: pip install tqdm"
            ) from None
        self._bar = tqdm(total=total, unit="kernel", desc="compiling")

    def __call__(self, event: CompileEvent) -> None:
        if event.step == "compiling":
            self._bar.set_postfix_str(event.program, refresh=False)
        self._bar.update(event.step in _ENDS)

    def close(self) -> None:
        self._bar.close()


@contextlib.contextmanager
def shown(progress: Progress, total: int) -> Iterator[Callable[[CompileEvent], None] | None]:
    """The receiver of events: the caller's function, a bar that ends with the block, or none."""
    if progress is not True:
        yield progress or None
        return
    bar = ProgressBar(total)
    try:
        yield bar
    finally:
        bar.close()


def reporter(report: Callable[[CompileEvent], None], raised: list[BaseException]) -> Callable[[str], None]:
    """Returns what the library calls with the values of an event. Exceptions of `report` are also added to `raised`, since TVM-FFI
    turns those of unknown types into RuntimeError."""

    def tell(text: str) -> None:
        try:
            report(_event(text))
        except BaseException as error:
            raised.append(error)
            raise

    return tell


def reported(progress: Progress, total: int, compile: Callable[[Callable[[str], None] | None], _Made]) -> _Made:
    """Calls `compile` with what the library tells events to, and raises what the receiver of the events raised, whatever its type."""
    raised: list[BaseException] = []
    with shown(progress, total) as report:
        try:
            return compile(report and reporter(report, raised))
        except BaseException:
            if raised:
                raise raised[0] from None
            raise
