"""How far a run is, for people and for machines."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import IO, Any, Union

from .._errors import Error
from ._run import Line, Unit

Progress = Union[bool, Callable[[dict[str, Any]], None]]


# What a terminal obeys, and marks that change the order of what it shows; line breaks and tabs aside.
_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def printable(text: str) -> str:
    """`text` as a terminal may be given it, control characters as \\xHH: programs choose names and messages."""
    return _OBEYED.sub(lambda found: "".join(f"\\x{byte:02x}" for byte in found[0].encode()), text)


class View:
    """Shows nothing; the others are told the same."""

    def begin(self, verb: str, total: int, done: int, classes: dict[str, int]) -> None:
        """A run begins, or goes on with `done` of its units."""

    def unit(self, line: Line) -> None:
        """A unit ended, and is in the journal."""

    def retry(self, unit: Unit) -> None:
        """A unit goes to another node, or to the same one again."""

    def begin_fetch(self, total: int) -> None:
        """What was built is brought here: the phase after that of the units."""

    def fetched(self, count: int) -> None:
        """So many more were looked at."""

    def end(self) -> None:
        """The phase is over, or was stopped."""


class Events(View):
    """Each step as one dictionary."""

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        self._tell = tell
        self._fetched: dict[str, Any] = {}

    def begin(self, verb: str, total: int, done: int, classes: dict[str, int]) -> None:
        self._tell({"event": "begin", "verb": verb, "total": total, "done": done, "classes": classes})

    def unit(self, line: Line) -> None:
        self._tell({"event": "unit", **line})

    def retry(self, unit: Unit) -> None:
        last = unit.attempts[-1]
        self._tell(
            {"event": "retry", "key": unit.key, "program": unit.program, "name": unit.name, "place": unit.place, **last}
        )

    def begin_fetch(self, total: int) -> None:
        self._fetched = {"event": "fetch", "total": total, "done": 0}

    def fetched(self, count: int) -> None:
        self._fetched["done"] += count
        self._tell(dict(self._fetched))


class Bar(View):
    """A bar of tqdm a phase, with a table of the classes before the first and each failure above it."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise Error(
                "progress=True needs tqdm (it is not installed). Install: pip install tqdm"
            ) from None
        self._tqdm = tqdm

    def begin(self, verb: str, total: int, done: int, classes: dict[str, int]) -> None:
        self._failed = self._again = 0
        for name, count in {"class": "devices", **classes}.items() if classes else ():
            self._write(f"{name:<48} {count:>7}")
        self._bar = self._tqdm(total=total, initial=done, unit="unit", desc=verb)

    def unit(self, line: Line) -> None:
        if line["state"] == "failed":
            self._failed += 1
            self._write(f"failed: {line['name']} for {line['place']}: {line['problem'].splitlines()[0]}")
        self._note()
        self._bar.update()

    def retry(self, unit: Unit) -> None:
        self._again += 1
        self._note()

    def begin_fetch(self, total: int) -> None:
        self._bar = self._tqdm(total=total, unit="unit", desc="fetch")

    def fetched(self, count: int) -> None:
        self._bar.update(count)

    def _write(self, text: str) -> None:
        self._tqdm.write(printable(text), file=sys.stderr)  # where the bar is

    def _note(self) -> None:
        counts = {"failed": self._failed, "again": self._again}
        self._bar.set_postfix({name: count for name, count in counts.items() if count}, refresh=False)

    def end(self) -> None:
        self._bar.close()


def json_lines(file: IO[str]) -> View:
    """A line of JSON each step."""

    def tell(event: dict[str, Any]) -> None:
        print(json.dumps(event), file=file, flush=True)

    return Events(tell)


def view_of(progress: Progress) -> View:
    """What `progress` asks for: a bar, a function, nothing."""
    if progress is True:
        return Bar()
    return Events(progress) if progress else View()
