"""Two results of specwiki as ratios with intervals and verdicts, or the reasons why they cannot be compared.

Files of other tools are compared in `compare_runs`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from specwiki.core.result import Result, Value
from specwiki.core.stats import (
    ASSUMED_BOOT_SD,
    AT_LEAST,
    CONFIDENCE,
    MIN_FLOOR,
    Interval,
    seen,
    t_quantile,
)
from specwiki.errors import MeasurementError

Verdict = Literal["faster", "slower", "longer", "shorter", "no difference seen", "cannot be told"]
"""Throughput is faster or slower, an acceptance length longer or shorter."""

NORMAL_95 = t_quantile(math.inf, (1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Comparison:
    """B over A in one metric.

    Attributes:
        metric: What is compared, e.g. `output_tok_s.c1.off`.
        ratio: B over A; above 1 B is faster.
        low: Lower end of the 95 % interval; None: one run of either, and no interval.
        high: Upper end.
        verdict: In words.
        notes: What else must be known to read the ratio rightly, a sentence each.
    """

    metric: str
    ratio: float
    low: float | None
    high: float | None
    verdict: Verdict
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The ratio on a line, and each note on one of its own."""
        interval = "one run, no interval" if self.low is None else f"95 % {self.low:.3f} to {self.high:.3f}"
        ratio = f"{self.metric}: B is {self.ratio:.3f} of A ({interval}): {self.verdict}"
        return "\n".join([ratio, *(f"  note: {note}" for note in self.notes)])


def compare_results(one: Result, other: Result) -> list[Comparison]:
    """Compare two results of specwiki, value by value.

    On one machine throughputs are compared, each with the boot-to-boot component that a pair of runs has; across
    machines only ratios to `off`: absolute numbers of two machines do not belong beside each other.

    Raises:
        MeasurementError: If they measured different things; names every part that differs.
    """
    differing = [f"experiment {one.experiment} and {other.experiment}"] if one.experiment != other.experiment else []
    differing += [
        f"another {part}"
        for part in ("plan", "prompts")
        if one.measured_under.get(part) != other.measured_under.get(part)
    ]
    if differing:
        raise cannot(differing, "Compare results of one plan and prompt set")
    same_machine = (one.machine, one.profile) == (other.machine, other.profile)
    metric = "output_tok_s." if same_machine else "ratio."
    shared = [key for key in sorted(one.values) if key.startswith(metric) and key in other.values]
    pairs = [(key, one.values[key], other.values[key]) for key in shared]
    boots = _boot_variance(one, other) if same_machine else 0.0
    floor = max(_floor(one), _floor(other))
    return [_compared(key, a, b, boots, floor) for key, a, b in pairs if a.number and b.number]


def _boot_variance(one: Result, other: Result) -> float:
    """Variance of a log ratio across the boots of two runs; each arm saw about half of its run's boots."""
    boots = [max(float(run.facts.get("boots", AT_LEAST)) / 2, 1.0) for run in (one, other)]
    return ASSUMED_BOOT_SD**2 * sum(1 / count for count in boots)


def _floor(result: Result) -> float:
    floors = [value.number for key, value in result.values.items() if key.startswith("floor.") and value.number]
    return max([MIN_FLOOR, *floors])


def _compared(key: str, a: Value, b: Value, boot_variance: float, floor: float) -> Comparison:
    """Ratio of two values; half-widths of their intervals add in quadrature on the log scale, boots included."""
    assert a.number is not None  # noqa: S101 - the caller passes over missing values
    assert b.number is not None  # noqa: S101
    ratio = b.number / a.number
    if a.low is None or b.low is None or a.high is None or b.high is None or min(a.low, b.low) <= 0:
        return Comparison(key, ratio, None, None, "cannot be told")
    halves = [math.log(value.high / value.low) / 2 for value in (a, b) if value.high and value.low]
    half = math.sqrt(sum(one**2 for one in halves) + NORMAL_95**2 * boot_variance)
    interval = Interval(ratio, ratio * math.exp(-half), ratio * math.exp(half), min(a.n or 0, b.n or 0))
    return Comparison(key, ratio, interval.low, interval.high, verdict_of(interval, floor))


def verdict_of(ratio: Interval, floor: float) -> Verdict:
    """What an interval of B over A says, given by how much the same thing differs from itself."""
    if seen(ratio, floor):
        return "faster" if ratio.point > 1 else "slower"
    return "no difference seen"


def cannot(reasons: Sequence[str], hint: str) -> MeasurementError:
    """The error of a comparison that is refused, with every reason."""
    return MeasurementError("compare", f"they cannot be compared: {'; '.join(reasons)}", hint)
