"""The folder of a run: what is to be done, and what is done.

plan.json       what is to be done; written once
programs/       the programs, by digest
journal.jsonl   a line for each unit that ended, on the disk before the next one counts
report.json     how it ended
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._errors import UnavailableError
from .._program import load_program
from . import _state
from ._shape import is_plan, line_of
from ._store import Store

_VERSION = 1
Line = dict[str, Any]


def digest_of(value: Any) -> str:
    """SHA-256 of a value in its canonical JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass
class Unit:
    """The least that is done at once: one program for one target, or for one device class in one shape."""

    key: str  # of all that its result depends on
    program: str  # digest
    name: str
    place: str  # a target, or a device class
    values: dict[str, Any]  # symbols and scalars
    attempts: list[dict[str, str]] = field(default_factory=list)  # that failed: node, code, why
    alone: bool = False  # not in one process with others: one of these crashed it


@dataclass(frozen=True)
class Plan:
    """What a run does: every program at every place, in every shape that it has."""

    verb: str  # "compile", "tune" or "bench"
    places: list[str]
    programs: list[dict[str, Any]]  # digest, name, shapes
    words: list[str]  # further words for the command

    def units(self, states: Mapping[str, Any]) -> Iterator[Unit]:
        """Every unit; `states` has for each program what its results depend on besides this plan."""
        for place in self.places:
            for one in self.programs:
                for values in one["shapes"]:
                    key = digest_of([self.verb, one["digest"], place, values, self.words, states[one["digest"]]])
                    yield Unit(key, one["digest"], one["name"], place, values)

    def to_json(self) -> dict[str, Any]:
        return {"kmux_fleet": _VERSION, **vars(self)}


class Run:
    """A run's folder, which one driver has at a time."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.store = Store(folder / "programs")
        self._journal: int | None = None

    def begin(self, plan: Plan) -> None:
        """Writes the plan; nothing happens if it is there already.

        Raises:
            ValueError: the folder has another run.
        """
        if (self.folder / "plan.json").exists():
            if self.plan() != plan:
                raise ValueError(
                    f"{self.folder} has another run ({self.plan().verb}, with other programs, places or options). "
                    "Name another folder, or go on with that run: kmux.fleet.resume."
                )
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / "plan.json", json.dumps(plan.to_json(), indent=1))

    def plan(self) -> Plan:
        """What was begun here.

        Raises:
            ValueError: nothing, or by another version.
        """
        path = self.folder / "plan.json"
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            version = values.pop("kmux_fleet", None)
        except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
            raise ValueError(f"{self.folder} has no run ({error}). Begin one, or name the folder of one.") from None
        if version != _VERSION:
            raise ValueError(f"{path} is of version {version} (this kmux has {_VERSION}). Use the kmux that began it.")
        if not is_plan(values):
            raise ValueError(f"{path} is damaged (it has not what a plan has). Begin the run in another folder.")
        return Plan(**values)

    def units(self) -> list[Unit]:
        """Every unit of the plan, with the headers, the kmux and the plugins that are here now: after a change of them the
        journal has none of the units that it concerns.

        Raises:
            ValueError: as `plan`; a program of it is missing or damaged.
        """
        plan = self.plan()
        headers, builds = _state.Headers(plan.words), _state.builds()
        states: dict[str, Any] = {}
        for digest in (one["digest"] for one in plan.programs):
            texts = self._texts(digest) if headers.any() else ()
            states[digest] = [builds, headers.read_by(texts)] if texts else builds
        return list(plan.units(states))

    def _texts(self, digest: str) -> list[str]:
        try:
            return list(load_program(self.store.path(digest)).files.values())
        except FileNotFoundError as error:
            raise ValueError(f"{self.folder} lacks a program of its plan ({error}). Begin the run in another folder.") from None

    def lines(self) -> list[Line]:
        """The last line of each unit. A line that is not whole, as of a driver that was killed in it, does not count."""
        found: dict[str, Line] = {}
        try:
            with (self.folder / "journal.jsonl").open("rb") as file:
                for raw in file:
                    if raw.endswith(b"\n") and (line := line_of(raw)):
                        found[line["key"]] = line
        except FileNotFoundError:
            pass
        return list(found.values())

    def open(self) -> None:
        """Takes the folder for this driver.

        Raises:
            UnavailableError: another driver has it.
        """
        self._journal = os.open(
            self.folder / "journal.jsonl", os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644
        )
        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise UnavailableError(
                f"{self.folder} is in use (another driver runs it). Wait for it, or stop it."
            ) from None
        self._end_torn_line(self._journal)

    @staticmethod
    def _end_torn_line(journal: int) -> None:
        """Makes what was torn a line of its own, so that the next line is whole."""
        size = os.fstat(journal).st_size
        if size and os.pread(journal, 1, size - 1) != b"\n":
            os.write(journal, b"\n")

    def append(self, lines: Iterable[Line]) -> None:
        """Adds to the journal; returns when it is on the disk.

        Raises:
            OSError: as much as there was space for is there; a line that is not whole does not count.
        """
        assert self._journal is not None
        self._end_torn_line(self._journal)
        rest = "".join(json.dumps(line) + "\n" for line in lines).encode()
        while rest:
            rest = rest[os.write(self._journal, rest) :]
        os.fsync(self._journal)

    def keep(self, path: pathlib.Path, document: Any) -> None:
        """Writes what belongs to a line that is not in the journal yet."""
        path.parent.mkdir(exist_ok=True)
        write_whole(path, json.dumps(document))

    def close(self) -> None:
        if self._journal is not None:
            os.close(self._journal)
        self._journal = None


def write_whole(path: pathlib.Path, text: str) -> None:
    """Writes a file that is there whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
