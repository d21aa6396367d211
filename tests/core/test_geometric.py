"""The geometric model gives back its own parameter, the seeds' derived figures, and says when it does not hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core import geometric
from specwiki.core.counters import SpecCounters
from specwiki.errors import MeasurementError

EXPERIMENTS = 400


@pytest.mark.parametrize(
    ("acceptance", "depth", "tokens"), [(0.45, 4, 1.78), (0.80, 4, 3.36), (0.80, 8, 4.33), (1.0, 4, 5.0), (0.0, 4, 1.0)]
)
def test_tokens_per_step(acceptance, depth, tokens):
    """Seed 000: 1.78 at 0.45 and depth 4, 3.36 and 4.33 at 0.80 and depths 4 and 8."""
    assert geometric.expected_tokens_per_step(acceptance, depth) == pytest.approx(tokens, abs=0.005)


def test_depth_zero_is_one_token_a_step():
    """Without drafts a step makes its own token."""
    assert geometric.expected_tokens_per_step(0.7, 0) == 1


@pytest.mark.parametrize(
    ("rate", "depth", "acceptance"), [(0.435, 4, 0.694), (0.333, 6, 0.692), (0.577, 4, 0.792), (0.80, 4, 0.913)]
)
def test_acceptance_behind_a_reported_rate(rate, depth, acceptance):
    """Seed 000: 0.435 at depth 4 and 0.333 at depth 6 are both 0.69 at each position."""
    assert geometric.acceptance_from_rate(rate, depth) == pytest.approx(acceptance, abs=0.0005)


@given(st.floats(0, 1), st.integers(1, 16))
def test_the_inverse_gives_the_parameter_back(acceptance, depth):
    """Rate from acceptance and acceptance from rate are inverses."""
    rate = geometric.rate_from_acceptance(acceptance, depth)

    assert geometric.acceptance_from_rate(rate, depth) == pytest.approx(acceptance, abs=1e-9)


@pytest.mark.parametrize(("fraction", "depth"), [(1.01, 4), (-0.1, 4), (43.5, 4), (math.nan, 4), (0.5, 0)])
def test_values_out_of_range_are_refused(fraction, depth):
    """Percent is no fraction, and depth 0 has no rate."""
    with pytest.raises(MeasurementError, match="expected 0 to 1 and a depth of 1 or more"):
        geometric.acceptance_from_rate(fraction, depth)


def test_maximum_likelihood_of_the_seeds_positions():
    """Seed 001: 0.644, 0.383 and 0.232 at depth 3 are 0.621 at each position."""
    fit = geometric.fit_counters(SpecCounters(1000, 3000, 1259, (644, 383, 232)))

    assert fit.acceptance == pytest.approx(0.621, abs=0.0005)
    assert fit.se == pytest.approx(math.sqrt(0.621 * 0.379 / (1259 + 1000 - 232)), rel=0.001)


def test_a_design_effect_widens_the_error():
    """Four times the variance is twice the error."""
    counters = SpecCounters(1000, 3000, 1259, (644, 383, 232))

    assert geometric.fit_counters(counters, 4).se == pytest.approx(2 * geometric.fit_counters(counters).se)


def test_short_drafts_cannot_be_fitted_from_counters():
    """C10: which tokens were tested is not known."""
    with pytest.raises(MeasurementError, match="1600 draft tokens in 1000 drafts, expected 5 in each"):
        geometric.fit_counters(SpecCounters(1000, 1600, 1200, (800, 220, 70, 60, 50)))


def test_positions_that_fall_faster_are_rejected():
    """Conditional rates of 0.9, 0.5 and 0.1 are no single probability."""
    fit = geometric.fit_counters(SpecCounters(1000, 3000, 1395, (900, 450, 45)))

    assert fit.is_rejected


def test_one_position_cannot_be_judged():
    """At depth 1 there is nothing to compare."""
    fit = geometric.fit_counters(SpecCounters(100, 100, 60, (60,)))

    assert fit.p_value is None
    assert not fit.is_rejected


@pytest.mark.parametrize("counters", [SpecCounters(10, 20, 0, (0, 0)), SpecCounters(10, 20, 20, (10, 10))])
def test_all_or_nothing_has_no_scatter(counters):
    """Everything or nothing accepted: an estimate of 1 or 0, and nothing to reject."""
    fit = geometric.fit_counters(counters)

    assert fit.acceptance == counters.num_accepted_tokens / 20
    assert fit.p_value is None


def test_all_accepted_in_clusters_has_no_scatter():
    """Clusters that accepted everything have no error."""
    assert geometric.fit_clusters([[3, 3], [2, 2]], [[3, 3], [2, 2]]).se == 0


def test_one_cluster_position_cannot_be_judged():
    """At depth 1 clusters give an error, and no test."""
    fit = geometric.fit_clusters([[3], [1]], [[4], [4]])

    assert fit.acceptance == 0.5
    assert fit.p_value is None


@pytest.mark.parametrize(
    ("accepted", "tested", "message"),
    [
        ([[1]], [[2]], "expected accepted of tested"),
        ([[1], [3]], [[2], [2]], "expected accepted of tested"),
        ([[1], [1]], [[2, 1], [2, 1]], "expected accepted of tested"),
        ([[0], [0]], [[0], [0]], "no token was tested"),
    ],
)
def test_counts_that_cannot_be_fitted_are_refused(accepted, tested, message):
    """One cluster, more accepted than tested, other shapes, nothing tested."""
    with pytest.raises(MeasurementError, match=message):
        geometric.fit_clusters(accepted, tested)


def draws(rng, acceptance, num_clusters=24, depth=4):
    """Accepted and tested tokens by cluster and position."""
    tested, accepted, reached = [], [], rng.integers(20, 80, num_clusters)
    for position in range(depth):
        tested.append(reached)
        reached = rng.binomial(reached, acceptance[:, position])
        accepted.append(reached)
    return np.array(accepted).T, np.array(tested).T


def test_a_true_model_is_rejected_as_rarely_as_promised():
    """With one probability for all tokens, about 5 in 100 fits are rejected, and the error covers the truth."""
    rng = np.random.default_rng(11)
    fits = [geometric.fit_clusters(*draws(rng, np.full((24, 4), 0.6))) for _ in range(EXPERIMENTS)]

    assert np.mean([fit.is_rejected for fit in fits]) <= 0.09
    assert np.mean([abs(fit.acceptance - 0.6) <= 2.07 * fit.se for fit in fits]) >= 0.91


def test_prompts_that_differ_widen_the_error():
    """Where prompts differ the error of independent tokens is too small; the design effect says by how much."""
    rng = np.random.default_rng(12)
    acceptance = np.repeat(rng.beta(6, 4, (24, 1)), 4, axis=1)

    assert geometric.fit_clusters(*draws(rng, acceptance)).design_effect > 2


def test_prompts_that_differ_break_the_model():
    """Easy prompts are what is left at deep positions: conditional rates rise, and the test says so."""
    rng = np.random.default_rng(13)
    fits = [
        geometric.fit_clusters(*draws(rng, np.repeat(rng.beta(3, 2, (24, 1)), 4, axis=1))) for _ in range(EXPERIMENTS)
    ]

    assert np.mean([fit.is_rejected for fit in fits]) >= 0.8


def of_drafts(rng, acceptance, depth=4):
    """Counters of full drafts, each with an acceptance of its own. Shape: (drafts,)."""
    accepted = np.minimum(rng.geometric(1 - acceptance) - 1, depth)
    positions = tuple(int((accepted > position).sum()) for position in range(depth))
    return SpecCounters(len(acceptance), len(acceptance) * depth, sum(positions), positions)


def test_drafts_that_differ_are_described_by_their_spread():
    """Where one acceptance is rejected, the beta-geometric model finds the mean and the spread that made the data."""
    counters = of_drafts(np.random.default_rng(14), np.random.default_rng(15).beta(3, 2, 20_000))
    fit = geometric.fit_beta_geometric(counters)

    assert geometric.fit_counters(counters).is_rejected
    assert not fit.is_rejected
    assert fit.acceptance == pytest.approx(3 / 5, abs=0.02)
    assert fit.spread == pytest.approx(1 / 6, abs=0.03)


def test_two_positions_always_fit_a_spread():
    """Two parameters pass through two rates: there is nothing left to test."""
    fit = geometric.fit_beta_geometric(SpecCounters(1000, 2000, 1000, (600, 400)))

    assert fit.acceptance == pytest.approx(0.6, abs=0.001)
    assert fit.p_value is None
    assert not fit.is_rejected


@pytest.mark.parametrize("positions", [(900, 450, 45), (600,), (0, 0), (1000, 1000)])
def test_no_spread_where_rates_do_not_rise(positions):
    """Rates that fall, one position, nothing or everything accepted: no spread of drafts explains that."""
    counters = SpecCounters(1000, 1000 * len(positions), sum(positions), positions)

    assert geometric.fit_beta_geometric(counters) is None


def test_a_spread_that_does_not_hold_either():
    """A conditional rate that rises, and then stays where it is for long, is no beta distribution either."""
    positions = (5000, 4000, 3200, 2560, 2048, 1638)
    fit = geometric.fit_beta_geometric(SpecCounters(10_000, 60_000, sum(positions), positions))

    assert fit.is_rejected


def test_tokens_per_step_have_a_limit():
    """Seed 000: at 0.45 no depth yields more than 1.82 tokens a step."""
    assert geometric.expected_tokens_per_step(0.45, 60) == pytest.approx(1.82, abs=0.005)
