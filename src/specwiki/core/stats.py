"""How sure a number is: intervals of ratios, means and acceptance, the boot-to-boot component, the A/A floor.

Decides nothing (`depth`); randomness comes in as a generator of the caller.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from specwiki.errors import MeasurementError

CONFIDENCE = 0.95
ASSUMED_BOOT_SD = 0.02
"""Boot-to-boot sd of log throughput until the machine has boots of its own. Our choice, not measured."""
MIN_BOOTS = 5
MIN_FLOOR = 0.01
"""Differences below 1 % are never called seen. Our choice."""
RESAMPLES = 2000
AT_LEAST = 2
"""Fewer replicates, or prompts, have no scatter and so no interval."""
_LARGEST = 700.0  # logarithms above it have no float

Floats = npt.NDArray[np.float64]
Numbers = Sequence[float] | Floats


@dataclass(frozen=True)
class Interval:
    """A number and how sure it is.

    Attributes:
        point: The estimate, in the unit of what was estimated; for a ratio 1 is "no difference".
        low: Lower end.
        high: Upper end, at least `low`.
        n: What it rests on: replicates, or prompts for a bootstrap.
    """

    point: float
    low: float
    high: float
    n: int

    def contains(self, number: float) -> bool:
        """Whether the number lies within the ends, ends included."""
        return self.low <= number <= self.high

    def excludes(self, number: float) -> bool:
        """Whether the number lies outside."""
        return not self.contains(number)


@dataclass(frozen=True)
class BootSd:
    """How much throughput differs from boot to boot of the same profile.

    Attributes:
        sd: Standard deviation of log throughput.
        df: Degrees of freedom; infinite while the sd is assumed.
        num_boots: Boots that it rests on; 0 while it is assumed.
    """

    sd: float = ASSUMED_BOOT_SD
    df: float = math.inf
    num_boots: int = 0


@dataclass(frozen=True)
class Boots:
    """Which boots two arms were measured in, when they do not share them.

    Attributes:
        sd: The machine's boot-to-boot sd.
        arm: Boot of each replicate of the arm, any numbers. Shape: (replicates,).
        control: The same of the control. Shape: (replicates,).
    """

    sd: BootSd
    arm: tuple[int, ...]
    control: tuple[int, ...]


@dataclass(frozen=True)
class LogMean:
    """Mean of log ratios with its standard error, before any confidence is chosen.

    Attributes:
        mean: Natural logarithm of the ratio.
        se: Standard error of it, boots included.
        df: Degrees of freedom of the error.
        n: Replicates.
    """

    mean: float
    se: float
    df: float
    n: int

    def bound(self, quantile: float) -> float:
        """The ratio that `quantile` standard errors away from the mean stand for."""
        return math.exp(min(self.mean + quantile * self.se, _LARGEST))


def log_ratios(arm: Sequence[float], control: Sequence[float]) -> Floats:
    """One log ratio per replicate, arm over control. Shape: (replicates,).

    Raises:
        MeasurementError: If a value is not above 0, or a replicate lacks one of the two.
    """
    pair = np.array([finite_array(arm), finite_array(control)]) if len(arm) == len(control) else np.empty((0, 0))
    if pair.size == 0 or pair.min() <= 0:
        raise _error(f"{len(arm)} values over {len(control)}, expected as many of each, all above 0")
    numerators, denominators = np.log(pair)
    return np.asarray(numerators - denominators)


def log_mean(ratios: Numbers, boots: Boots | None = None) -> LogMean:
    """Mean of one log ratio per replicate, with the boot-to-boot component.

    Replicates are independent; drift that both arms share cancels in each ratio. With w = Σ(replicates in a boot ÷ n)²
    the mean carries w·sd² of an arm's boots and the scatter shows (1 - w)/(n - 1)·sd², so the rest is added,
    (n·w - 1)/(n - 1)·sd²: all of it for one boot, nothing for a boot per replicate. Adding w·sd² whole would count
    boots twice and cover up to 99 in 100 (simulated). Degrees of freedom after Welch and Satterthwaite.

    Args:
        ratios: Natural logarithms, arm over control. Shape: (replicates,), at least 2.
        boots: None if both arms were measured in the same boots.

    Raises:
        MeasurementError: With fewer than 2 replicates, values that are not finite, or boots of other replicates.
    """
    values = finite_array(ratios, at_least=AT_LEAST)
    n = len(values)
    scatter = float(values.var(ddof=1)) / n
    if boots is None:
        return LogMean(float(values.mean()), math.sqrt(scatter), n - 1, n)
    if not len(boots.arm) == len(boots.control) == n:
        raise _error(f"boots of {len(boots.arm)} and {len(boots.control)} replicates, expected {n}")
    between = boots.sd.sd**2 * (_unseen_share(boots.arm) + _unseen_share(boots.control))
    total = scatter + between
    weight = scatter**2 / (n - 1) + between**2 / boots.sd.df
    return LogMean(float(values.mean()), math.sqrt(total), total**2 / weight if weight else math.inf, n)


def ratio_interval(ratios: Numbers, boots: Boots | None = None, confidence: float = CONFIDENCE) -> Interval:
    """Ratio of arm over control, from one log ratio per replicate: mean with t, boot-to-boot component included.

    Arguments and errors are those of `log_mean`; the confidence is 0 to 1.
    """
    estimate = log_mean(ratios, boots)
    t = t_quantile(estimate.df, (1 + confidence) / 2)
    return Interval(estimate.bound(0), estimate.bound(-t), estimate.bound(t), estimate.n)


def mean_interval(values: Numbers, confidence: float = CONFIDENCE) -> Interval:
    """Mean of one value per replicate, with t(n - 1), in the values' unit.

    Raises:
        MeasurementError: With fewer than 2 values, or values that are not finite.
    """
    estimate = log_mean(values)
    half = t_quantile(estimate.df, (1 + confidence) / 2) * estimate.se
    return Interval(estimate.mean, estimate.mean - half, estimate.mean + half, estimate.n)


def boot_sd(groups: Sequence[Sequence[Sequence[float]]]) -> BootSd:
    """Boot-to-boot sd of log throughput, pooled within runs.

    Args:
        groups: For each run and arm its boots, for each boot the log throughputs of its blocks. Groups of one boot
            say nothing and are passed over. What blocks differ within boots is taken off the boots' means.

    Returns:
        The assumed 2 % until there are five boots in groups of two or more.

    Raises:
        MeasurementError: If a boot has no block, or a value is not finite.
    """
    boots = [[finite_array(blocks, at_least=1) for blocks in group] for group in groups if len(group) > 1]
    num_boots = sum(len(group) for group in boots)
    if num_boots < MIN_BOOTS:
        return BootSd()
    df = num_boots - len(boots)
    between = sum(len(group) * float(np.var([blocks.mean() for blocks in group])) for group in boots) / df
    blocks = [blocks for group in boots for blocks in group]
    within_df = sum(len(one) - 1 for one in blocks)
    within = sum(float(one.var()) * len(one) for one in blocks) / max(within_df, 1)
    noise = within * float(np.mean([1 / len(one) for one in blocks]))
    return BootSd(math.sqrt(max(between - noise, 0)), df, num_boots)


def floor_from_twins(runs: Sequence[Sequence[float]]) -> float:
    """A/A floor: what one arm under two names still differs by, as a fraction (0.01 is 1 %).

    Args:
        runs: For each run its log ratios of the twin over its arm, one per replicate; pooled.

    Returns:
        Half-width of their interval, at least 1 %, which is also the answer below 2 replicates.

    Raises:
        MeasurementError: If a log ratio is not finite.
    """
    pooled = [ratio for run in runs for ratio in run]
    if len(pooled) < AT_LEAST:
        return MIN_FLOOR
    estimate = log_mean(pooled)
    return max(math.expm1(t_quantile(estimate.df, (1 + CONFIDENCE) / 2) * estimate.se), MIN_FLOOR)


def seen(ratio: Interval, floor: float) -> bool:
    """Whether a ratio is a difference: its interval excludes 1, and its point lies beyond the A/A floor."""
    return ratio.excludes(1) and max(ratio.point, 1 / ratio.point) - 1 > floor


def bootstrap_ratio(
    strata: Sequence[tuple[Numbers, Numbers]],
    rng: np.random.Generator,
    most: float = 1.0,
    plus: float = 0.0,
    resamples: int = RESAMPLES,
    repeats: float = 1.0,
) -> Interval:
    """Ratio of sums, such as an acceptance rate, from a cluster bootstrap over prompts within each stratum.

    Each stratum has the same weight in the pooled ratio, however many tokens it has.

    The error is that of the bootstrap, or of leaving out one prompt at a time where that is larger, on the logit scale
    and with t(prompts - strata): 93 to 95 in 100 intervals hold the truth from 6 prompts on, where percentiles of the
    bootstrap hold 88 to 93 (simulated).

    Args:
        strata: For each stratum the numerators and the denominators, one number per prompt; at least 2 prompts.
        rng: The caller's generator; the same seed gives the same interval.
        most: Highest possible ratio: 1 for a rate or a share, the depth for accepted tokens per draft.
        plus: Added to the ratio: 1 for a length with its bonus token.
        resamples: Number of bootstrap samples.
        repeats: How many answers of each prompt the counts add up: the least share that can be told from 0 or 1 is
            half a count of one answer, however often the same prompt was answered.

    Raises:
        MeasurementError: With a ratio above `most`, or fewer than 2 prompts with a denominator above 0 in a stratum.
    """
    share = 1 / len(strata)
    pairs = [_pair(numerators, denominators, most) for numerators, denominators in strata]
    point = float(sum(share * part.sum() / whole.sum() for part, whole in pairs))
    half_a_count = 0.5 * repeats / sum(float(whole.sum()) for _, whole in pairs)
    samples, knife = np.zeros(resamples), 0.0
    for part, whole in pairs:
        n = len(whole)
        draws = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
        drawn = np.maximum(draws @ whole, half_a_count)
        samples += share * (draws @ part) / drawn
        without = (part.sum() - part) / (whole.sum() - whole)
        knife += (n - 1) * _logits(point + share * (without - part.sum() / whole.sum()), half_a_count).var()
    n = sum(len(whole) for _, whole in pairs)
    df = n - len(pairs)
    se = math.sqrt(max(float(_logits(samples, half_a_count).var()) * n / df, knife))
    reach = t_quantile(df, (1 + CONFIDENCE) / 2) * se
    low, high = special.expit(_logits(np.array([point]), half_a_count) + np.array([-reach, reach]))
    return Interval(plus + most * point, plus + most * min(low, point), plus + most * max(high, point), n)


def _pair(numerators: Numbers, denominators: Numbers, most: float) -> tuple[Floats, Floats]:
    part, whole = finite_array(numerators, AT_LEAST), finite_array(denominators, AT_LEAST) * most
    if len(part) != len(whole) or np.count_nonzero(whole) < AT_LEAST or part.min() < 0 or (part > whole).any():
        what = f"{part.tolist()} over {(whole / most).tolist()}"
        raise _error(f"{what}, expected pairs of counts, none above {most}, two or more over a count above 0")
    return part, whole


def _logits(shares: Floats, least: float) -> Floats:
    inside: Floats = np.clip(shares, least, 1 - least)
    return np.asarray(special.logit(inside))


def t_quantile(df: float, probability: float) -> float:
    """Quantile of Student's t; of the normal distribution where `df` is infinite."""
    return float(special.ndtri(probability) if math.isinf(df) else special.stdtrit(df, probability))


def finite_array(values: Numbers, at_least: int = 0) -> Floats:
    """The values as an array. Shape: (n,). Raises MeasurementError if one is not finite, or there are too few."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or len(array) < at_least or not np.isfinite(array).all():
        raise _error(f"{array.tolist()} as values, expected {at_least} or more finite numbers")
    return array


def _unseen_share(boots: Sequence[int]) -> float:
    n = len(boots)
    weight = sum((boots.count(boot) / n) ** 2 for boot in set(boots))
    return (n * weight - 1) / (n - 1)


def _error(what: str) -> MeasurementError:
    return MeasurementError("statistics", what, "Run the missing replicates, or leave the comparison out.")
