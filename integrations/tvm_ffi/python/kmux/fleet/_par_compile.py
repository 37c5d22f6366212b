"""`par_compile(..., executor="ray")`: the compilers run on the nodes, and what they made is loaded here, out of the cache."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from .._program import Program
from . import _verbs

_LOCAL = ("out_idx", "verbose", "device", "isolation", "compile_timeout")  # what is built does not depend on these
_BROKEN = frozenset({"crashed", "hung"})  # what would do so here, too


def build(
    programs: Sequence[Program],
    options: Sequence[Mapping[str, Any]],
    timeout: float | timedelta | None,
    progress: bool,
) -> dict[int, str]:
    """Builds programs, each with its options, in the cluster; why, for each that crashed or hung there.

    What failed otherwise is left to the caller, whose compilation says why.

    Raises:
        TypeError: an option that would not mean the same on every node.
        UnavailableError: no Ray, no cluster.
    """
    groups: dict[str, list[int]] = {}
    plain = [{name: value for name, value in one.items() if name not in _LOCAL} for one in options]
    for index, one in enumerate(plain):
        groups.setdefault(repr(sorted(one.items())), []).append(index)
    seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
    limits: dict[str, Any] = {"progress": progress, **({} if seconds is None else {"timeout": seconds})}
    broken: dict[int, str] = {}
    for indices in groups.values():
        given = dict(plain[indices[0]])
        target = str(given.pop("target", "auto"))
        with tempfile.TemporaryDirectory(prefix="kmux-") as run:
            report = _verbs.compile([programs[index] for index in indices], [target], run=run, fetch=False, **limits, **given)
        why = {line["program"]: line["problem"] for line in report.failures if line["code"] in _BROKEN}
        broken.update({index: why[programs[index].digest] for index in indices if programs[index].digest in why})
    return broken
