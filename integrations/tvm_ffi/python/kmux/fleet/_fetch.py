"""What nodes compiled, into the cache of the driver's machine, where `kmux cache export` makes one bundle of it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from itertools import groupby

from ._node import Work, build
from ._run import Line, Run
from ._view import View

_BATCH = 16  # programs in one process: what is compiled here at most where the server has none of them


def fetch(run: Run, results: list[Line], seconds: float, view: View) -> tuple[int | None, list[str]]:
    """How many of `results` are in this machine's cache in the end, None if nobody knows, and what is to be said about the others.

    They come from the server that the nodes share. What it has no longer would be compiled here: the first of these ends it.
    """
    if not os.environ.get("KMUX_REMOTE_CACHE"):
        away = {line["host"] for line in results} - {socket.gethostname()}
        return None, [_unshared(away)] if away else []
    view.begin_fetch(len(results))
    try:
        return _fetch(run, results, seconds, view)
    finally:
        view.end()


def _fetch(run: Run, results: list[Line], seconds: float, view: View) -> tuple[int, list[str]]:
    here, problems = 0, []
    for place, lines in _batches(results):
        units = tuple((line["key"], line["program"], line["values"]) for line in lines)
        work = Work("compile", place, units, tuple(run.plan().words), seconds)
        outcomes = build(work, {line["program"]: str(run.store.path(line["program"])) for line in lines}, os.cpu_count() or 1)
        problems += [outcome.problem for outcome in outcomes if outcome.code]
        here += sum(not outcome.code for outcome in outcomes)
        view.fetched(len(lines))
        if any(not outcome.code and not outcome.result["from_cache"] for outcome in outcomes):
            problems.append("the server has no longer what the nodes put there: see `kmux cache stats`, and its maxmemory")
            break
    if here == len(results):
        return here, []
    why = problems[0].splitlines()[0]
    return here, [f"{len(results) - here} of {len(results)} are not in the cache of this machine ({why})"]


def _batches(results: list[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Results of one place each, in the order of the plan, which has place after place."""
    for place, group in groupby(results, lambda line: str(line["place"])):
        lines = list(group)
        for begin in range(0, len(lines), _BATCH):
            yield place, lines[begin : begin + _BATCH]


def _unshared(hosts: set[str]) -> str:
    named = ", ".join(sorted(hosts)[:3]) + (", ..." if len(hosts) > 3 else "")
    return f"what was built on {named} is not in the cache of this machine (KMUX_REMOTE_CACHE is not set here; docs/fleet.md)"
