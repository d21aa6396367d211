"""The geometric model: each draft token is accepted with one probability, whatever its position.

Owns the model, its inverse, its estimate and the test that says when it does not hold; counts nothing (`acceptance`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from specwiki.core.counters import SpecCounters
from specwiki.core.stats import AT_LEAST, Floats
from specwiki.errors import MeasurementError

REJECT_BELOW = 0.05
"""The model is said not to hold when chance alone would do as badly in fewer than 1 case in 20."""
_TABLE = 2
_ALIKE = 9.0  # log of the beta distribution's a + b, above which drafts are alike to four digits


@dataclass(frozen=True)
class GeometricFit:
    """The one probability that fits best, and whether one is enough.

    Attributes:
        acceptance: Maximum-likelihood estimate of the conditional acceptance at every position, 0 to 1.
        se: Its standard error, for the dependence within clusters.
        design_effect: Variance over that of independent tokens; 1 when nothing is known of clusters.
        num_tested: Tokens that it rests on: those whose predecessors in the draft were all accepted.
        num_clusters: Requests or prompts; 0 when fitted to counters alone.
        p_value: Of the likelihood ratio against a probability for each position; None when no two positions can be
            compared.
    """

    acceptance: float
    se: float
    design_effect: float
    num_tested: int
    num_clusters: int
    p_value: float | None

    @property
    def is_rejected(self) -> bool:
        """Whether the model does not hold; False also when there is too little to tell."""
        return self.p_value is not None and self.p_value < REJECT_BELOW


@dataclass(frozen=True)
class BetaGeometricFit:
    """One probability for each draft, different from draft to draft after a beta distribution.

    Attributes:
        acceptance: Mean over drafts: acceptance at the first position, 0 to 1.
        spread: Variance over drafts as a share of what a mean like this allows, 0 (all alike) to 1 (all or nothing).
        p_value: Of the likelihood ratio against a probability for each position; None at depth 2, which two parameters
            always fit.
    """

    acceptance: float
    spread: float
    p_value: float | None

    @property
    def is_rejected(self) -> bool:
        """Whether this model does not hold either."""
        return self.p_value is not None and self.p_value < REJECT_BELOW


def expected_tokens_per_step(acceptance: float, depth: int) -> float:
    """Tokens per step under the model, bonus token included: 1 + a + … + a^depth.

    Args:
        acceptance: Conditional acceptance at every position, 0 to 1.
        depth: Draft tokens per step, 0 or more.

    Raises:
        MeasurementError: If either is out of range.

    Source: Leviathan et al., arXiv 2211.17192, equation 1.
    """
    _check(acceptance, depth, least_depth=0)
    return math.fsum(acceptance**i for i in range(depth + 1))


def rate_from_acceptance(acceptance: float, depth: int) -> float:
    """Acceptance rate under the model, accepted over drafted, 0 to 1: (a + … + a^depth) / depth.

    Raises:
        MeasurementError: If the acceptance is not 0 to 1, or the depth below 1.
    """
    _check(acceptance, depth, least_depth=1)
    return (expected_tokens_per_step(acceptance, depth) - 1) / depth


def acceptance_from_rate(rate: float, depth: int) -> float:
    """Conditional acceptance that gives a reported acceptance rate under the model: the inverse, by bisection.

    Args:
        rate: Accepted over drafted, 0 to 1.
        depth: Draft tokens per step, the same in each; at least 1.

    Raises:
        MeasurementError: If either is out of range.
    """
    _check(rate, depth, least_depth=1)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rate_from_acceptance(middle, depth) < rate else (low, middle)
    return high


def fit_counters(counters: SpecCounters, design_effect: float = 1.0) -> GeometricFit:
    """Fit to counters alone: accepted over accepted plus drafts not accepted whole.

    Args:
        counters: With every draft full; else which tokens were tested is not known.
        design_effect: Variance over that of independent tokens, from a fit to clusters of the like; above 0.

    Raises:
        MeasurementError: If a draft was shorter than the depth, or there is no position.
    """
    accepted, tested = _full_drafts(counters)
    return _fit(accepted, tested, design_effect, design_effect, 0)


def fit_beta_geometric(counters: SpecCounters) -> BetaGeometricFit | None:
    """Fit a model in which drafts differ: easy ones are what is left at deep positions, so conditional rates rise.

    Given that i tokens were accepted, the next one is with (a + i) / (a + b + i), both of the beta distribution.

    Args:
        counters: With every draft full; else which tokens were tested is not known.

    Returns:
        None where it says no more than the geometric model: fewer than two positions, or rates that do not rise.

    Raises:
        MeasurementError: If a draft was shorter than the depth, or there is no position.
    """
    accepted, tested = _full_drafts(counters)
    accepted, tested = accepted[tested > 0], tested[tested > 0]
    at = np.arange(len(tested))
    if len(tested) < AT_LEAST or not 0 < accepted.sum() < tested.sum():
        return None

    def rates(parameters: Floats) -> Floats:
        mean, size = special.expit(parameters[0]), math.exp(parameters[1])
        return np.asarray((mean * size + at) / (size + at))

    found = optimize.minimize(
        lambda one: -_log_likelihood(accepted, tested, rates(one)),
        x0=np.array([special.logit(np.clip(accepted[0] / tested[0], 0.01, 0.99)), 1.0]),
        method="Nelder-Mead",
        bounds=[(-12, 12), (-12, _ALIKE)],
        options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 2000},
    )
    if found.x[1] > _ALIKE - 0.1:
        return None
    df = len(tested) - 2
    ratio = 2 * (_log_likelihood(accepted, tested, accepted / tested) + float(found.fun))
    p_value = float(special.chdtrc(df, max(ratio, 0))) if df else None
    return BetaGeometricFit(float(special.expit(found.x[0])), 1 / (math.exp(found.x[1]) + 1), p_value)


def fit_clusters(accepted: Sequence[Sequence[int]], tested: Sequence[Sequence[int]]) -> GeometricFit:
    """Fit to counts by cluster; tokens of one request or prompt depend on each other, and the error says so.

    Args:
        accepted: Tokens accepted at each position. Shape: (clusters, depth), at least 2 clusters.
        tested: Tokens whose predecessors were all accepted, as `acceptance.position_trials` counts them. Same shape.

    Raises:
        MeasurementError: If the shapes differ, more was accepted than tested, or nothing was tested.

    Source: Rao and Scott, Annals of Statistics 12, 1984, for the first-order correction of the likelihood ratio.
    """
    part, whole = np.asarray(accepted, dtype=np.float64), np.asarray(tested, dtype=np.float64)
    if part.shape != whole.shape or part.ndim != _TABLE or len(part) < AT_LEAST or not (part <= whole).all():
        raise _error(
            f"counts of shape {part.shape} and {whole.shape}, expected accepted of tested", "Count them again."
        )
    reached = whole.sum(axis=0) > 0
    part, whole = part[:, reached], whole[:, reached]
    if not whole.size:
        raise _error("no token was tested, expected some", "Nothing can be fitted where nothing was drafted.")
    clusters, total = len(part), whole.sum()
    pooled = float(part.sum() / total)
    spread = pooled * (1 - pooled)
    error = (part - pooled * whole).sum(axis=1)
    effect = float((error**2).sum() * clusters / (clusters - 1) / (total * spread)) if spread else 1.0
    return _fit(part.sum(axis=0), whole.sum(axis=0), effect, _contrast_effect(part, whole, spread), clusters)


def _full_drafts(counters: SpecCounters) -> tuple[Floats, Floats]:
    """Accepted and tested tokens at each position."""
    if not counters.every_draft_full or not counters.depth:
        what = f"{counters.num_draft_tokens} draft tokens in {counters.num_drafts} drafts"
        raise _error(f"{what}, expected {counters.depth} in each", "Fit to the step arrays instead.")
    positions = counters.accepted_per_position
    return np.array(positions, dtype=np.float64), np.array((counters.num_drafts, *positions[:-1]), dtype=np.float64)


def _log_likelihood(accepted: Floats, tested: Floats, rates: Floats | float) -> float:
    refused = tested - accepted
    return float((special.xlogy(accepted, rates) + special.xlog1py(refused, -np.asarray(rates))).sum())


def _contrast_effect(part: Floats, whole: Floats, spread: float) -> float:
    """Mean design effect of the differences between positions."""
    clusters, totals = len(part), whole.sum(axis=0)
    positions = len(totals)
    if positions < AT_LEAST or not spread:
        return 1.0
    errors = (part - part.sum(axis=0) / totals * whole) / totals
    robust = errors.T @ errors * clusters / (clusters - 1)
    contrasts = np.eye(positions)[1:] - np.eye(positions)[0]
    independent = contrasts @ np.diag(spread / totals) @ contrasts.T
    effects: Floats = np.linalg.solve(independent, contrasts @ robust @ contrasts.T)
    return float(effects.trace()) / (positions - 1)


def _fit(accepted: Floats, tested: Floats, effect: float, contrast_effect: float, clusters: int) -> GeometricFit:
    accepted, tested = accepted[tested > 0], tested[tested > 0]
    total = float(tested.sum())
    pooled = float(accepted.sum()) / total
    se = math.sqrt(effect * pooled * (1 - pooled) / total)
    p_value = None
    df = len(tested) - 1
    if df >= 1 and contrast_effect > 0 and 0 < pooled < 1:
        ratio = _log_likelihood(accepted, tested, accepted / tested) - _log_likelihood(accepted, tested, pooled)
        p_value = float(special.chdtrc(df, max(2 * ratio / contrast_effect, 0)))
    return GeometricFit(pooled, se, effect, int(total), clusters, p_value)


def _check(fraction: float, depth: int, least_depth: int) -> None:
    if not (0 <= fraction <= 1 and depth >= least_depth):
        what = f"a fraction of {fraction} at depth {depth}, expected 0 to 1 and a depth of {least_depth} or more"
        raise _error(what, "Give the rate as a fraction, not in percent.")


def _error(what: str, hint: str) -> MeasurementError:
    return MeasurementError("geometric model", what, hint)
