"""Arms that did not run in turns are not compared."""

from __future__ import annotations

import pytest

from specwiki.core.interleaving import apart, comparable_outcome, comparable_values
from specwiki.core.result import StripBlock


def strip(order, load=1, status="ok"):
    """Blocks of one letter each: o is off, others are depths."""
    return tuple(
        StripBlock(boot=place, arm="off" if one == "o" else f"d{one}", concurrency=load, replicate=1, status=status)
        for place, one in enumerate(order)
    )


@pytest.mark.parametrize(("order", "arms"), [
    ("o4o", set()), ("4o4", set()), ("4oo4", set()), ("o4o44", set()),
    ("oo44", {"d4"}), ("44oo", {"d4"}), ("oo4242", {"d2", "d4"}), ("2o4o2", set()), ("4o2o", {"d4"}),
    ("44", set()), ("oo", set()), ("", set()),
])  # fmt: skip
def test_one_after_the_other_is_not_in_turns(order, arms):
    """One block on the other side is enough; without a control there is nothing to compare."""
    assert apart(strip(order)) == {(1, arm) for arm in arms}


def test_loads_are_apart_each_for_itself():
    """And a warm-up or a void block counts for nothing."""
    assert apart(strip("oo4") + strip("o4o", load=4)) == {(1, "d4")}
    assert apart(strip("o") + strip("4") + strip("o", status="void")) == {(1, "d4")}
    assert apart(strip("o", status="warm-up") + strip("4") + strip("o")) == {(1, "d4")}


def test_a_result_in_turns_stays_as_it_is(make_result):
    """Every value, every decision."""
    result = make_result(best="depth", gain=1.2)

    assert comparable_values(result) == result.values
    assert comparable_outcome(result, "best.c1") == result.outcomes["best.c1"]
    assert comparable_outcome(result, "best.c9") is None


def test_a_result_out_of_turns_compares_nothing(make_result):
    """Ratios to off are missing under that load, of each kind of prompt too; decisions are open, other loads stand."""
    blocks = strip("oo4") + strip("o4o", load=4)
    result = make_result(best="depth", gain=1.2, strip=blocks)
    found = comparable_values(result)

    lost = {key for key in result.values if found[key] != result.values[key]}
    assert {"ratio.c1.d4", "cycle_ratio.c1.d4"} <= lost
    assert all(".c1.d4" in key for key in lost)
    assert {found[key].missing for key in lost} == {"not-interleaved"}
    assert found["output_tok_s.c1.d4"] == result.values["output_tok_s.c1.d4"]
    assert comparable_outcome(result, "best.c1").verdict == "undecided"
    assert comparable_outcome(result, "best.c4") == result.outcomes["best.c4"]
    assert comparable_outcome(result, "schedule").verdict == "not-offered"
