"""Two measurements: a ratio with a verdict, or why there is none."""

from __future__ import annotations

import pytest

from specwiki.core.compare import compare_results
from specwiki.core.result import Value
from specwiki.errors import MeasurementError


def with_speed(make_result, speed, half, **changed):
    values = {"output_tok_s.c1.off": Value(number=speed, low=speed - half, high=speed + half, unit="tok_s", n=6),
              "ratio.c1.d4": Value(number=0.9, low=0.85, high=0.95, unit="ratio", n=6)}  # fmt: skip
    return make_result(values=values, **changed)


def test_a_clear_difference_is_seen(make_result):
    """Twice as fast, with narrow intervals: faster, and the interval holds the ratio."""
    (found,) = compare_results(with_speed(make_result, 50, 1), with_speed(make_result, 100, 1))

    assert found.verdict == "faster"
    assert found.low < 2 < found.high
    assert str(found).startswith("output_tok_s.c1.off: B is 2.000 of A (95 % ")


def test_two_boots_differ_by_themselves(make_result):
    """Two percent between two runs is what boots differ by."""
    (found,) = compare_results(with_speed(make_result, 50, 0.05), with_speed(make_result, 51, 0.05))

    assert found.verdict == "no difference seen"


def test_two_machines_share_no_axis(make_result):
    """Across machines only ratios to off are compared."""
    (found,) = compare_results(
        with_speed(make_result, 50, 1), with_speed(make_result, 100, 1, machine="8-core-epyc-64g")
    )

    assert found.metric == "ratio.c1.d4"
    assert found.ratio == 1


def test_other_prompts_are_refused(make_result):
    """Another plan and other prompts: both are named."""
    one = make_result(measured_under={"plan": "a", "prompts": "p"})
    other = make_result(measured_under={"plan": "b", "prompts": "q"})

    with pytest.raises(MeasurementError, match="they cannot be compared: another plan; another prompts"):
        compare_results(one, other)
