"""Rates, lengths and shares from counters and from step arrays, and the identities between the two."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core import acceptance
from specwiki.core.acceptance import Disagreement
from specwiki.core.counters import RequestSteps, SpecCounters
from specwiki.errors import MeasurementError

REQUESTS = [RequestSteps((4, 4, 2), (4, 0, 2), 12), RequestSteps((4, 1), (1, 1), 6)]

steps = st.integers(0, 8).flatmap(lambda drafted: st.tuples(st.just(drafted), st.integers(0, drafted)))


@st.composite
def a_request(draw):
    """Any request with at least one drafted step, some without, and a stop anywhere in the last draft."""
    taken = draw(st.lists(steps, min_size=1, max_size=6))
    made = sum(accepted + 1 for _, accepted in taken)
    more = draw(st.one_of(st.integers(0, 20), st.integers(-taken[-1][1], 0)))
    return RequestSteps(tuple(d for d, _ in taken), tuple(a for _, a in taken), 1 + made + more)


requests_of_a_block = st.lists(a_request(), min_size=1, max_size=4)


def test_rate_is_accepted_per_drafted():
    """8 of 15 draft tokens."""
    assert acceptance.acceptance_rate(acceptance.step_counters(REQUESTS)) == 8 / 15


def test_rate_without_draft_tokens_is_an_error():
    """Drafts that a grammar emptied have no rate; it is not 0."""
    with pytest.raises(MeasurementError, match="3 drafts had no draft tokens"):
        acceptance.acceptance_rate(SpecCounters(3, 0, 0, (0, 0)))


def test_c17_tested_tokens_are_fewer_than_drafted_ones():
    """Case C17: of 100 drafts of 2 tokens 150 tokens were tested; with short drafts nobody knows from counters."""
    assert acceptance.num_tested(SpecCounters(100, 200, 60, (50, 10))) == 150
    assert acceptance.num_tested(SpecCounters(1000, 1600, 1200, (800, 220, 70, 60, 50))) is None


@pytest.mark.parametrize(
    ("positions", "length"),
    [((850, 600, 450, 408), 3.31), ((950, 850, 750, 650), 4.20), ((750, 500, 300, 190), 2.74)],
)
def test_the_seeds_tokens_per_pass(positions, length):
    """Seed 000: rates of 0.577, 0.80 and 0.435 at depth 4 are 3.31, 4.20 and 2.74 tokens per pass, 1 + rate x depth."""
    counters = SpecCounters(1000, 4000, sum(positions), positions)

    assert acceptance.acceptance_length(counters) == pytest.approx(length, abs=0.005)
    assert acceptance.acceptance_length(counters) == pytest.approx(1 + acceptance.acceptance_rate(counters) * 4)


def test_length_counts_the_bonus_token():
    """8 accepted in 5 drafts are 2.6 tokens per draft."""
    assert acceptance.acceptance_length(acceptance.step_counters(REQUESTS)) == 1 + 8 / 5


def test_draft_length_is_what_was_drafted():
    """C18, C27: the depth in force comes from the counts, not from a config."""
    assert acceptance.mean_draft_length(SpecCounters(50, 100, 90, (50, 40, 0, 0, 0, 0, 0))) == 2


def test_position_acceptance_is_unconditional():
    """Each position is divided by all drafts."""
    assert acceptance.position_acceptance(acceptance.step_counters(REQUESTS)) == (4 / 5, 2 / 5, 1 / 5, 1 / 5)


def test_conditional_acceptance_of_full_drafts_is_exact():
    """With every draft full, counters are enough."""
    rates = acceptance.conditional_from_counters(SpecCounters(100, 200, 60, (50, 10)))

    assert rates == acceptance.ConditionalAcceptance((0.5, 0.2), is_lower_bound=False)


def test_conditional_acceptance_of_short_drafts_is_marked():
    """C10: with drafts of 1, 2 and 5 tokens, counters give a lower bound that says so."""
    rates = acceptance.conditional_from_counters(SpecCounters(1000, 1600, 1200, (800, 220, 70, 60, 50)))

    assert rates.is_lower_bound
    assert rates.rates[1] == 220 / 800


def test_conditional_acceptance_by_length_is_exact():
    """C10: with step arrays a draft that was too short is not one that failed."""
    short = RequestSteps((1,) * 700, (1,) * 580 + (0,) * 120, 1281)
    longer = RequestSteps((2,) * 200, (2,) * 150 + (1,) * 10 + (0,) * 40, 1 + 200 + 310)

    rates = acceptance.conditional_acceptance([short, longer])

    assert rates == acceptance.ConditionalAcceptance(((580 + 160) / 900, 150 / 160), is_lower_bound=False)


def test_a_position_that_no_draft_reached_has_no_rate():
    """Nothing tested is None, not 0."""
    assert acceptance.conditional_from_counters(SpecCounters(5, 15, 0, (0, 0, 0))).rates == (0, None, None)


def test_coverage_is_the_share_of_steps_that_drafted():
    """Ten decode steps, of which three drafted."""
    found = acceptance.decode_steps([RequestSteps((4, 4, 4), (0, 1, 2), completion_tokens=1 + 6 + 7)])

    assert found.coverage == 0.3
    assert found.tokens_per_step == 1.3


def test_a_stop_inside_a_draft_is_counted_both_ways():
    """C05: verifier length 6, tokens per committed step 3."""
    request = RequestSteps((5,), (5,), completion_tokens=3, num_prefill_tokens=0)

    assert acceptance.acceptance_length(acceptance.step_counters([request])) == 6
    assert acceptance.decode_steps([request]).tokens_per_step == 3
    assert acceptance.decode_steps([request]).clipped_tokens == 3


def test_steps_are_never_fewer_than_drafts():
    """C06: 2 tokens predicted, 6 accepted in one round, is one step, not minus four."""
    found = acceptance.decode_steps_from_counters(SpecCounters(1, 7, 6, (1, 1, 1, 1, 1, 1, 0)), num_decode_tokens=2)

    assert (found.drafted, found.undrafted, found.clipped_tokens) == (1, 0, 5)


def test_decode_steps_from_counters_agree_without_a_stop():
    """Counters alone give the coverage if no answer stopped inside a draft."""
    counters = acceptance.step_counters(REQUESTS)
    tokens = sum(request.num_decode_tokens for request in REQUESTS)

    assert acceptance.decode_steps_from_counters(counters, tokens) == acceptance.decode_steps(REQUESTS)


def test_counters_by_draft_length():
    """Drafts of each length are counted alone."""
    assert acceptance.by_draft_length(REQUESTS) == {
        1: SpecCounters(1, 1, 1, (1,)),
        2: SpecCounters(1, 2, 2, (1, 1)),
        4: SpecCounters(3, 12, 5, (2, 1, 1, 1)),
    }


def test_a_histogram_gives_the_same_counters():
    """C19: the summary of a response, [1, 2, 0, 1] steps by accepted tokens, is 4 drafts with 5 accepted."""
    assert acceptance.histogram_counters([1, 2, 0, 1], num_draft_tokens=12) == SpecCounters(4, 12, 5, (3, 1, 1))


def test_a_histogram_that_contradicts_its_totals_is_refused():
    """C19: more drafted than steps times depth is an error."""
    with pytest.raises(MeasurementError, match="13 draft tokens in 4 drafts"):
        acceptance.histogram_counters([1, 2, 0, 1], num_draft_tokens=13)


def test_a_shallower_arm_of_a_deeper_server():
    """Positions beyond the depth of the arm are cut, missing ones are 0."""
    assert acceptance.at_depth(SpecCounters(4, 8, 6, (4, 2, 0, 0)), 2) == SpecCounters(4, 8, 6, (4, 2))
    assert acceptance.at_depth(SpecCounters(4, 8, 6, (4, 2)), 3) == SpecCounters(4, 8, 6, (4, 2, 0))


def test_a_schedule_that_the_counters_contradict_is_refused():
    """C27: depth 1 was asked for, and two tokens were drafted each time."""
    with pytest.raises(MeasurementError, match="8 draft tokens in 4 drafts, expected at most 1 in each"):
        acceptance.at_depth(SpecCounters(4, 8, 2, (2, 0)), 1)


def test_a_draft_deeper_than_the_arm_is_refused():
    """Step arrays cannot hold longer drafts than the depth that was set."""
    with pytest.raises(MeasurementError, match="a draft of 4 tokens, expected at most 2"):
        acceptance.step_counters(REQUESTS, depth=2)


def test_padding_of_the_first_step_is_found():
    """C08: every request's first draft is refused, later ones are not."""
    padded = [RequestSteps((4, 4, 4), (0, 2, 3), 9), RequestSteps((4, 4), (0, 4), 7)]

    assert acceptance.first_step_always_refused(padded)
    assert not acceptance.first_step_always_refused(REQUESTS)


