"""Lines through cycle time give the seed's derived figures, with the errors that it did not have."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core import cycle
from specwiki.errors import MeasurementError

SEED_001 = {0: (1.0, 16.06), 1: (1.67, 18.43), 2: (2.15, 24.05), 3: (2.26, 21.36)}
"""Depth to tokens per verify and tok/s, as far as the seed publishes both."""
CYCLE_MS = {depth: cycle.cycle_ms(tokens, tok_s) for depth, (tokens, tok_s) in SEED_001.items()}


@pytest.mark.parametrize(("depths", "draft_ms"), [((1, 2), 29.6), ((1, 2, 3), 17.8)])
def test_the_seeds_drafter_time(depths, draft_ms):
    """Seed 001: 29.6 ms from depths 1 and 2, 17.8 ms from 1 to 3, as intercept less the cycle at depth 0."""
    line = cycle.fit_line(depths, [CYCLE_MS[depth] for depth in depths])

    assert line.intercept - CYCLE_MS[0] == pytest.approx(draft_ms, abs=0.15)


def test_the_seeds_standard_errors():
    """Seed 001: 9.3 and 2.08 ms are one standard error at a scatter of 11.0 ms over depths 1 to 7."""
    intercept_se, slope_se = cycle.line_errors(range(1, 8), 11.0)

    assert intercept_se == pytest.approx(11.0 * math.sqrt(1 / 7 + 16 / 28))
    assert slope_se == pytest.approx(11.0 / math.sqrt(28))
    assert (round(intercept_se, 1), round(slope_se, 2)) == (9.3, 2.08)


@pytest.mark.parametrize(("estimate", "se", "half"), [(2.8, 9.3, 23.9), (14.9, 2.08, 5.35)])
def test_the_seeds_intervals_with_the_right_t(estimate, se, half):
    """Seed 001: seven points leave five degrees of freedom, so 95 % is 2.571 errors and not 1.96."""
    interval = cycle.coefficient_interval(estimate, se, df=5)

    assert interval.high - interval.point == pytest.approx(half, abs=0.05)
    assert interval.n == 7


def test_two_points_have_no_error():
    """A line through two points fits them; how far off it is cannot be known."""
    line = cycle.fit_line((1, 2), (90.6, 89.4))

    assert (line.slope_se, line.intercept_se, line.residual_sd) == (None, None, None)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_a_line_recovers_itself(intercept, slope):
    """Points on a line give that line, and no scatter."""
    line = cycle.fit_line((0, 1, 4, 8), [intercept + slope * x for x in (0, 1, 4, 8)])

    assert line.intercept == pytest.approx(intercept, abs=1e-9)
    assert line.slope == pytest.approx(slope, abs=1e-9)
    assert line.residual_sd == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("xs", "ys"), [((), ()), ((2, 2), (1, 3)), ((1, 2), (1,))])
def test_points_without_a_line_are_refused(xs, ys):
    """No points, one place, or unequal numbers."""
    with pytest.raises(MeasurementError, match="cycle time"):
        cycle.fit_line(xs, ys)


@pytest.mark.parametrize(("tokens", "tok_s"), [(0, 10), (2, 0), (math.nan, 10)])
def test_a_cycle_needs_both(tokens, tok_s):
    """A throughput of zero has no cycle time."""
    with pytest.raises(MeasurementError, match="expected both above 0"):
        cycle.cycle_ms(tokens, tok_s)


ratios = st.lists(st.tuples(*[st.floats(-1, 1)] * 2), min_size=2, max_size=8)


@given(ratios)
def test_throughput_is_tokens_over_cycle_time(parts):
    """Points multiply up exactly, and the rest is 1 where nothing else happens."""
    tokens, cycles = np.array(parts).T
    found = cycle.decompose(tokens - cycles, tokens, cycles)

    assert found.throughput.point == pytest.approx(found.tokens_per_step.point / found.cycle_time.point)
    assert found.rest.point == pytest.approx(1)


def test_what_neither_explains_is_the_rest():
    """Tokens per step up by a fifth, cycle equal, throughput equal: the rest ate the fifth."""
    fifth = [math.log(1.2)] * 4
    found = cycle.decompose([0.0] * 4, fifth, [0.0] * 4)

    assert found.rest.point == pytest.approx(1 / 1.2)


def test_parts_of_different_replicates_are_refused():
    """Ratios must be of the same replicates."""
    with pytest.raises(MeasurementError, match=r"ratios of \[3, 4, 4\] replicates"):
        cycle.decompose([0.0] * 3, [0.0] * 4, [0.0] * 4)
