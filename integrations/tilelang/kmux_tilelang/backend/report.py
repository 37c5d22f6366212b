"""What became of the kernels that were asked of kmux."""

import logging
import threading
from collections import Counter
from dataclasses import dataclass, field

logger = logging.getLogger("kmux_tilelang")


@dataclass
class Report:
    """Since `install`: how many kernels kmux compiled, by its backend, and which fell back to TileLang's own adapters."""

    compiled: Counter[str] = field(default_factory=Counter)  # by the backend that kmux chose
    fallbacks: dict[str, str] = field(default_factory=dict)  # the reason by the kernel's name

    def __str__(self) -> str:
        taken = ", ".join(f"{count} on {backend}" for backend, count in sorted(self.compiled.items()))
        lines = [f"kmux compiled {sum(self.compiled.values())} kernels" + (f" ({taken})" if taken else "")]
        lines += [f"TileLang compiled '{name}': {reason}" for name, reason in sorted(self.fallbacks.items())]
        return "\n".join(lines)


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
    """Counts a kernel that kmux could not take; says so the first time."""
    with _lock:
        is_new = name not in _report.fallbacks
        _report.fallbacks[name] = reason
    if is_new:
        logger.warning("kernel '%s' runs without kmux: %s", name, reason)
