"""Repeated runs of other tools' benchmarks, side against side: with what must be known to read the ratio."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.compare_runs import compare_answers, compare_benches
from specwiki.core.in_step import regress
from specwiki.errors import MeasurementError

BENCH = {
    "model_id": "m",
    "num_prompts": 40,
    "max_concurrency": 4,
    "total_input_tokens": 9000,
    "output_throughput": 200.0,
}


def runs(*throughputs, **changed):
    return [{**BENCH, "output_throughput": one, **changed} for one in throughputs]


def test_repeated_benchmarks():
    """Three runs each, ten percent apart with one percent of noise: seen."""
    (found,) = compare_benches(runs(199, 200, 201), runs(219, 220, 221))

    assert found.verdict == "faster"
    assert found.low < 1.1 < found.high


def test_noise_is_no_difference():
    """Runs that scatter more than they differ show nothing."""
    (found,) = compare_benches(runs(180, 200, 220), runs(185, 205, 225))

    assert found.verdict == "no difference seen"
    assert found.notes == ("about 199 runs of each would tell 1.025 from 1 at this scatter",)


def test_one_run_each_tells_nothing():
    """A single run of either has no interval, however large the ratio."""
    (found,) = compare_benches(runs(200), runs(300))

    assert (found.verdict, found.low) == ("cannot be told", None)
    assert "one run, no interval" in str(found)


def test_c38_other_workloads_are_refused():
    """Case C38: another load and other prompts are named, and no ratio is given."""
    with pytest.raises(MeasurementError, match="max_concurrency is 4 and 8; total_input_tokens is 9000 and 95"):
        compare_benches(runs(200, 201), runs(300, 301, max_concurrency=8, total_input_tokens=95))


def test_impossible_numbers_are_refused():
    """A file whose peak is below its mean is not compared."""
    with pytest.raises(MeasurementError, match="B: peak below mean"):
        compare_benches(runs(200, 201), runs(300, 301, max_output_tokens_per_s=100))


@pytest.mark.parametrize("throughput", [0, -3.0, None, "fast", math.nan])
def test_no_throughput_is_refused(throughput):
    """A throughput that is none is named with its side, not carried into a logarithm."""
    with pytest.raises(MeasurementError, match="B: output_throughput is .*, expected a number above 0"):
        compare_benches(runs(200), runs(throughput))


def deeper(depth, first, length, *throughputs):
    """Runs at a depth, whose positions fall evenly to a tenth."""
    rates = [first - (first - 0.1) * at / max(depth - 1, 1) for at in range(depth)]
    return runs(*throughputs, spec_decode_per_position_acceptance_rates=rates, spec_decode_acceptance_length=length)


def of_lengths(a, b):
    found = {one.metric: one for one in compare_benches(a, b)}
    return found["acceptance_length"]


def test_c35_first_positions_of_two_depths():
    """Case C35: position 0 falls from 0.83 to 0.76 with depth: start places, not a worse drafter; lengths decide."""
    found = of_lengths(deeper(1, 0.83, 1.83, 60, 61), deeper(8, 0.76, 4.1, 90, 91))

    assert found.verdict == "longer"
    (note,) = found.notes
    assert note.startswith("position 0 is accepted in 0.830 of drafts at depth 1 (A), 0.760 at 8 (B)")
    assert "an unchanged drafter shows this too" in note
    assert note.endswith("compare lengths, not first positions")


def test_c34_a_first_position_that_rises():
    """Case C34: position 0 higher at the deeper one, which is slower: other text or warm prompts, and no blame."""
    found = of_lengths(deeper(4, 0.84, 3.1, 210, 211), deeper(2, 0.77, 2.2, 300, 301))

    assert found.verdict == "shorter"
    assert "prompts that were answered before" in found.notes[0]
    assert "poison" not in str(found)


def test_first_positions_that_need_no_explanation():
    """At one depth, or where they hardly differ, nothing is said."""
    assert of_lengths(deeper(4, 0.84, 3.1, 60, 61), deeper(4, 0.7, 2.8, 60, 61)).notes == ()
    assert of_lengths(deeper(2, 0.8, 2.2, 60, 61), deeper(4, 0.79, 3.1, 60, 61)).notes == ()


def test_c36_one_row_a_depth_under_a_power_cap():
    """Case C36: one run of each is suggestive at most, and the power cap is part of what was measured."""
    (found,) = compare_benches(runs(200, power_cap_w=250), runs(181, power_cap_w=250))

    assert (found.verdict, found.low) == ("cannot be told", None)
    assert "suggestive at most" in found.notes[0]
    assert found.notes[1] == "power_cap_w is 250 in A, 250 in B: the ratio is known at that power only"


def test_c36_two_power_caps():
    """Case C36: where the caps differ, or one side does not say, the ratio is of both changes."""
    (found,) = compare_benches(runs(200, 201, power_cap_w=250), runs(220, 221))

    assert "power_cap_w is 250 in A, not said in B: the ratio is that of the power as well" in found.notes


def in_step(level, lengths, noise=0.004, seed=1):
    """Runs whose throughput is `level` times their acceptance length, but for a little noise."""
    rng = np.random.default_rng(seed)
    return [
        {
            **BENCH,
            "output_throughput": level * one * math.exp(rng.normal(0, noise)),
            "spec_decode_acceptance_length": one,
        }
        for one in lengths
    ]


LENGTHS = (2.0, 2.2, 2.4, 2.7, 3.1, 3.4)


def test_c33_throughput_in_step_with_acceptance():
    """Case C33: runs from 197 to 340 tok/s that follow their length: said, held equal, and more pairs asked for."""
    throughput, length, held = compare_benches(in_step(100, LENGTHS), in_step(104, LENGTHS, seed=2))

    assert throughput.verdict == "no difference seen"
    assert "about 361 runs of each would tell 1.039 from 1" in throughput.notes[0]
    assert "moves in step with acceptance length (as its power " in throughput.notes[1]
    assert throughput.notes[1].endswith("so pair runs by prompt and make more")
    assert length.metric == "acceptance_length"
    assert held.metric == "output_throughput at equal acceptance length"
    assert held.verdict == "faster"
    assert held.low < 1.04 < held.high


def test_c33_sides_without_a_common_length():
    """Case C33: where no length occurs on both sides, nothing is carried over from one to the other."""
    found = compare_benches(in_step(100, LENGTHS), in_step(100, [one + 2 for one in LENGTHS], seed=2))

    assert [one.metric for one in found] == ["output_throughput", "acceptance_length"]
    assert "moves in step" in str(found[0])


def test_throughput_that_does_not_follow_is_left_alone():
    """Runs whose length says nothing about their speed have no third line."""
    lengths = ((2.0, 2.1, 2.2, 2.3), (2.3, 2.1, 2.2, 2.0))
    a, b = ([{**BENCH, "output_throughput": speed, "spec_decode_acceptance_length": length}
             for speed, length in zip((200, 203, 199, 202), side, strict=True)] for side in lengths)  # fmt: skip

    assert len(compare_benches(a, b)) == 2


def test_too_few_runs_for_a_slope():
    """Two runs of each leave one degree of freedom; equal lengths leave no slope at all."""
    assert regress([(200, 2), (220, 2.2)], [(200, 2), (220, 2.2)]) is None
    assert regress([(200, 2)] * 3, [(210, 2)] * 3) is None


@given(st.floats(0.5, 2), st.floats(0.2, 2))
def test_a_regression_recovers_its_level_and_slope(ratio, slope):
    """Points without noise give the level and slope that they were made with, and no doubt."""
    a, b = ([(level * one**slope, one) for one in LENGTHS] for level in (100, 100 * ratio))
    found = regress(a, b)

    assert found.slope == pytest.approx(slope)
    assert found.at_equal_length.point == pytest.approx(ratio)
    assert found.explained == pytest.approx(1)
    assert found.is_seen


def test_a_slope_covers_its_truth_as_promised():
    """Over many made-up experiments the ratio at equal length is held by its interval about 95 times in 100."""
    rng = np.random.default_rng(3)
    held = []
    for _ in range(300):
        sides = [[(level * length * math.exp(rng.normal(0, 0.03)), length) for length in rng.uniform(2, 3, 4)]
                 for level in (100, 108)]  # fmt: skip
        held.append(regress(*sides).at_equal_length.contains(1.08))

    assert 0.91 <= np.mean(held) <= 0.985


def answers(tokens_per_s, questions=range(1, 5), *, counted=True, timed=True):
    """Lines as Spec-Bench writes them, of two turns each: question 4 is long, and slower than the others."""
    lines = []
    for one in questions:
        tokens = 400 if one == 4 else 50
        seconds = tokens / (tokens_per_s * (0.5 if one == 4 else 1))
        choice = {"turns": ["words of an answer"] * 2, "accept_lengths": [2, 3]}
        choice |= {"new_tokens": [tokens] * 2} if counted else {}
        choice |= {"wall_time": [seconds] * 2} if timed else {}
        lines.append({"question_id": one, "category": "writing", "choices": [choice]})
    return lines


def test_c42_tokens_of_all_questions_over_their_time():
    """Case C42: a ratio of sums over the questions of both sides, not a ratio of means of unpaired speeds."""
    throughput, length = compare_answers([answers(100)], [answers(150, questions=[4, 3, 2])])

    assert throughput.ratio == pytest.approx(1.5)
    assert throughput.verdict == "cannot be told"
    assert throughput.notes[-1] == "over the 3 questions that every file answers, 1 left out"
    assert length.ratio == 1


def test_c42_repeated_runs_have_an_interval():
    """Case C42: with several runs of each the ratio has one."""
    found = compare_answers([answers(100), answers(101), answers(99)], [answers(150), answers(151), answers(149)])

    assert found[0].verdict == "faster"
    assert found[0].low < 1.5 < found[0].high


def test_c42_arms_that_are_counted_differently_are_refused():
    """Cases C42 and C14: text without counts is not tokenised again, and never compared with counted tokens."""
    with pytest.raises(MeasurementError, match="B: 4 of 4 answers have no new_tokens above 0.*by another rule"):
        compare_answers([answers(100)], [answers(50, counted=False)])


@pytest.mark.parametrize(
    ("b", "what"),
    [
        (answers(100, timed=False), "B: 4 of 4 answers have no wall_time above 0"),
        (answers(100, questions=[1, 2, 2]), "B: question 2 is there twice, expected each once"),
        (answers(100, questions=[7]), "no question is in every file"),
        ([{"question_id": 1}], "B: 1 of 1 answers have no new_tokens"),
        ([{"question_id": 1, "choices": ["text"]}], "B: 1 of 1 answers have no new_tokens"),
    ],
)
def test_answers_that_cannot_be_compared(b, what):
    """No time, a question twice, no question in common, no choice at all: each is said."""
    with pytest.raises(MeasurementError, match=what):
        compare_answers([answers(100)], [b])


def test_answers_without_steps_have_no_length():
    """Where a file says nothing of its steps, only throughput is compared."""
    a, b = answers(100), answers(150)
    for line in a:
        del line["choices"][0]["accept_lengths"]

    assert [one.metric for one in compare_answers([a], [b])] == ["output_throughput"]
