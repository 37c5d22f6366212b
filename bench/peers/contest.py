"""Everybody in turns: cold and warm starts, then rounds in which each peer that is correct has a burst of each kind."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import kernels
import measuring
from measuring import Figure
from worker_process import PeerFailed, WorkerProcess

Say = Callable[[str], None]
Start = Callable[[str, pathlib.Path], WorkerProcess]


@dataclass(frozen=True)
class Burst:
    """A kind of burst, and how many calls it has."""

    what: str
    n: int
    count: int


# Fewer calls than a driver queues, so that none waits for room.
BURSTS = {
    "device": (Burst("call", kernels.SMALL, 100), Burst("wait", kernels.SMALL, 20), Burst("work", kernels.LARGE, 10)),
    "host": (Burst("call", kernels.SMALL, 100), Burst("wait", kernels.SMALL, 20), Burst("work", kernels.LARGE, 2)),
}


@dataclass
class Entrant:
    """A peer in the contest: its samples in nanoseconds, and why there are none if there are none."""

    name: str
    side: str
    version: str = ""
    state: str = "measured"
    why: str = ""
    samples: dict[str, list[float]] = field(default_factory=dict)

    def add(self, what: str, nanoseconds: float) -> None:
        self.samples.setdefault(what, []).append(nanoseconds)

    def drop(self, error: PeerFailed) -> None:
        """What it has shown so far is not shown: a peer is measured or it is not."""
        self.state, self.why, self.samples = error.state, str(error), {}

    @property
    def measured(self) -> bool:
        return self.state == "measured"

    def row(self, baseline: Entrant) -> dict[str, Any]:
        kept = {what: measuring.without_warm_up(samples) for what, samples in self.samples.items()}
        figures = {what: measuring.figure(samples) for what, samples in kept.items()}
        if self.measured and baseline.measured:
            figures["call_ratio"] = measuring.ratio(kept["call"], measuring.without_warm_up(baseline.samples["call"]))
        return {
            "peer": self.name,
            "side": self.side,
            "version": self.version,
            "state": self.state,
            "why": self.why,
            "figures": {what: found.to_json() for what, found in figures.items()},
        }


class Contest:
    """One side: the entrants share a machine, and the first is the baseline."""

    def __init__(self, entrants: Sequence[Entrant], start: Start = WorkerProcess.of, say: Say = lambda _: None) -> None:
        self.entrants, self.start, self.say = list(entrants), start, say

    def run(self, starts: int, rounds: int) -> list[dict[str, Any]]:
        with tempfile.TemporaryDirectory(prefix="kmux-peers-") as folder:
            for number in range(starts):
                for place, entrant in enumerate(self.entrants):
                    if entrant.measured:
                        self.say(f"start {number + 1} of {starts}: {entrant.name}")
                        self.starts(entrant, pathlib.Path(folder) / f"{number}-{place}")
            last = [pathlib.Path(folder) / f"{starts - 1}-{place}" for place in range(len(self.entrants))]
            self.rounds(last, rounds)
        return [entrant.row(self.entrants[0]) for entrant in self.entrants]

    def starts(self, entrant: Entrant, caches: pathlib.Path) -> None:
        """A process that finds no cache, then one that finds what the first has left."""
        try:
            for what in ("cold", "warm"):
                with self.start(entrant.name, caches) as worker:
                    self.first_result(worker, entrant, what)
        except PeerFailed as error:
            self.drop(entrant, error)

    def first_result(self, worker: WorkerProcess, entrant: Entrant, what: str) -> None:
        worker.ask("missing")
        opened = worker.ask("open")
        entrant.version = opened["version"]
        entrant.add("import", opened["ns"])
        entrant.add(what, worker.ask("start", n=kernels.SMALL)["ns"])

    def rounds(self, caches: Sequence[pathlib.Path], count: int) -> None:
        with ExitStack() as stack:
            present = []
            for entrant, folder in zip(self.entrants, caches):
                if entrant.measured:
                    worker = stack.enter_context(self.start(entrant.name, folder))
                    if self.ready(worker, entrant):
                        present.append((worker, entrant))
            for number in range(count):
                if number % 20 == 0:
                    self.say(f"round {number + 1} of {count}: {len(present)} peers")
                present = self.round([present[place] for place in measuring.turn(len(present), number)])

    def ready(self, worker: WorkerProcess, entrant: Entrant) -> bool:
        try:
            worker.ask("open")
            for n in (kernels.SMALL, kernels.LARGE):
                worker.ask("start", n=n)
            worker.ask("finish")
        except PeerFailed as error:
            self.drop(entrant, error)
        return entrant.measured

    def round(self, order: list[tuple[WorkerProcess, Entrant]]) -> list[tuple[WorkerProcess, Entrant]]:
        """Those who are still there, by their place in the contest."""
        for burst in BURSTS[self.entrants[0].side]:
            for worker, entrant in order:
                if entrant.measured:
                    self.burst(worker, entrant, burst)
        kept = [pair for pair in order if pair[1].measured]
        return sorted(kept, key=lambda pair: self.entrants.index(pair[1]))

    def burst(self, worker: WorkerProcess, entrant: Entrant, burst: Burst) -> None:
        try:
            entrant.add(burst.what, worker.ask(burst.what, n=burst.n, count=burst.count)["ns"])
        except PeerFailed as error:
            self.drop(entrant, error)

    def drop(self, entrant: Entrant, error: PeerFailed) -> None:
        entrant.drop(error)
        self.say(f"{entrant.name} is {entrant.state}: {entrant.why}")


def figure_of(row: dict[str, Any], what: str) -> Figure | None:
    fields = row["figures"].get(what)
    return Figure.from_json(fields) if fields else None
