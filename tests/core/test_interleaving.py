"""Arms that did not run in turns are not compared."""

from __future__ import annotations

import pytest

from specwiki.core.interleaving import apart, comparable
from specwiki.core.result import Outcome, StripBlock


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
    assert apart(strip("oo44") + strip("o", status="split")) == {(1, "d4")}
    assert apart(strip("o", status="warm-up") + strip("4") + strip("o")) == {(1, "d4")}


def test_a_result_in_turns_stays_as_it_is(make_result):
    """Every value, every decision."""
    result = make_result(best="depth", gain=1.2)

    assert comparable(result) == result


def test_a_result_out_of_turns_compares_nothing(make_result):
    """Ratios to off are missing under that load, decisions are open; other loads stand, and what compares nothing."""
    blocks = strip("oo4") + strip("o4o", load=4)
    result = make_result(best="depth", gain=1.2, strip=blocks)
    found = comparable(result)

    lost = {key for key in result.values if found.values[key] != result.values[key]}
    assert {"ratio.c1.d4", "cycle_ratio.c1.d4"} <= lost
    assert all(".c1.d4" in key for key in lost)
    assert {found.values[key].missing for key in lost} == {"not-interleaved"}
    assert found.values["output_tok_s.c1.d4"] == result.values["output_tok_s.c1.d4"]
    assert found.outcomes["best.c1"].verdict == "undecided"
    assert found.outcomes["best.c4"] == result.outcomes["best.c4"]
    assert found.outcomes["schedule"].verdict == "not-offered"
    assert found.schedule is None
    assert "ratio" not in found.charts
    assert "position" in found.charts


def test_a_decision_over_all_loads_is_open(make_result):
    """It names no load, so any of them may be the one."""
    decided = {"best.written": Outcome(verdict="depth", depth=4)}
    found = comparable(make_result(outcomes=decided, strip=strip("oo44")))

    assert found.outcomes == {"best.written": Outcome(verdict="undecided")}
