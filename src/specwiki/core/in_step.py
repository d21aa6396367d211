"""Throughput that moves in step with acceptance: how much of its scatter that is, and what is left of a ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from specwiki.core.stats import CONFIDENCE, Interval, t_quantile

AT_LEAST_RUNS = 5
"""Of both sides together: two sides and a slope leave two degrees of freedom."""


@dataclass(frozen=True)
class InStep:
    """Log throughput regressed on log acceptance length, within each side.

    Attributes:
        slope: Log throughput per log length; 1: throughput rises as the length does.
        slope_p: Chance of a slope so far from 0 if throughput did not follow the length.
        explained: Share of the scatter within sides that the length explains, 0 to 1.
        at_equal_length: B over A at one acceptance length, 95 %.
        scatter: Standard deviation of log throughput within sides.
    """

    slope: float
    slope_p: float
    explained: float
    at_equal_length: Interval
    scatter: float

    @property
    def is_seen(self) -> bool:
        """Whether throughput is shown to rise with the length."""
        return self.slope > 0 and self.slope_p < 1 - CONFIDENCE


def regress(a: Sequence[tuple[float, float]], b: Sequence[tuple[float, float]]) -> InStep | None:
    """Fit one slope for both sides and a level for each: log(tok/s) = level + slope · log(length).

    Assumes that runs scatter alike on both sides.

    Args:
        a: Throughput in tok/s and acceptance length in tokens of each run of A, above 0.
        b: The same of B.

    Returns:
        None with fewer than five runs, or where the length never differs within a side.
    """
    sides = [np.log(np.asarray(side, dtype=np.float64)) for side in (a, b)]
    n = sum(len(side) for side in sides)
    inner = np.concatenate([side - side.mean(axis=0) for side in sides])
    spread, total = float((inner[:, 1] ** 2).sum()), float((inner[:, 0] ** 2).sum())
    if n < AT_LEAST_RUNS or spread <= 0 or total <= 0:
        return None
    slope = float(inner[:, 0] @ inner[:, 1]) / spread
    rest = max(total - slope**2 * spread, 0.0)
    df = n - 3
    variance = rest / df
    gaps = sides[1].mean(axis=0) - sides[0].mean(axis=0)
    level = float(gaps[0] - slope * gaps[1])
    se = math.sqrt(variance * (1 / len(a) + 1 / len(b) + float(gaps[1]) ** 2 / spread))
    half = t_quantile(df, (1 + CONFIDENCE) / 2) * se
    interval = Interval(math.exp(level), math.exp(level - half), math.exp(level + half), min(len(a), len(b)))
    return InStep(slope, _slope_p(slope, variance / spread, df), 1 - rest / total, interval, math.sqrt(total / (n - 2)))


def _slope_p(slope: float, variance: float, df: int) -> float:
    """Two-sided p-value of a slope, from Student's t."""
    if variance == 0:
        return 0.0
    return float(2 * special.stdtr(df, -abs(slope) / math.sqrt(variance)))
