"""Quoted figures computed again: what the source's own numbers come to, with the figures worked out by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from specwiki.core.quoted import QuotedSource
from specwiki.core.recomputed import quoted_values, recomputed
from specwiki.core.result import Value

QUOTED = Path(__file__).parents[2] / "data" / "quoted"


@pytest.fixture(scope="module")
def found():
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(QUOTED.glob("*.toml"))]
    return quoted_values([QuotedSource.model_validate(one) for one in files])


@pytest.mark.parametrize(("depth", "cycle_ms"), [(0, 62.3), (1, 90.6), (2, 89.4), (3, 105.8), (6, 167.6)])
def test_cycle_times(found, depth, cycle_ms):
    """Tokens per verify over throughput; only where the source has both."""
    assert found[f"001.cycle-k{depth}.computed"].number == pytest.approx(cycle_ms, abs=0.06)
    assert "001.cycle-k4.computed" not in found


def test_short_lines_are_those_of_the_source(found):
    """The intercepts over depths 1 to 2 and 1 to 3 come out as the source has them."""
    for name in ("001.t-draft-k1-2", "001.t-draft-k1-3"):
        assert found[f"{name}.computed"].number == pytest.approx(found[name].number, abs=0.1)


def test_intervals_have_students_t(found):
    """Seven points leave five degrees of freedom: 14.9 ± 5.3 and 2.8 ± 23.9."""
    slope, drafter = found["001.slope.computed"], found["001.t-draft.computed"]

    assert (slope.high - slope.low) / 2 == pytest.approx(5.34, abs=0.02)
    assert (drafter.high - drafter.low) / 2 == pytest.approx(23.9, abs=0.1)
    assert drafter.low < 0 < drafter.high
    assert slope.kind == drafter.kind == "computed"


def test_each_position_keeps_about_sixty_percent(found):
    """At depth 3: 0.383 of 0.644, and 0.232 of 0.383."""
    assert found["001.kept-p1.computed"].number == pytest.approx(0.595, abs=0.001)
    assert found["001.kept-p2.computed"].number == pytest.approx(0.606, abs=0.001)


def test_what_is_not_quoted_is_not_computed():
    """Without a figure, nothing that rests on it."""
    assert recomputed({}) == {}
    alone = {"001.tokens-k0": Value(number=1.0, unit="tokens", kind="quoted")}
    assert recomputed(alone) == {}
