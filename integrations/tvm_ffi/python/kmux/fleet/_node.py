"""What a node does with a unit: this runs in Ray's workers."""

from __future__ import annotations

import functools
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import Error
from . import _classes, _command
from ._command import Answer
from ._store import Store, own_folder

# These say nothing of the program: another node, or the same one again, may do it. What is not here is the program's own.
ELSEWHERE = frozenset(
    {"crashed", "hung", "died", "internal", "timed_out", "out_of_memory", "cancelled", "unavailable", "unsupported"}
)
UNABLE = frozenset({"unavailable", "unsupported"})  # of these: no use to try the same node again

_WIDE = 0.1  # an interval of more than that part of its median is measured again


@dataclass(frozen=True)
class Work:
    """Units of one place, as they go to a node."""

    verb: str
    place: str
    units: tuple[tuple[str, str, Mapping[str, Any]], ...]  # key, digest, values
    words: tuple[str, ...]
    seconds: float  # that each may take


@dataclass(frozen=True)
class Outcome:
    """What became of one unit."""

    key: str
    code: str  # empty: it is done
    problem: str
    result: dict[str, Any]
    seconds: float


@dataclass(frozen=True)
class Done:
    """What a node did."""

    node: str
    host: str
    outcomes: tuple[Outcome, ...]


@functools.lru_cache(maxsize=None)
def _store() -> Store:
    """The programs that this node has; one that this process has verified is not read again."""
    return Store(own_folder() / "programs")


def perform(work: Work, programs: Mapping[str, Any]) -> Done:
    """Does the units of `work`; `programs` has for each digest where Ray's object store has it, with other programs perhaps."""
    import ray

    @functools.lru_cache(maxsize=None)
    def get(reference: Any) -> Any:
        return ray.get(reference)

    try:
        store = _store()
        paths = {digest: str(store.fetch(digest, lambda one=digest: get(programs[one])[one])) for digest in programs}  # type: ignore[misc]
        outcomes = _DO[work.verb](work, paths)
    except Exception as error:  # with the node, which the next attempt avoids
        outcomes = tuple(Outcome(key, *_code_and_problem(error), {}, 0) for key, _, _ in work.units)
    return Done(ray.get_runtime_context().get_node_id(), socket.gethostname(), outcomes)


def _code_and_problem(error: Exception) -> tuple[str, str]:
    """What became of a unit whose node raised `error`."""
    if isinstance(error, Error):
        return error.code, str(error)
    return "unavailable" if isinstance(error, OSError) else "internal", f"{type(error).__name__}: {error}"


def build(work: Work, paths: Mapping[str, str], jobs: int = 1) -> tuple[Outcome, ...]:
    """Builds each unit for the place of `work`; what the cache has is not built again."""
    files = [paths[digest] for _, digest, _ in work.units]
    words = ["compile", *files, "--target", work.place, "--jobs", str(jobs), "--keep-going", *work.words]
    answer = _command.call(words, work.seconds * len(files))
    if len(work.units) == 1:
        return (_single(work.units[0][0], answer, _kept(answer.document)),)
    if answer.problem:
        return tuple(Outcome(key, answer.code, answer.problem, {}, answer.seconds) for key, _, _ in work.units)
    fates = zip(work.units, answer.document["programs"])
    return tuple(_of_many(key, fate) for (key, _, _), fate in fates)


def _of_many(key: str, fate: Mapping[str, Any]) -> Outcome:
    error = fate.get("error") or {"code": "" if fate["state"] == "done" else "cancelled", "message": ""}
    return Outcome(key, _command.code_of(error), error["message"], _kept(fate), fate.get("build_ns", 0) / 1e9)


def _kept(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: document[name] for name in ("backend", "from_cache") if name in document}


def _single(key: str, answer: Answer, result: dict[str, Any]) -> Outcome:
    return Outcome(key, answer.code, answer.problem, {} if answer.problem else result, answer.seconds)


def _measure(work: Work, paths: Mapping[str, str], one: Callable[[str, list[str], float], Outcome]) -> tuple[Outcome, ...]:
    """`one` of each unit, with the words of the command that are its own, while this process has the device."""
    with _classes.held(work.place, work.seconds) as device:
        place = ["--target", _classes.target_of(work.place), "--device", str(device)]
        return tuple(
            one(key, [paths[digest], *place, *_sets(values), *work.words], work.seconds) for key, digest, values in work.units
        )


def _sets(values: Mapping[str, Any]) -> list[str]:
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def _tuned(key: str, words: list[str], seconds: float) -> Outcome:
    """Measured once, and once more where it is undecided or the interval of the winner is wide: what remains so has a note."""
    answer = _command.call(["tune", *words], seconds)
    took = answer.seconds
    if not answer.problem and _quality(answer.document) > (False, _WIDE):
        again = _command.call(["tune", *words, "--again"], seconds)
        took += again.seconds
        if not again.problem and _quality(again.document) < _quality(answer.document):
            answer = again
    if answer.problem:
        return Outcome(key, answer.code, answer.problem, {}, took)
    result, spread = dict(answer.document), _spread(answer.document)
    if spread > _WIDE:
        result["noise"] = (
            f"measured twice, and its time still varies by {100 * spread:.0f} % (a device that others use, or that throttles)"
        )
    return Outcome(key, "", "", result, took)


def _quality(document: Mapping[str, Any]) -> tuple[bool, float]:
    """Least is best: whether it is undecided, and how wide the interval of the winner's time is."""
    return not document.get("sure", True), _spread(document)


def _spread(document: Mapping[str, Any]) -> float:
    """How wide the interval of the winner's time is, as a part of it."""
    interval = document["candidates"][document["winner"]]["run_us"]
    return float((interval["high"] - interval["low"]) / interval["median"]) if interval["median"] else 0.0


def _benched(key: str, words: list[str], seconds: float) -> Outcome:
    """Measured once, and once more where the device drifted under it: what drifts still says so."""
    best, took = None, 0.0
    for _ in range(2):
        answer = _command.call(["bench", *words], seconds, "--json")
        took += answer.seconds
        if answer.problem:
            return Outcome(key, answer.code, answer.problem, {}, took)
        if problem := _untimed(answer.document):
            return Outcome(key, "unavailable", problem, {}, took)
        if best is None or _drift(answer.document) < _drift(best):
            best = answer.document
        if _drift(best) <= _WIDE:
            break
    assert best is not None
    result: dict[str, Any] = {"document": best}
    if _drift(best) > _WIDE:
        result["noise"] = f"measured twice, and the machine drifted by {100 * _drift(best):.0f} % meanwhile"
    return Outcome(key, "", "", result, took)


def _untimed(document: Mapping[str, Any]) -> str:
    """Why nothing was timed, if nothing was."""
    entrants = [entrant for contest in document["contests"] for entrant in contest["entrants"]]
    if any(entrant["state"] == "timed" for entrant in entrants):
        return ""
    return "no backend was timed: " + "; ".join(f"{one['backend']}: {one['problem']}" for one in entrants)


def _drift(document: Mapping[str, Any]) -> float:
    """By what part of its time something that does not change took longer at the end."""
    contests = document["contests"]
    drifts = [drift for contest in contests for drift in (contest["host_drift"], *contest["device_drift"].values())]
    return max(map(abs, drifts), default=0.0)


_DO: dict[str, Callable[[Work, Mapping[str, str]], tuple[Outcome, ...]]] = {
    "compile": build,
    "tune": functools.partial(_measure, one=_tuned),
    "bench": functools.partial(_measure, one=_benched),
}
