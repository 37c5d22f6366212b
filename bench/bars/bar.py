"""Bars that Python measures, as bars/bar.h has them for C++: BAR registers one where it is measured, `main` measures them.

Each prints "bar NAME VALUE UNIT LIMIT held", or "missed". The comment above a BAR says what it is, and stands in docs/performance.md.
"""

import sys
import traceback
from collections.abc import Callable, Sequence


class Skipped(Exception):
    """Why a bar cannot be measured here."""


class Limit:
    def __init__(self, sign: str = "", value: float = 0) -> None:
        self.sign, self.value = sign, value

    def holds(self, measured: float) -> bool:
        return {"<=": measured <= self.value, ">=": measured >= self.value}.get(self.sign, True)

    def __str__(self) -> str:
        return f"{self.sign} {self.value:g}" if self.sign else ""


def at_most(value: float) -> Limit:
    return Limit("<=", value)


def at_least(value: float) -> Limit:
    return Limit(">=", value)


def no_limit() -> Limit:
    return Limit()


Measure = Callable[[], float]
_registered: dict[str, tuple[str, Limit, Measure]] = {}


def BAR(name: str, unit: str, limit: Limit, measure: Measure) -> None:
    _registered[name] = (unit, limit, measure)


def names_of(group: str) -> list[str]:
    """Returns what is registered so far; prints each as `bars --list` does, and ends, if the command line asks for it."""
    if sys.argv[1:] == ["--list"]:
        for name, (unit, limit, _) in _registered.items():
            print(f"{group}\t{name}\t{unit}\t{limit}")
        sys.exit()
    return list(_registered)


def print_bar(name: str, value: float, unit: str, limit: Limit) -> bool:
    """Prints the line of a bar; returns whether it is held."""
    is_held = limit.holds(value)
    number = value if isinstance(value, int) else f"{value:.3f}"
    verdict = f" {limit} {'held' if is_held else 'missed'}" if limit.sign else ""
    print(f"bar {name} {number} {unit}{verdict}", flush=True)
    return is_held


def is_held(name: str) -> bool:
    """Measures a bar; one that cannot be measured here is named on stderr."""
    unit, limit, measure = _registered[name]
    try:
        return print_bar(name, measure(), unit, limit)
    except Skipped as why:
        print(f"skipped {name}: {why}", file=sys.stderr, flush=True)
        return True


def main(names: Sequence[str] = ()) -> int:
    """Measures these, or all; returns the exit code: 1 if a bar is missed or fails, 2 if there is no bar of a name."""
    unknown = [name for name in names if name not in _registered]
    if unknown:
        print(f'no bar "{unknown[0]}". Bars: {" ".join(_registered)}', file=sys.stderr)
        return 2
    code = 0
    for name in names or list(_registered):
        try:
            code = code if is_held(name) else 1
        except Exception:  # the others are measured all the same
            traceback.print_exc()
            code = 1
    return code