def test_counts_without_the_padded_step():
    """C08: the same block can be reported without it."""
    padded = [RequestSteps((4, 4), (0, 3), 6), RequestSteps((), (), 5)]

    assert acceptance.without_first_step(padded) == [RequestSteps((4,), (3,), 5), RequestSteps((), (), 5)]


def test_sources_that_agree_have_no_disagreement():
    """A deeper server's zeros do not matter."""
    steps_say = acceptance.step_counters(REQUESTS)

    assert acceptance.disagreements(acceptance.at_depth(steps_say, 8), steps_say) == []


def test_sources_that_disagree_say_by_how_much():
    """Each count that differs is named with both values."""
    found = acceptance.disagreements(SpecCounters(10, 20, 6, (5, 1)), SpecCounters(9, 18, 6, (5, 1)))

    assert found == [Disagreement("num_drafts", 10, 9), Disagreement("num_draft_tokens", 20, 18)]
    assert [one.by for one in found] == [1, 2]
    assert str(found[0]) == "num_drafts is 10 in /metrics and 9 in the step arrays, +1"


@given(requests_of_a_block)
def test_positions_add_up_to_the_length(block):
    """The positions' sum is the length without its bonus token, and they never rise."""
    counters = acceptance.step_counters(block)
    positions = acceptance.position_acceptance(counters)

    assert sum(positions) == pytest.approx(acceptance.acceptance_length(counters) - 1)
    assert all(p >= q for p, q in pairwise(positions))


