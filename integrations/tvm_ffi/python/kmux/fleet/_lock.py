"""One lock file of the measurements of a fleet, as policy `pinned` reads it (docs/auto.md)."""

from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Iterable
from typing import Any

from ._classes import family_of
from ._run import Line, write_whole

Pin = dict[str, Any]
Identity = tuple[str, int, str]  # backend, variant, target


def _identity(candidate: dict[str, Any]) -> Identity:
    return candidate["backend"], candidate["variant"], candidate["target"]


def _times(line: Line) -> dict[Identity, float]:
    """Microseconds of each candidate that was timed, in the order of priority."""
    timed = [one for one in line["result"]["candidates"] if one.get("run_us")]
    return {_identity(one): one["run_us"]["median"] for one in timed}


def _winner(line: Line) -> Identity:
    return _identity(line["result"]["candidates"][line["result"]["winner"]])


def _slowdowns(lines: list[Line], identity: Identity) -> list[float]:
    """By how much one is slower than the winner, in each measurement."""
    return [_times(line)[identity] / _times(line)[_winner(line)] for line in lines]


def _chosen(lines: list[Line]) -> Identity | None:
    """The winner of all, or what is least slow over all: the geometric mean of what each shape loses by it."""
    if len({_winner(line) for line in lines}) == 1:
        return _winner(lines[0])
    everywhere = [one for one in _times(lines[0]) if all(one in _times(line) for line in lines)]
    return min(everywhere, key=lambda one: math.prod(_slowdowns(lines, one)), default=None)


def _builds(lines: list[Line], identity: Identity) -> set[str]:
    return {one["build_id"] for line in lines for one in line["result"]["candidates"] if _identity(one) == identity}


def _disagreement(lines: list[Line], chosen: Identity) -> str:
    worst = max(_slowdowns(lines, chosen))
    return f"shapes or models have different winners; {chosen[0]} variant {chosen[1]} is pinned, which is {worst:.2f} times as slow as the best at most"


def _is_sure(line: Line) -> bool:
    return bool(line["result"].get("sure", True))  # older ones do not have it


def _pin(lines: list[Line]) -> tuple[Pin | None, str]:
    """What is pinned for one program and family, and a note on it."""
    chosen = _chosen(lines)
    if chosen is None:
        return None, "not pinned: no candidate ran in every shape"
    if undecided := sum(not _is_sure(line) for line in lines):
        return None, f"not pinned: {undecided} of {len(lines)} measurements are undecided; tune on machines that do nothing else"
    builds = _builds(lines, chosen)
    if len(builds) > 1:
        return (
            None,
            f"not pinned: its nodes have {len(builds)} builds of plugin {chosen[0]}; install one on all of them and resume",
        )
    note = "" if len({_winner(line) for line in lines}) == 1 else _disagreement(lines, chosen)
    backend, variant, target = chosen
    named = {"program": lines[0]["program"], "name": lines[0]["name"]}
    return {**named, "target": target, "backend": backend, "build_id": builds.pop(), "variant": variant}, note


def pins(lines: Iterable[Line]) -> tuple[list[Pin], list[str]]:
    """What measurements pin, and what is to be said about it: a line for each program and family."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        groups.setdefault((line["program"], family_of(line["place"])), []).append(line)
    made: dict[tuple[str, str], Pin] = {}
    notes = []
    for (program, family), group in groups.items():
        pin, note = _pin(group)
        if pin and made.setdefault((program, pin["target"]), pin) != pin:
            note = f"not pinned: {pin['target']} is pinned for another architecture already, otherwise"
        if note:
            notes.append(f"{group[0]['name']} ({program[:12]}) on {family}: {note}")
        notes += [
            f"{line['name']} ({program[:12]}) on {line['place']}: {line['result']['noise']}"
            for line in group
            if "noise" in line["result"]
        ]
    return sorted(made.values(), key=lambda pin: (pin["name"], pin["program"], pin["target"])), notes


def write(path: pathlib.Path, made: list[Pin]) -> None:
    """As `kmux tune --lock` writes it."""
    write_whole(path, json.dumps({"kmux_lock": 1, "programs": made}, indent=2, sort_keys=True) + "\n")
