"""Gives units to Ray and writes down what became of them, until none is left."""

from __future__ import annotations

import collections
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Union

from .._numbers import index_of
from .._program import load_program
from . import _bench
from ._cluster import Cluster, Node
from ._node import ELSEWHERE, UNABLE, Done, Outcome, Work
from ._run import Line, Run, Unit
from ._store import packed
from ._view import View

_TICK = 0.5  # seconds between looks at what is alive
_AHEAD = 3  # tasks that wait for each one that can run: Ray's queues stay full, its lists short
_LARGEST = 16  # units in one task
Duration = Union[float, timedelta]  # a number is seconds


@dataclass(frozen=True)
class Limits:
    """How long and how often."""

    attempts: int = 3  # of a unit whose node dies, whose device hangs, whose compiler crashes
    seconds: float = 600  # that a unit may take
    patience: float = 60  # seconds without a node that could do it

    @classmethod
    def of(cls, attempts: int, timeout: Duration, patience: Duration) -> Limits:
        """The limits that the arguments of a verb are.

        Raises:
            TypeError, ValueError: one that cannot be a limit.
        """
        if (number := index_of(attempts)) is None:
            raise TypeError(f"attempts is {attempts!r} (an int is wanted). Pass 1 or more.")
        if number < 1:
            raise ValueError(f"attempts is {attempts!r} (each unit needs at least one). Pass 1 or more.")
        return cls(number, _seconds("timeout", timeout), _seconds("patience", patience))


def _seconds(name: str, value: Duration) -> float:
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} is {value!r} (a number of seconds, or a timedelta, is wanted). Pass one.")
    seconds = float(value)
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"{name} is {seconds:g} s (no time can be less than 0 or without end). Pass another.")
    return seconds


@dataclass(frozen=True)
class _Task:
    """What was given to Ray at once."""

    pool: _Pool
    units: list[Unit]
    avoided: set[str]  # nodes


@dataclass
class _Pool:
    """The units of one place."""

    place: str
    demand: dict[str, float]
    queue: collections.deque[Unit] = field(default_factory=collections.deque)
    running: int = 0  # tasks
    unable: set[str] = field(default_factory=set)  # nodes that lack what it takes, and have done nothing for this place
    able: set[str] = field(default_factory=set)
    alone_since: float | None = None  # no node is there that could

    def nodes(self, cluster: Cluster) -> list[Node]:
        return [node for node in cluster.nodes() if node.has(self.demand)]


