"""Counts that no drafter can have produced are refused, with the count and what was expected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.counters import Absence, DecodeSteps, RequestSteps, SpecCounters
from specwiki.errors import MeasurementError


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((0, 0, 0, (0, 0)), "num_drafts is 0, expected 1 or more"),
        ((4, 7, 8, (4, 4)), "accepted 8 of 7 draft tokens"),
        ((4, 7, -1, (0, -1)), "accepted -1 of 7 draft tokens"),
        ((4, 9, 5, (4, 1)), "9 draft tokens in 4 drafts, expected at most 2 in each"),
        ((4, 8, 5, (4, 2)), "positions add up to 6, expected the 5 accepted tokens"),
        ((4, 8, 5, (2, 3)), r"\[2, 3\] accepted per position of 4 drafts, expected counts that never rise"),
        ((4, 12, 5, (5, 0, 0)), r"\[5, 0, 0\] accepted per position of 4 drafts"),
        ((4, 8, 3, (4, -1)), r"\[4, -1\] accepted per position"),
    ],
)
def test_impossible_counters_are_refused(counts, message):
    """C06: more accepted than drafted, and every other contradiction, is an error that says which."""
    with pytest.raises(MeasurementError, match=message):
        SpecCounters(*counts)


def test_refused_drafts_have_a_reason():
    """A zero comes with its reason, any other number without."""
    assert SpecCounters(4, 8, 0, (0, 0)).absence is Absence.NOTHING_ACCEPTED
    assert SpecCounters(4, 8, 1, (1, 0)).absence is None


@pytest.mark.parametrize(
    ("drafted", "accepted", "tokens", "message"),
    [
        ((4, 4), (1,), 9, "2 steps drafted, 1 accepted"),
        ((4, 4), (1, 5), 9, "step 1 accepted 5 of 4, expected 0 to 4"),
        ((4, 4), (1, -1), 9, "step 1 accepted -1 of 4"),
        ((4, 4), (3, 1), 4, "4 completion tokens from 2 drafted steps that made 6, expected at most 1 cut off"),
        ((), (), -1, "-1 completion tokens"),
    ],
)
def test_impossible_steps_are_refused(drafted, accepted, tokens, message):
    """Step arrays that contradict themselves or the answer's length are an error."""
    with pytest.raises(MeasurementError, match=message):
        RequestSteps(drafted, accepted, tokens)


def test_a_stop_inside_an_accepted_draft_is_clipped():
    """C05: of six tokens that one step made, an answer that stops at the third keeps three."""
    request = RequestSteps((5,), (5,), completion_tokens=3, num_prefill_tokens=0)

    assert request.num_verified_tokens == 6
    assert request.num_clipped_tokens == 3
    assert request.num_undrafted_steps == 0


def test_steps_without_a_draft_are_what_is_left():
    """An answer of 10: one from the prefill, five from two drafted steps, four from steps that did not draft."""
    request = RequestSteps((4, 4), (1, 2), completion_tokens=10)

    assert request.num_undrafted_steps == 4
    assert request.num_clipped_tokens == 0


def test_no_decode_step_is_an_error():
    """Answers of one token each have no step to divide by."""
    with pytest.raises(MeasurementError, match="no decode step"):
        DecodeSteps(drafted=0, undrafted=0, committed_tokens=0)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.integers(1, 60))
def test_length_is_within_one_and_depth_plus_one(positions, num_drafts):
    """Counters that are accepted at all give a length from 1 to depth + 1."""
    falling = tuple(sorted(positions, reverse=True))
    try:
        counters = SpecCounters(num_drafts, num_drafts * len(falling), sum(falling), falling)
    except MeasurementError:
        assert falling[0] > num_drafts
    else:
        assert 1 <= 1 + counters.num_accepted_tokens / num_drafts <= counters.depth + 1
