"""Cycle time: what a throughput ratio is made of, and lines through cycle time against depth."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specwiki.core.stats import CONFIDENCE, Boots, Interval, Numbers, finite_array, ratio_interval, t_quantile
from specwiki.errors import MeasurementError


@dataclass(frozen=True)
class Decomposition:
    """A throughput ratio, and what it is made of: throughput = tokens per step ÷ cycle time, times a rest.

    Attributes:
        throughput: Arm over control.
        tokens_per_step: Its part from acceptance.
        cycle_time: Its part from the engine's step; above 1 is slower.
        rest: What neither explains: prefill, cache, queueing.
    """

    throughput: Interval
    tokens_per_step: Interval
    cycle_time: Interval
    rest: Interval


@dataclass(frozen=True)
class Line:
    """Least-squares line through points, in the units of x and y.

    Attributes:
        intercept: y at x = 0.
        slope: y per x.
        intercept_se: Its standard error; None with two points, which leave no scatter to judge it by.
        slope_se: Its standard error; None with two points.
        residual_sd: Scatter of the points about the line; None with two points.
        df: Points less two.
    """

    intercept: float
    slope: float
    intercept_se: float | None
    slope_se: float | None
    residual_sd: float | None
    df: int


def cycle_ms(tokens_per_step: float, output_tok_s: float) -> float:
    """Wall time of one engine step, in ms, of one stream: tokens per step over tokens per second.

    Raises:
        MeasurementError: If either is not above 0.
    """
    if not (tokens_per_step > 0 and output_tok_s > 0):
        raise _error(f"{tokens_per_step} tokens per step at {output_tok_s} tok/s, expected both above 0")
    return 1000 * tokens_per_step / output_tok_s


def decompose(
    throughput: Numbers,
    tokens_per_step: Numbers,
    cycle_time: Numbers,
    boots: Boots | None = None,
) -> Decomposition:
    """Take a throughput ratio apart, replicate by replicate. All three are log ratios. Shape: (replicates,) each.

    Boots change how fast an engine is, not which tokens it accepts: their component is in throughput and cycle time.

    Raises:
        MeasurementError: As `log_mean`, or if the three are not of the same replicates.
    """
    parts = [finite_array(one) for one in (throughput, tokens_per_step, cycle_time)]
    if len({len(one) for one in parts}) != 1:
        raise _error(f"ratios of {[len(one) for one in parts]} replicates, expected the same for each part")
    rest = parts[0] - parts[1] + parts[2]
    return Decomposition(
        ratio_interval(parts[0], boots), ratio_interval(parts[1]), ratio_interval(parts[2], boots), ratio_interval(rest)
    )


def line_errors(xs: Sequence[float], residual_sd: float) -> tuple[float, float]:
    """Standard errors of intercept and slope of a least-squares line through points at `xs`.

    Args:
        xs: Where the points lie; at least two different ones.
        residual_sd: Scatter of the points about the line, in the unit of y.

    Raises:
        MeasurementError: If all points lie at one x.
    """
    x = np.asarray(xs, dtype=np.float64)
    spread = float(((x - x.mean()) ** 2).sum()) if len(x) else 0.0
    if not spread > 0:
        raise _error(f"points at {list(xs)}, expected two or more different places")
    return residual_sd * math.sqrt(1 / len(x) + float(x.mean()) ** 2 / spread), residual_sd / math.sqrt(spread)


def fit_line(xs: Sequence[float], ys: Sequence[float]) -> Line:
    """Least-squares line, assuming that points scatter alike and independently.

    Raises:
        MeasurementError: If x and y differ in number, or all points lie at one x.
    """
    if len(xs) != len(ys):
        raise _error(f"{len(xs)} places and {len(ys)} values, expected as many of each")
    unit_intercept, unit_slope = line_errors(xs, 1)
    slope, intercept = np.polynomial.polynomial.polyfit(xs, ys, 1)[::-1]
    df = len(xs) - 2
    if df == 0:
        return Line(float(intercept), float(slope), None, None, None, df)
    residuals = np.asarray(ys) - intercept - slope * np.asarray(xs)
    sd = math.sqrt(float((residuals**2).sum()) / df)
    return Line(float(intercept), float(slope), sd * unit_intercept, sd * unit_slope, sd, df)


def coefficient_interval(estimate: float, se: float, df: int, confidence: float = CONFIDENCE) -> Interval:
    """Interval of an intercept or a slope, with t of the points less two, not the normal distribution."""
    half = t_quantile(df, (1 + confidence) / 2) * se
    return Interval(estimate, estimate - half, estimate + half, df + 2)


def _error(what: str) -> MeasurementError:
    return MeasurementError("cycle time", what, "Measure the missing depths, or leave the line out.")