class Driver:
    """One drive through the units of a run."""

    def __init__(self, cluster: Cluster, run: Run, verb: str, words: Iterable[str], limits: Limits, view: View) -> None:
        self._cluster, self._run, self._verb, self._words = cluster, run, verb, tuple(words)
        self._limits, self._view = limits, view
        self._pools: dict[str, _Pool] = {}
        self._tasks: dict[Any, _Task] = {}
        self._references: dict[str, Any] = {}  # objects of Ray's store, by a program's digest: a task's programs are one
        self._wanted: collections.Counter[str] = collections.Counter()  # units that a program is still needed for

    def drive(self, units: Iterable[Unit]) -> None:
        """Returns when every unit is in the journal. Whatever it raises, what had ended is there, and nothing of it runs on."""
        for unit in units:
            if unit.place not in self._pools:
                self._pools[unit.place] = _Pool(unit.place, self._cluster.demand(self._verb, unit.place))
            self._pools[unit.place].queue.append(unit)
            self._wanted[unit.program] += 1
        self._sizes = {place: self._size(pool) for place, pool in self._pools.items()}
        try:
            while self._tasks or any(pool.queue for pool in self._pools.values()):
                for pool in self._pools.values():
                    self._submit(pool)
                self._collect()
                self._recall()
                self._give_up()
        finally:
            self._cluster.drop(self._tasks)

    def _slots(self, pool: _Pool) -> int:
        """How many tasks of a pool can run at once."""
        return sum(
            min(int(node.resources.get(name, 0) / number) for name, number in pool.demand.items())
            for node in pool.nodes(self._cluster)
        )

    def _size(self, pool: _Pool) -> int:
        """Units in a task: a process costs less than a task, yet every node has something to do to the end."""
        if self._verb != "compile":
            return 1
        return max(1, min(_LARGEST, len(pool.queue) // (4 * max(1, self._slots(pool)))))

    def _submit(self, pool: _Pool) -> None:
        most = _AHEAD * self._slots(pool)
        while pool.queue and pool.running < most:
            units = self._take(pool)
            avoided = self._avoided(pool, units)
            programs = self._references_of([unit.program for unit in units])
            asked = tuple((unit.key, unit.program, unit.values) for unit in units)
            work = Work(self._verb, pool.place, asked, self._words, self._limits.seconds)
            task = self._cluster.submit(work, programs, pool.demand, avoided)
            self._tasks[task] = _Task(pool, units, avoided)
            pool.running += 1

    def _avoided(self, pool: _Pool, units: list[Unit]) -> set[str]:
        """The nodes where these units failed, and those that lack what it takes, unless there are no others."""
        tried = {attempt["node"] for unit in units for attempt in unit.attempts}
        if not (tried or pool.unable):
            return set()
        able = {node.id for node in pool.nodes(self._cluster)}
        for avoided in ((pool.unable | tried) & able, pool.unable & able):
            if avoided != able:
                return avoided
        return set()

    def _take(self, pool: _Pool) -> list[Unit]:
        units = [pool.queue.popleft()]
        while pool.queue and len(units) < self._sizes[pool.place] and not (units[0].alone or pool.queue[0].alone):
            units.append(pool.queue.popleft())
        return units

    def _references_of(self, digests: list[str]) -> dict[str, Any]:
        """Where each program is in Ray's object store. Those that are not there yet go there as one object: it takes Ray as long to
        put a small one as a large one."""
        new = [digest for digest in dict.fromkeys(digests) if digest not in self._references]
        if new:
            together = {digest: packed(load_program(self._run.store.path(digest))) for digest in new}
            self._references.update(dict.fromkeys(new, self._cluster.ray.put(together)))
        return {digest: self._references[digest] for digest in digests}

    def _collect(self) -> None:
        if not self._tasks:
            time.sleep(_TICK)
            return
        wait = self._cluster.ray.wait
        if not wait(list(self._tasks), timeout=_TICK)[0]:
            return
        lines: list[Line] = []
        for task in wait(list(self._tasks), num_returns=len(self._tasks), timeout=0)[0]:
            ended = self._tasks.pop(task)
            ended.pool.running -= 1
            lines += self._lines(ended.pool, ended.units, self._done(task, ended.units))
        self._write(lines)

    def _done(self, task: Any, units: list[Unit]) -> Done:
        try:
            done: Done = self._cluster.ray.get(task)
            return done
        except self._cluster.ray.exceptions.RayError as error:
            why = (str(error).strip().splitlines() or [""])[-1]
            text = f"{type(error).__name__}: {why}"
            return Done("", "", tuple(Outcome(unit.key, "died", text, {}, 0) for unit in units))

    def _lines(self, pool: _Pool, units: list[Unit], done: Done) -> list[Line]:
        lines = []
        for unit, outcome in zip(units, done.outcomes):
            if outcome.code in ELSEWHERE:
                unit.attempts.append(
                    {"node": done.node, "host": done.host, "code": outcome.code, "why": outcome.problem}
                )
                if outcome.code == "unavailable" and done.node not in pool.able:
                    pool.unable.add(done.node)
                if self._may_try_again(pool, unit):
                    unit.alone = True
                    pool.queue.append(unit)
                    self._view.retry(unit)
                    continue
            if not outcome.code:
                pool.able.add(done.node)
                pool.unable.discard(done.node)
            if document := outcome.result.pop("document", None):  # too large for the journal
                self._run.keep(_bench.file_of(self._run.folder, unit.key), document)
            lines.append(_line(unit, outcome, done))
        return lines

    def _may_try_again(self, pool: _Pool, unit: Unit) -> bool:
        """A node that is unable costs no attempt, but is not tried twice."""
        counted = [attempt for attempt in unit.attempts if attempt["code"] not in UNABLE]
        if unit.attempts[-1]["code"] not in UNABLE:
            return len(counted) < self._limits.attempts
        tried = {attempt["node"] for attempt in unit.attempts}
        return any(node.id not in tried for node in pool.nodes(self._cluster))

    def _cancel(self, reference: Any) -> _Task:
        self._cluster.ray.cancel(reference, force=True)
        task = self._tasks.pop(reference)
        task.pool.running -= 1
        return task

    def _recall(self) -> None:
        """Takes back what was meant for nodes that are gone since, and would wait for them for ever."""
        for reference, task in list(self._tasks.items()):
            if task.avoided and {node.id for node in task.pool.nodes(self._cluster)} <= task.avoided:
                task.pool.queue.extend(self._cancel(reference).units)

    def _give_up(self) -> None:
        """Fails the units that no node is left for."""
        for pool in self._pools.values():
            if not (pool.queue or pool.running) or pool.nodes(self._cluster):
                pool.alone_since = None
                continue
            pool.alone_since = pool.alone_since or time.monotonic()
            if time.monotonic() - pool.alone_since < self._limits.patience:
                continue
            units = list(pool.queue)
            pool.queue.clear()
            for task in [task for task, one in self._tasks.items() if one.pool is pool]:
                units += self._cancel(task).units
            why = f"no node for {pool.place} is in the cluster since {self._limits.patience:g} s"
            self._write([_line(unit, Outcome(unit.key, "unavailable", why, {}, 0), Done("", "", ())) for unit in units])

    def _write(self, lines: list[Line]) -> None:
        if not lines:
            return
        self._run.append(lines)
        for line in lines:
            self._view.unit(line)
            self._wanted[line["program"]] -= 1
            if not self._wanted[line["program"]]:
                self._references.pop(line["program"], None)


def _line(unit: Unit, outcome: Outcome, done: Done) -> Line:
    line: Line = {
        "key": unit.key,
        "program": unit.program,
        "name": unit.name,
        "place": unit.place,
        "values": unit.values,
        "state": "failed" if outcome.code else "done",
        "node": done.node,
        "host": done.host,
        "seconds": round(outcome.seconds, 4),
        "attempts": unit.attempts,
    }
    if outcome.code:
        return {**line, "code": outcome.code, "problem": outcome.problem}
    return {**line, "result": outcome.result}
