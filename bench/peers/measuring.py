"""Statistics: medians with intervals that need no assumption about the noise."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

LEVEL = 0.95


@dataclass(frozen=True)
class Figure:
    """A median, and where the true one lies: by order statistics, or least and most where there are too few samples."""

    median: float
    low: float
    high: float
    samples: int

    def to_json(self) -> dict[str, float]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, float]) -> Figure:
        return cls(fields["median"], fields["low"], fields["high"], int(fields["samples"]))


def rank(count: int, level: float = LEVEL) -> int:
    """How many of `count` sorted samples lie outside the interval on either side.

    The median is below the k-th smallest if fewer than k of the samples are below the median: a binomial with 1/2.
    """
    outside, tail = 0, 0.0
    for below in range(count // 2):
        tail += math.comb(count, below) / 2**count
        if 2 * tail > 1 - level:
            break
        outside = below + 1
    return max(outside - 1, 0)


def figure(samples: Sequence[float]) -> Figure:
    if not samples:
        raise ValueError("no samples, so no median")
    ordered = sorted(samples)
    outside = rank(len(ordered))
    return Figure(statistics.median(ordered), ordered[outside], ordered[-1 - outside], len(ordered))


def ratio(samples: Sequence[float], baseline: Sequence[float]) -> Figure:
    """How many times the baseline, round by round: what slows a whole round down cancels."""
    if len(samples) != len(baseline):
        raise ValueError(f"{len(samples)} rounds against {len(baseline)}")
    return figure([ours / theirs for ours, theirs in zip(samples, baseline)])


def without_warm_up(samples: Sequence[float]) -> Sequence[float]:
    """All but the first tenth."""
    return samples[len(samples) // 10 :]


def turn(count: int, number: int) -> list[int]:
    """Who comes when in round `number`: another begins each time, and the direction changes."""
    order = [(number // 2 + place) % count for place in range(count)]
    return order[::-1] if number % 2 else order
