"""compile, tune, bench, resume, status."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Union

from .._errors import UnavailableError
from .._numbers import index_of, is_bool, is_inexact
from .._program import AnyProgram, as_program, programs_of
from . import _bench, _fetch, _lock, _words
from ._cluster import Cluster
from ._driver import Driver, Duration, Limits
from ._node import ELSEWHERE
from ._report import Report, report_of
from ._run import Plan, Run, digest_of, write_whole
from ._view import Progress, View, view_of

Folder = Union[str, "os.PathLike[str]"]
Shapes = Union[Sequence[Mapping[str, Any]], Mapping[str, Sequence[Mapping[str, Any]]]]


def compile(
    programs: Iterable[AnyProgram],
    targets: Sequence[str] = ("auto",),
    *,
    run: Folder | None = None,
    address: str | None = None,
    attempts: int = 3,
    timeout: Duration = 600,
    patience: Duration = 60,
    fetch: bool = True,
    progress: Progress | View = False,
    **options: Any,
) -> Report:
    """Builds every program for every target, each once in the fleet, on any node that has the compiler.

    What is built is in the cache that the nodes share (`KMUX_REMOTE_CACHE` on every node), on one host in that on its disk. From there
    it is brought into the cache of this machine, whose kmux must be that of the nodes: then `kmux cache export` makes one bundle.

    Args:
        programs: each a `Program` or the path of one; identical ones count once.
        run: the folder of the run. One that is there goes on; the default is named by what is to be done, below kmux-fleet.
        address: of the Ray cluster; by default the one that this machine belongs to, or one of this machine alone.
        attempts: of a unit whose node dies, whose compiler crashes or hangs, before it is reported as failed.
        timeout: that one program may take for one target; a number is seconds.
        patience: how long to wait for a node, where none is left that could do what remains; a number is seconds.
        fetch: whether what was built is brought here, where `KMUX_REMOTE_CACHE` is set.
        progress: True shows a bar of tqdm; a function is called with each event, a dict as --json prints it.
        options: execution_backend, options, compile_flags and include_dirs, as `kmux.compile` has them.

    Returns:
        What became of every unit. That some failed is no error: `Report.failures` has them.

    Raises:
        ValueError: an invalid program or option; the folder has another run.
        UnavailableError: no Ray, no cluster, another driver in the folder.
    """
    limits = Limits.of(attempts, timeout, patience)
    return _begin("compile", programs, targets, (), _words.of(options), run, address, limits, progress, fetch)


def tune(
    programs: Iterable[AnyProgram],
    shapes: Shapes = (),
    *,
    classes: Sequence[str] = (),
    run: Folder | None = None,
    address: str | None = None,
    attempts: int = 3,
    timeout: Duration = 600,
    patience: Duration = 60,
    progress: Progress | View = False,
    **options: Any,
) -> Report:
    """Measures the candidates of each program in each shape on one device of each class, alone on that device.

    The winners of all classes are one lock file (`Report.lock`), which policy "pinned" reads everywhere. It can tell
    architectures apart; where shapes, or models of one architecture, have different winners, the candidate that loses least over
    all of them is pinned, and `Report.notes` has it.

    Args:
        shapes: values of symbols and scalars, for all programs or by the name of each; by default the program's example.
        classes: device classes; by default all that the cluster has now.
        run, address, attempts, timeout, patience, progress, options: as `compile`.

    Raises:
        ValueError, UnavailableError: as `compile`. UnavailableError if no node announces a device.
    """
    places = classes or _places(run, address)
    limits = Limits.of(attempts, timeout, patience)
    return _begin("tune", programs, places, shapes, _words.of(options), run, address, limits, progress)


def bench(
    programs: Iterable[AnyProgram],
    shapes: Shapes = (),
    *,
    seconds: float = 2,
    classes: Sequence[str] = (),
    run: Folder | None = None,
    address: str | None = None,
    attempts: int = 3,
    timeout: Duration = 600,
    patience: Duration = 60,
    progress: Progress | View = False,
    **options: Any,
) -> Report:
    """Measures the backends of each program against each other on one device of each class, as `kmux bench` does.

    What is compared is within a class: `Report.table` has the fastest backend by program and class, `Report.page` everything.

    Args:
        seconds: the most that one column may take.
        shapes, classes: as `tune`.
        run, address, attempts, timeout, patience, progress, options: as `compile`.

    Raises:
        As `tune`.
    """
    places = classes or _places(run, address)
    words = [*_words.of(options), "--time", f"{seconds:g}"]
    return _begin("bench", programs, places, shapes, words, run, address, Limits.of(attempts, timeout, patience), progress)


def resume(
    run: Folder,
    *,
    address: str | None = None,
    attempts: int = 3,
    timeout: Duration = 600,
    patience: Duration = 60,
    fetch: bool = True,
    progress: Progress | View = False,
) -> Report:
    """Goes on with a run: nothing that is done is done again, unless a header in `include_dirs`, kmux or a plugin of this machine
    is another one since. What failed for reasons of the fleet is tried again; what failed for reasons of its own, such as a program
    that the compiler refuses, stays.

    Raises:
        ValueError: there is no run.
        UnavailableError: as `compile`.
    """
    return _go_on(Run(pathlib.Path(run)), address, Limits.of(attempts, timeout, patience), progress, fetch)


def status(run: Folder) -> Report:
    """How far a run is, whether its driver runs or not.

    Raises:
        ValueError: there is no run.
    """
    return report_of(Run(pathlib.Path(run)))


def _begin(
    verb: str,
    programs: Iterable[AnyProgram],
    places: Iterable[str],
    shapes: Shapes,
    words: list[str],
    run: Folder | None,
    address: str | None,
    limits: Limits,
    progress: Progress | View,
    fetch: bool = False,
) -> Report:
    """Begins a run, or goes on with the one that is there."""
    for what, value in (("programs", programs), ("targets and classes", places)):
        if isinstance(value, str):
            raise TypeError(f"{what} are {value!r} (a str, whose letters would be taken one by one). Write [{value!r}].")
    named = _named(places)  # before a folder has a plan that no run can do
    given = _distinct(programs_of(programs))
    plan = Plan(verb, named, _listed(given, shapes), words)
    return _go_on(_begun(plan, given, run), address, limits, progress, fetch)


def _named(places: Iterable[str]) -> list[str]:
    """Targets or classes, each once.

    Raises:
        TypeError: one that is no name.
    """
    if not isinstance(places, Iterable):
        raise TypeError(f"targets and classes are {places!r} (a list of names is wanted). Write ['auto'], say.")
    named = list(places)
    for place in named:
        if not isinstance(place, str):
            raise TypeError(f"{place!r} is not a target or a class (they are names). Write 'auto', 'cpu' or 'cuda:sm_90a', say.")
    return list(dict.fromkeys(named))


def _go_on(run: Run, address: str | None, limits: Limits, progress: Progress | View, fetch: bool) -> Report:
    """Does what is left of a run."""
    plan = run.plan()
    view = progress if isinstance(progress, View) else view_of(progress)
    run.open()
    try:
        units = run.units()
        ended = {line["key"] for line in run.lines() if line["state"] == "done" or line["code"] not in ELSEWHERE}
        over = ended & {unit.key for unit in units}
        left = [unit for unit in units if unit.key not in over]
        if left:
            _drive(run, plan, left, len(over), Cluster(address), limits, view)
        report = report_of(run)
        if plan.verb == "compile" and fetch and report.results:
            here, notes = _fetch.fetch(run, report.results, limits.seconds, view)
            report = replace(report, here=here, notes=notes)
    except KeyboardInterrupt as interrupt:
        interrupt.folder = run.folder  # type: ignore[attr-defined]  # for who tells how to go on
        raise
    finally:
        run.close()
    if plan.verb == "tune":
        report = _locked(report)
    if plan.verb == "bench":
        report = _compared(report)
    write_whole(run.folder / "report.json", json.dumps(report.to_json(), indent=1) + "\n")
    return report


def _drive(run: Run, plan: Plan, left: list[Any], over: int, cluster: Cluster, limits: Limits, view: View) -> None:
    try:
        view.begin(plan.verb, over + len(left), over, cluster.classes())
        try:
            Driver(cluster, run, plan.verb, plan.words, limits, view).drive(left)
        finally:
            view.end()
    finally:
        cluster.close()


def _distinct(programs: Iterable[AnyProgram]) -> list[Any]:
    return list({one.digest: one for one in map(as_program, programs)}.values())


def _listed(programs: list[Any], shapes: Shapes) -> list[dict[str, Any]]:
    """Programs with their shapes, of which each has one at least.

    Raises:
        ValueError: shapes for a program that is not there.
    """
    by_name = shapes if isinstance(shapes, Mapping) else {one.name: shapes for one in programs}
    for name in by_name:
        if name not in {one.name for one in programs}:
            raise ValueError(
                f"there are shapes for {name!r} (no program has that name). Leave them out, or add the program."
            )
    return [
        {"digest": one.digest, "name": one.name, "shapes": [_plain(each) for each in by_name.get(one.name, ())] or [{}]}
        for one in programs
    ]


def _plain(shape: Mapping[str, Any]) -> dict[str, Any]:
    """A shape whose values a plan can have: NumPy's numbers are Python's.

    Raises:
        TypeError: a value that is no number, or a shape that is no dict.
    """
    if not isinstance(shape, Mapping):
        raise TypeError(f"shape {shape!r} is no dict (a {type(shape).__qualname__}). Write {{'n': 1024}}, in a list.")
    return {name: _number(name, value) for name, value in shape.items()}


def _number(name: str, value: Any) -> Any:
    if isinstance(value, (bool, int, float, str)):  # the command has texts; NumPy's float64 is a float
        return value
    if is_bool(value):
        return bool(value)
    if (index := index_of(value)) is not None:
        return index
    if is_inexact(value) and hasattr(value, "__float__"):
        return float(value)
    raise TypeError(f"shape {name}={value!r} is no number (a {type(value).__qualname__}). Pass an int or a float.")


def _places(run: Folder | None, address: str | None) -> list[str]:
    """The classes of a run that was begun, or those of the cluster."""
    if run is not None and pathlib.Path(run, "plan.json").exists():
        return Run(pathlib.Path(run)).plan().places
    cluster = Cluster(address)
    try:
        found = list(cluster.classes())
    finally:
        cluster.close()
    if not found:
        raise UnavailableError(
            'no node of the Ray cluster announces a device. Start each with --resources="$(kmux fleet resources)".'
        )
    return found


def _compared(report: Report) -> Report:
    table = _bench.table(report.folder, report.results, report.failures, report.places)
    notes = [
        f"{line['name']} on {line['place']}: {line['result']['noise']}"
        for line in report.results
        if "noise" in line["result"]
    ]
    return replace(report, table=table, notes=notes, page=_bench.write_page(report.folder, report.results))


def _locked(report: Report) -> Report:
    made, notes = _lock.pins(report.results)
    path = report.folder / "winners.lock"
    _lock.write(path, made)
    return replace(report, lock=path, notes=notes)


def _begun(plan: Plan, programs: list[Any], folder: Folder | None) -> Run:
    where = folder or pathlib.Path("kmux-fleet", f"{plan.verb}-{digest_of(plan.to_json())[:12]}")
    run = Run(pathlib.Path(where))
    if not (run.folder / "plan.json").exists():
        for one in programs:
            run.store.put(one)
    run.begin(plan)
    return run
