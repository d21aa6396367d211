"""What changed between two results of one key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.changes import (
    Change,
    OutcomeChange,
    deciding_values,
    named_values,
    outcome_changes,
    value_changes,
    verdict_changes,
)
from specwiki.core.claims import Claim, Wordings
from specwiki.core.result import Outcome, Value

SAID = Wordings(holds="a", fails="b", open="c")


def ratio(number, low=None, high=None):
    return Value(number=number, unit="ratio", low=low, high=high)


def claim(expression):
    return Claim(expression=expression, en=SAID, vi=SAID)


def test_only_what_differs_is_a_change(make_result):
    """A changed number, a changed interval, a new value and a lost one; by key."""
    same, number, bounds, lost, new = (f"ratio.c1.d{depth}" for depth in (1, 2, 3, 4, 5))
    before = {same: ratio(1, 0.9, 1.1), number: ratio(1), bounds: ratio(1, 0.9, 1.1), lost: ratio(1)}
    after = {same: ratio(1, 0.9, 1.1), number: ratio(2), bounds: ratio(1, 0.8, 1.1), new: ratio(1)}
    found = value_changes(make_result(values=before), make_result(values=after))

    assert found == (
        Change(number, before[number], after[number]),
        Change(bounds, before[bounds], after[bounds]),
        Change(lost, before[lost], None),
        Change(new, None, after[new]),
    )


def test_what_did_not_run_in_turns_is_no_change_of_a_ratio(make_result):
    """Pages state none of either; what compares nothing is compared."""
    apart = tuple(sorted(make_result().strip, key=lambda block: block.arm != "off"))
    found = value_changes(make_result(gain=0.8, strip=apart), make_result(gain=1.2, strip=apart))

    assert {one.key.partition(".")[0] for one in found} >= {"output_tok_s", "tpot_ms"}
    assert [one.key for one in found if one.key.startswith("ratio.")] == []


def test_without_an_earlier_result_everything_is_new(make_result):
    """Values and decisions alike."""
    new = make_result()

    assert [one.key for one in value_changes(None, new)] == sorted(new.values)
    assert {one.old for one in value_changes(None, new)} == {None}
    assert [one.key for one in outcome_changes(None, new)] == sorted(new.outcomes)


@pytest.mark.parametrize(
    ("old", "new", "overlap"),
    [
        (ratio(1, 0.9, 1.1), ratio(1.3, 1.2, 1.4), False),
        (ratio(1.3, 1.2, 1.4), ratio(1, 0.9, 1.1), False),
        (ratio(1, 0.9, 1.1), ratio(1.2, 1.1, 1.3), True),
        (ratio(1, 0.5, 2), ratio(1.2, 1.1, 1.3), True),
        (ratio(1), ratio(9, 8, 10), None),
        (ratio(1, 0.9, 1.1), ratio(9), None),
        (None, ratio(9, 8, 10), None),
        (ratio(9, 8, 10), None, None),
        (Value(number=None, unit="ratio", missing="void"), ratio(9, 8, 10), None),
    ],
)
def test_intervals_that_overlap(old, new, overlap):
    """One point in common is enough; without an interval on both sides nothing tells."""
    assert Change("ratio.c1.d4", old, new).overlap is overlap


@given(*[st.tuples(*[st.floats(0.5, 2)] * 2).map(sorted)] * 2)
def test_overlap_is_the_same_either_way(one, other):
    """And exactly when a bound of one lies in the other."""
    overlap = Change("ratio.c1.d4", ratio(one[0], *one), ratio(other[0], *other)).overlap

    assert overlap is Change("ratio.c1.d4", ratio(other[0], *other), ratio(one[0], *one)).overlap
    assert overlap is any(
        low <= bound <= high for low, high, bounds in ((*one, other), (*other, one)) for bound in bounds
    )


def test_a_decision_that_chooses_something_else(make_result):
    """Another depth under the same verdict is another decision; other ties, or more replicates to go, are not."""
    outcomes = {
        "best.c1": (Outcome(verdict="depth", depth=3), Outcome(verdict="depth", depth=6)),
        "best.c4": (Outcome(verdict="undecided", replicates_needed=6), Outcome(verdict="undecided")),
        "schedule": (Outcome(verdict="offered"), Outcome(verdict="offered")),
        "winner.c1": (Outcome(verdict="arm", arm="ngram"), Outcome(verdict="arm", arm="ngram", ties=("cut",))),
    }
    old, new = (make_result(outcomes={key: pair[at] for key, pair in outcomes.items()}) for at in (0, 1))
    found = outcome_changes(old, new)

    assert [one.key for one in found] == ["best.c1", "best.c4", "winner.c1"]
    assert [one.decides for one in found] == [True, False, False]
    assert OutcomeChange("best.c1", None, Outcome(verdict="off")).decides


def test_flipped_claims(make_result):
    """With old and new verdict, in the order of the claims; what stayed the same is left out."""
    claims = {
        "pays": claim('v("ratio.c1.d4") > 1'),
        "stays": claim('v("ratio.c1.d4") < 9'),
        "source": claim('q("000.rate") > 0.5'),
        "now-open": claim('v("ratio.c1.d2") > 1'),
    }
    quoted = {"000.rate": Value(number=0.6, unit="fraction", kind="quoted")}
    old = make_result(values={"ratio.c1.d4": ratio(0.9, 0.8, 0.95), "ratio.c1.d2": ratio(1.2, 1.1, 1.3)})
    new = make_result(values={"ratio.c1.d4": ratio(1.2, 1.1, 1.3), "ratio.c1.d2": ratio(1.2)})

    found = [(one.name, one.old, one.new) for one in verdict_changes(claims, old, new, quoted)]
    assert found == [("pays", "fails", "holds"), ("now-open", "holds", "open")]
    first = [(one.name, one.old, one.new) for one in verdict_changes(claims, None, new, quoted)]
    assert first == [("pays", None, "holds"), ("stays", None, "holds"), ("now-open", None, "open")]
    assert [one.new for one in verdict_changes(claims, old, None, quoted)] == [None, None, None]
    assert verdict_changes(claims, new, new, quoted) == ()


def test_results_of_two_machines_are_not_compared(make_result):
    """Nor those of two profiles or experiments: such a change would mean nothing."""
    with pytest.raises(ValueError, match="expected the same profile, machine and experiment"):
        value_changes(make_result(), make_result(machine="other"))


def test_values_that_texts_name():
    """In prose, in wordings and in expressions, patterns too; no key that is put together, and none that is absent."""
    present = ["ratio.c1.d1", "ratio.c1.d2", "ratio.c4.d2", "coverage.c1.d2", "boots", "rest.c1.d1"]
    texts = [
        'It is @{{ value("coverage.c1.d2") }} or @{{ estimate(\'boots\') }} or @{{ estimate("rest.c1.d" ~ depth) }}.',
        'highest("ratio.c1.d[1-8]") > v("ratio.c9.d1") and q("rest.c1.d1") > 1',
    ]

    assert named_values(texts, present) == {"coverage.c1.d2", "boots", "ratio.c1.d1", "ratio.c1.d2"}


def test_values_that_decisions_rest_on(make_result):
    """Throughput and its ratio, of the chosen depth or drafter and of `off`, on every kind of prompt."""
    one = ratio(1)
    keys = ("ratio.c1.d6", "ratio.c1.d6.chat", "ratio.c1.d4", "output_tok_s.c1.off", "ratio.c1.cut", "cycle_ms.c1.d6",
            "aa.c1", "boots")  # fmt: skip
    outcomes = {"best.c1": Outcome(verdict="depth", depth=6), "winner.c1": Outcome(verdict="arm", arm="cut")}
    found = deciding_values(make_result(values=dict.fromkeys(keys, one), outcomes=outcomes))

    assert found == {"ratio.c1.d6", "ratio.c1.d6.chat", "output_tok_s.c1.off", "ratio.c1.cut"}