@given(requests_of_a_block)
def test_lengths_add_up_to_the_block(block):
    """Drafts by length are all drafts with tokens, and their tokens all tokens."""
    whole, parts = acceptance.step_counters(block), acceptance.by_draft_length(block).values()

    assert sum(part.num_draft_tokens for part in parts) == whole.num_draft_tokens
    assert sum(part.num_accepted_tokens for part in parts) == whole.num_accepted_tokens


@given(requests_of_a_block)
def test_counters_bound_the_conditional_rates_from_below(block):
    """What counters alone say of a position is never above the truth, and equal if every draft was full."""
    exact = acceptance.conditional_acceptance(block).rates
    bound = acceptance.conditional_from_counters(acceptance.step_counters(block))

    pairs = [(low, rate) for low, rate in zip(bound.rates, exact, strict=True) if None not in (low, rate)]
    assert all(low <= rate if bound.is_lower_bound else low == rate for low, rate in pairs)


@given(requests_of_a_block)
def test_every_decode_token_is_accounted_for(block):
    """Tokens that reached answers are those of drafted steps, less the clipped, and one for each other step."""
    found = acceptance.decode_steps(block)
    made = sum(request.num_verified_tokens for request in block)

    assert found.committed_tokens == made - found.clipped_tokens + found.undrafted
    assert 0 <= found.coverage <= 1


@given(requests_of_a_block)
def test_a_histogram_says_what_the_arrays_say(block):
    """Summary and detail of the same request give the same counters."""
    counters = acceptance.step_counters(block)
    taken = [accepted for request in block for accepted in request.accepted]
    histogram = [taken.count(accepted) for accepted in range(counters.depth + 1)]

    assert acceptance.histogram_counters(histogram, counters.num_draft_tokens) == counters


@given(requests_of_a_block, requests_of_a_block)
def test_disagreement_is_empty_only_for_equal_counts(one, other):
    """Two blocks disagree exactly when their counts differ."""
    left, right = (acceptance.at_depth(acceptance.step_counters(block), 8) for block in (one, other))

    assert (acceptance.disagreements(left, right) == []) == (left == right)
