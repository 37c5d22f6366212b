"""How a run ended, or how far it is."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Any

from ._run import Line, Run

_SHOWN = 20  # failures in the text


@dataclass(frozen=True)
class Report:
    """The units of a run: how many there are, and what became of those that ended."""

    verb: str
    folder: pathlib.Path
    total: int
    results: list[Line]  # as the journal has them, those that are done, in the order of the plan
    failures: list[Line]  # with "code", "problem" and the "attempts"
    places: list[str]  # targets or device classes
    here: int | None = None  # of `compile`: how many of the results are in the cache of this machine, if that is known
    lock: pathlib.Path | None = None  # of `tune`: what policy pinned reads
    page: pathlib.Path | None = None  # of `bench`: what was measured, with samples, verdicts and machines
    table: str = ""  # of `bench`: the fastest backend by program and class
    notes: list[str] = field(default_factory=list)  # where shapes disagree, what was noisy

    @property
    def left(self) -> int:
        """Units that have not ended."""
        return self.total - len(self.results) - len(self.failures)

    def to_json(self) -> dict[str, Any]:
        return {
            "verb": self.verb,
            "folder": str(self.folder),
            "total": self.total,
            "done": len(self.results),
            "failed": len(self.failures),
            "left": self.left,
            "places": self._counts(),
            "failures": self.failures,
            "here": self.here,
            "lock": self.lock and str(self.lock),
            "page": self.page and str(self.page),
            "notes": self.notes,
        }

    def _counts(self) -> dict[str, dict[str, int]]:
        counts = {place: {"done": 0, "failed": 0} for place in self.places}
        for line in (*self.results, *self.failures):
            counts[line["place"]][line["state"]] += 1
        return counts

    def __str__(self) -> str:
        text = f"{self.verb}: {len(self.results)} of {self.total} done, {len(self.failures)} failed, {self.left} left ({self.folder})\n"
        for place, count in self._counts().items():
            text += f"  {place:<48} {count['done']:>6} done {count['failed']:>5} failed\n"
        for line in self.failures[:_SHOWN]:
            text += f"  failed: {_unit_text(line)}: {line['code']}: {_first(line['problem'])}\n{_attempts_text(line)}"
        if len(self.failures) > _SHOWN:
            text += f"  and {len(self.failures) - _SHOWN} more failed ({self.folder / 'journal.jsonl'} has them all)\n"
        text += "".join(f"  {note}\n" for note in self.notes)
        text += self.table
        if self.here is not None:
            text += f"  {self.here} of {len(self.results)} are in the cache of this machine (`kmux cache export FILE` makes one bundle)\n"
        text += f"  lock file: {self.lock}\n" if self.lock else ""
        return text + (f"  page: {self.page}\n" if self.page else "")


def _first(text: str) -> str:
    return (text.splitlines() or [""])[0]


def _attempts_text(line: Line) -> str:
    """A line for each way in which it failed elsewhere, with the machines."""
    hosts: dict[str, list[str]] = {}
    for attempt in line["attempts"]:
        why = f"{attempt['code']}: {_first(attempt['why'])}"
        hosts.setdefault(why, []).append(attempt["host"] or "a node that is gone")
    return "".join(
        f"    on {', '.join(dict.fromkeys(where))}, {len(where)} times: {why}\n" for why, where in hosts.items()
    )


def _unit_text(line: Line) -> str:
    values = " ".join(f"{name}={value}" for name, value in line["values"].items())
    return f"{line['name']} ({line['program'][:12]}) for {line['place']}{' ' + values if values else ''}"


def report_of(run: Run) -> Report:
    """What the folder of a run has."""
    plan = run.plan()
    lines = {line["key"]: line for line in run.lines()}
    units = run.units()
    ended = [lines[unit.key] for unit in units if unit.key in lines]
    results = [line for line in ended if line["state"] == "done"]
    return Report(
        plan.verb, run.folder, len(units), results, [line for line in ended if line["state"] != "done"], plan.places
    )
