"""Counts of the kernels that kmux was requested to compile."""

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

logger = logging.getLogger("kmux_tilelang")


@dataclass
class Report:
    """Since `install`: how many kernels kmux compiled, by its backend, and which fell back to TileLang's own adapters."""

    compiled: Counter[str] = field(default_factory=Counter)  # by the backend that kmux chose
    fallbacks: dict[str, Counter[str]] = field(default_factory=dict)  # by the kernel's name, how many for each reason

    def __str__(self) -> str:
        taken = ", ".join(f"{count} on {backend}" for backend, count in sorted(self.compiled.items()))
        lines = [f"kmux compiled {sum(self.compiled.values())} kernels" + (f" ({taken})" if taken else "")]
        for name, reasons in sorted(self.fallbacks.items()):
            lines += [f"TileLang compiled '{name}'{_times(count)}: {reason}" for reason, count in sorted(reasons.items())]
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON has them, which `add` takes."""
        return {"compiled": dict(self.compiled), "fallbacks": {name: dict(reasons) for name, reasons in self.fallbacks.items()}}

    def add(self, counts: Mapping[str, Any]) -> None:
        """Adds what another process counted."""
        self.compiled.update(counts["compiled"])
        for name, reasons in counts["fallbacks"].items():
            self.fallbacks.setdefault(name, Counter()).update(reasons)


def _times(count: int) -> str:
    return "" if count == 1 else f" {count} times"


_report = Report()
_lock = threading.Lock()


def report() -> Report:
    """The counts as they are now; the object goes on to count."""
    return _report


def forget() -> None:
    """Begins to count anew."""
    with _lock:
        _report.compiled.clear()
        _report.fallbacks.clear()


def count_compiled(backend: str) -> None:
    """Counts a kernel that `backend` of kmux runs."""
    with _lock:
        _report.compiled[backend] += 1


def count_fallback(name: str, reason: str) -> None:
    """Counts a kernel that kmux could not take; says so the first time that one of this name does not for this reason.

    Kernels share names: "main" is that of most.
    """
    with _lock:
        reasons = _report.fallbacks.setdefault(name, Counter())
        is_new = reason not in reasons
        reasons[reason] += 1
    if is_new:
        logger.warning("kernel '%s' runs without kmux: %s", name, reason)
