"""Which depth: the adoption rule, the best depth at a load, the schedule over loads, the replicates still needed.

Decides by rules that are fixed before the run, from intervals of `stats`; measures and words nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy import special

from specwiki.core.stats import (
    AT_LEAST,
    CONFIDENCE,
    Boots,
    Floats,
    Interval,
    LogMean,
    Numbers,
    finite_array,
    log_mean,
    ratio_interval,
    t_quantile,
)
from specwiki.errors import MeasurementError

THRESHOLD = 1.10
"""A candidate replaces the current setting at +10 %. Source: the rule that the pair itself uses (quoted source 000)."""
NEAR_BEST = 0.97
"""A shallower depth will do if it is shown to reach this share of the best."""
POWER = 0.8
MOST_REPLICATES = 1000

_NORMALS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
_CHANCES, _SHARES = np.polynomial.legendre.leggauss(48)

Variant = Literal["strict", "weak"]


class Verdict(StrEnum):
    """Outcome of the adoption rule."""

    ADOPT = "adopt"
    KEEP = "keep"
    UNDECIDED = "undecided"


class Choice(StrEnum):
    """Outcome of the choice of depth."""

    DEPTH = "depth"
    OFF = "off"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Adoption:
    """Outcome of the rule for one candidate against the current setting.

    Attributes:
        verdict: Adopt, keep, or undecided.
        ratio: Candidate over current, 95 %.
        lower: One-sided 95 % lower bound of the ratio.
        upper: One-sided 95 % upper bound.
        replicates_needed: More replicates that would decide in 8 of 10 cases if the point is the truth, boots in
            proportion; None when decided, or when more than 1000 would be needed.
    """

    verdict: Verdict
    ratio: Interval
    lower: float
    upper: float
    replicates_needed: int | None


@dataclass(frozen=True)
class DepthChoice:
    """Outcome of the choice of depth at one load.

    Attributes:
        choice: A depth, off, or undecided.
        depth: The depth to run at; None unless one was chosen.
        best: The depth with the highest mean, whether or not it can be told from the others.
        to_best: Each depth over the best of the others, with simultaneous one-sided 95 % bounds on each side.
        to_off: Each depth over off, simultaneous 95 %; empty if off was not measured.
    """

    choice: Choice
    depth: int | None
    best: int
    to_best: Mapping[int, Interval]
    to_off: Mapping[int, Interval]


@dataclass(frozen=True)
class Tier:
    """What a schedule does over a range of loads.

    Attributes:
        first: Lowest number of concurrent requests.
        last: Highest; None: no end.
        depth: Depth to draft there; None where none was chosen or measured.
        measured: Whether the load at `first` was measured.
    """

    first: int
    last: int | None
    depth: int | None
    measured: bool


def adopt(ratios: Numbers, variant: Variant, threshold: float = THRESHOLD, boots: Boots | None = None) -> Adoption:
    """Apply the adoption rule: change the setting only for a gain of the threshold.

    Strict adopts if the one-sided 95 % lower bound reaches the threshold; weak, if the point does and the lower bound
    is above 1. Both keep if the upper bound is below the threshold. Anything else is undecided.

    Args:
        ratios: Log ratios, candidate over current setting. Shape: (replicates,), at least 2.
        variant: Fixed before the run.
        threshold: Ratio to reach.
        boots: None if both were measured in the same boots.

    Raises:
        MeasurementError: As `stats.log_mean`.
    """
    estimate = log_mean(ratios, boots)
    t = t_quantile(estimate.df, CONFIDENCE)
    lower, upper, point = estimate.bound(-t), estimate.bound(t), estimate.bound(0)
    reached = lower >= threshold if variant == "strict" else point >= threshold and lower > 1
    verdict = Verdict.ADOPT if reached else Verdict.KEEP if upper < threshold else Verdict.UNDECIDED
    needed = None
    if verdict is Verdict.UNDECIDED:
        to_show = 1.0 if variant == "weak" and point >= threshold else threshold
        total = replicates_needed(estimate.mean - math.log(to_show), estimate.se * math.sqrt(estimate.n))
        needed = None if total is None else max(total - estimate.n, 1)
    return Adoption(verdict, ratio_interval(ratios, boots), lower, upper, needed)


def replicates_needed(distance: float, sd: float, power: float = POWER) -> int | None:
    """Replicates after which a one-sided 95 % bound excludes what lies `distance` from the truth.

    Args:
        distance: Log ratio between the truth and what is to be excluded, either sign.
        sd: Standard deviation of one replicate's log ratio.
        power: Share of experiments in which that should succeed.

    Returns:
        At least 2; None if more than 1000 are needed.
    """
    for n in range(2, MOST_REPLICATES + 1):
        reach = (t_quantile(n - 1, CONFIDENCE) + t_quantile(n - 1, power)) * sd / math.sqrt(n)
        if abs(distance) > reach:
            return n
    return None


def choose_depth(
    log_throughput: Mapping[int, Sequence[float]], off: Sequence[float] | None = None, boots: Boots | None = None
) -> DepthChoice:
    """Smallest depth shown to be within 3 % of the best, else the best; off or undecided if the best shows no gain.

    "Shown" is a lower bound that holds for all depths together, so that ignorance never makes a depth look as good as
    the best, and the best of many is not believed for being the luckiest.

    Args:
        log_throughput: For each depth, log tok/s per replicate, all measured in the same boots. Shape: (replicates,).
        off: Log tok/s of off in the same replicates; None if it was not measured, and then nothing beats it.
        boots: Boots of the depths (arm) and of off (control).

    Raises:
        MeasurementError: If there is no depth, a depth lacks a replicate, or there are fewer than 2.
    """
    depths = sorted(log_throughput)
    lengths = [len(log_throughput[depth]) for depth in depths] + ([] if off is None else [len(off)])
    if not depths or len(set(lengths)) != 1:
        raise _error(f"depths {depths} and off with {lengths} replicates, expected a depth and the same for each")
    table = np.array([finite_array(log_throughput[depth], AT_LEAST) for depth in depths])
    to_best = dict(zip(depths, _to_best_of_others(table), strict=True))
    best = depths[int(table.mean(axis=1).argmax())]
    near = [depth for depth in depths if to_best[depth].low >= NEAR_BEST]
    to_off = {} if off is None else _to_control(depths, table - finite_array(off), boots)
    if to_off and to_off[best].low > 1:
        return DepthChoice(Choice.DEPTH, min([*near, best]), best, to_best, to_off)
    shown_off = bool(to_off) and all(ratio.high < 1 for ratio in to_off.values())
    return DepthChoice(Choice.OFF if shown_off else Choice.UNDECIDED, None, best, to_best, to_off)


def schedule(best_by_load: Mapping[int, int | None]) -> list[Tier]:
    """Tiers from each measured load to below the next; below the first and beyond the last is not measured.

    Args:
        best_by_load: Depth chosen at each measured number of concurrent requests; None where none was.

    Raises:
        MeasurementError: If there is no load, or one is below 1.
    """
    loads = sorted(best_by_load)
    if not loads or loads[0] < 1:
        raise _error(f"loads {loads}, expected one or more, each at least 1")
    lasts = [following - 1 for following in loads[1:]] + [loads[-1]]
    tiers = [Tier(first, last, best_by_load[first], measured=True) for first, last in zip(loads, lasts, strict=True)]
    below = [Tier(1, loads[0] - 1, None, measured=False)] if loads[0] > 1 else []
    return [*below, *tiers, Tier(loads[-1] + 1, None, None, measured=False)]


def _to_best_of_others(table: Floats) -> list[Interval]:
    """Comparisons with the best (Hsu 1996, section 4.1), from the scatter of all depths together.

    Each depth is compared with every other, with the one-sided constant of Dunnett. The scatter is the residual of
    depths by replicates: with (n - 1)(depths - 1) degrees of freedom it can decide at 4 replicates, where pairs with
    n - 1 cannot. It assumes that depths scatter alike, which a randomised order in one boot makes plausible.
    """
    num_depths, n = table.shape
    if num_depths == 1:
        return [Interval(1.0, 1.0, 1.0, n)]
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    df = (n - 1) * (num_depths - 1)
    se = math.sqrt(2 / n * float((residuals**2).sum()) / df)
    quantile = max_t(num_depths - 1, df, CONFIDENCE)
    means = table.mean(axis=1)
    gaps = [float(mean - np.delete(means, i).max()) for i, mean in enumerate(means)]
    estimates = [LogMean(gap, se, df, n) for gap in gaps]
    return [Interval(one.bound(0), one.bound(-quantile), one.bound(quantile), n) for one in estimates]


def _to_control(depths: Sequence[int], ratios: Floats, boots: Boots | None) -> dict[int, Interval]:
    """Each depth over the control, for all depths together: max-T in place of t, boot-to-boot component included.

    Degrees of freedom are rounded down to a decimal, at most 100, so that `max_t` remembers: a touch too wide.
    """
    estimates: dict[int, LogMean] = {d: log_mean(row, boots) for d, row in zip(depths, ratios, strict=True)}
    intervals = {}
    for depth, one in estimates.items():
        reach = max_t(len(depths), math.floor(min(one.df, 100) * 10) / 10, (1 + CONFIDENCE) / 2)
        intervals[depth] = Interval(one.bound(0), one.bound(-reach), one.bound(reach), one.n)
    return intervals


@lru_cache(maxsize=4096)
def max_t(comparisons: int, df: float, probability: float) -> float:
    """Quantile of the largest of several t statistics that share one arm (correlation one half) and one scatter.

    Args:
        comparisons: At least 1; 1 is Student's t.
        df: Degrees of freedom of the scatter; may be infinite.
        probability: 0.5 to 1.

    Source: Dunnett, A Multiple Comparison Procedure, 1955; here by quadrature, right to three digits.
    """
    scales = np.ones_like(_CHANCES) if math.isinf(df) else np.sqrt(special.chdtri(df, (1 - _CHANCES) / 2) / df)
    low, high = t_quantile(df, probability), t_quantile(df, 1 - (1 - probability) / comparisons)
    for _ in range(14):
        quantile = (low + high) / 2
        below = special.ndtr(math.sqrt(2) * quantile * scales[:, None] + _NORMALS) ** comparisons
        reached = float(_SHARES @ below @ _WEIGHTS) / float(_SHARES.sum() * _WEIGHTS.sum())
        low, high = (quantile, high) if reached < probability else (low, quantile)
    return high


def _error(what: str) -> MeasurementError:
    return MeasurementError("choice of depth", what, "Run the missing replicates, or leave the load out.")
