"""What a node does with a unit: this runs in Ray's workers."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import Error
from . import _classes, _command
from ._command import Answer
from ._store import Store, own_folder

# These say nothing of the program: another node, or the same one again, may do it. What is not here is the program's own.
ELSEWHERE = frozenset({"crashed", "hung", "died", "internal", "timed_out", "out_of_memory", "cancelled", "unavailable", "unsupported"})
UNABLE = frozenset({"unavailable", "unsupported"})  # of these: no use to try the same node again


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


def perform(work: Work, programs: Mapping[str, Any]) -> Done:
    """Does the units of `work`; `programs` has a reference of Ray's object store for each digest."""
    import ray

    store = Store(own_folder() / "programs")
    paths = {digest: str(store.fetch(digest, lambda ref=ref: ray.get(ref))) for digest, ref in programs.items()}  # type: ignore[misc]
    try:
        outcomes = _DO[work.verb](work, paths)
    except Error as error:
        outcomes = tuple(Outcome(key, error.code, str(error), {}, 0) for key, _, _ in work.units)
    return Done(ray.get_runtime_context().get_node_id(), socket.gethostname(), outcomes)


def _compile(work: Work, paths: Mapping[str, str]) -> tuple[Outcome, ...]:
    files = [paths[digest] for _, digest, _ in work.units]
    words = ["compile", *files, "--target", work.place, "--jobs", "1", "--keep-going", *work.words]
    answer = _command.call(words, work.seconds * len(files))
    if len(work.units) == 1:
        return (_single(work.units[0][0], answer, _kept(answer.document)),)
    if answer.problem:
        return tuple(Outcome(key, answer.code, answer.problem, {}, answer.seconds) for key, _, _ in work.units)
    fates = zip(work.units, answer.document["programs"])
    return tuple(_of_many(key, fate) for (key, _, _), fate in fates)


def _of_many(key: str, fate: Mapping[str, Any]) -> Outcome:
    error = fate.get("error") or {"code": "" if fate["state"] == "done" else "cancelled", "message": ""}
    return Outcome(key, error["code"], error["message"], _kept(fate), fate.get("build_ns", 0) / 1e9)


def _kept(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: document[name] for name in ("backend", "from_cache") if name in document}


def _single(key: str, answer: Answer, result: dict[str, Any]) -> Outcome:
    return Outcome(key, answer.code, answer.problem, {} if answer.problem else result, answer.seconds)


_DO = {"compile": _compile}
