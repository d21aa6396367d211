"""Two measurements as a ratio with its interval and a verdict, or the reasons why they cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from specwiki.core.impossible import in_bench_result
from specwiki.core.result import Result, Value
from specwiki.core.stats import (
    ASSUMED_BOOT_SD,
    AT_LEAST,
    CONFIDENCE,
    MIN_FLOOR,
    Interval,
    LogMean,
    log_mean,
    seen,
    t_quantile,
)
from specwiki.errors import MeasurementError

Verdict = Literal["faster", "slower", "no difference seen", "cannot be told"]

WORKLOAD_KEYS = ("backend", "endpoint_type", "model_id", "tokenizer_id", "num_prompts", "request_rate", "burstiness",
                 "max_concurrency", "total_input_tokens")  # fmt: skip
"""Keys of a `vllm bench serve` result that two comparable ones have alike (`endpoint_type` before 0.10)."""
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
    """

    metric: str
    ratio: float
    low: float | None
    high: float | None
    verdict: Verdict

    def __str__(self) -> str:
        interval = "one run, no interval" if self.low is None else f"95 % {self.low:.3f} to {self.high:.3f}"
        return f"{self.metric}: B is {self.ratio:.3f} of A ({interval}): {self.verdict}"


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
        raise _cannot(differing, "Compare results of one plan and prompt set")
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
    return Comparison(key, ratio, interval.low, interval.high, _verdict(interval, floor))


def compare_benches(ones: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> Comparison:
    """Compare `vllm bench serve` results: repeated runs of A with repeated runs of B.

    Args:
        ones: Results of A, one per run.
        others: Results of B.

    Raises:
        MeasurementError: If a file has impossible numbers, or the workloads differ; names all of it.
    """
    problems = [f"{side}: {found}" for side, runs in (("A", ones), ("B", others)) for run in runs
                for found in in_bench_result(run)]  # fmt: skip
    problems += _other_workloads([*ones, *others])
    if problems:
        raise _cannot(problems, "Measure both with the same prompts, load and client")
    a, b = ([float(run["output_throughput"]) for run in runs] for runs in (ones, others))
    if min(len(a), len(b)) < AT_LEAST:
        ratio = (sum(b) / len(b)) / (sum(a) / len(a))
        return Comparison("output_throughput", ratio, None, None, "cannot be told")
    interval = _unpaired(log_mean([math.log(one) for one in a]), log_mean([math.log(one) for one in b]))
    return Comparison("output_throughput", interval.point, interval.low, interval.high, _verdict(interval, MIN_FLOOR))


def _other_workloads(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    for key in WORKLOAD_KEYS:
        values = {str(run.get(key)) for run in runs}
        if len(values) > 1:
            found.append(f"{key} is {' and '.join(sorted(values))}")
    return found


def _unpaired(a: LogMean, b: LogMean) -> Interval:
    """B over A from independent runs: Welch's t on log throughput."""
    se = math.hypot(a.se, b.se)
    weight = a.se**4 / a.df + b.se**4 / b.df
    half = t_quantile(se**4 / weight if weight else math.inf, (1 + CONFIDENCE) / 2) * se
    mean = b.mean - a.mean
    return Interval(math.exp(mean), math.exp(mean - half), math.exp(mean + half), min(a.n, b.n))


def _verdict(ratio: Interval, floor: float) -> Verdict:
    if seen(ratio, floor):
        return "faster" if ratio.point > 1 else "slower"
    return "no difference seen"


def _cannot(reasons: Sequence[str], hint: str) -> MeasurementError:
    return MeasurementError("compare", f"they cannot be compared: {'; '.join(reasons)}", hint)
