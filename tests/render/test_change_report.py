"""What a reviewer reads about changed results."""

from __future__ import annotations

import json
import re

import pytest

from specwiki.core.changes import outcome_changes, value_changes, verdict_changes
from specwiki.core.claims import Claim, Wordings
from specwiki.core.current import key_of
from specwiki.core.result import Outcome, Value
from specwiki.render.change_report import Report, Section, Touched, outcome_text

SAID = Wordings(holds="a", fails="b", open="c")
CLAIMS = {"pays": Claim(expression='v("ratio.c1.d4") > 1', en=SAID, vi=SAID)}


def section(old, new, first=()):
    """Of two results, of which one may be None."""
    return Section(
        key_of(new or old), old, new, outcome_changes(old, new), verdict_changes(CLAIMS, old, new, {}),
        () if new is None else value_changes(old, new), frozenset(first),
    )  # fmt: skip


@pytest.fixture
def report(make_result):
    """Depth 4 came to pay; its ratio is shown first, and much else changed with it."""
    changed = section(make_result(), make_result(run_id="r2", best="depth", gain=1.2), ["ratio.c1.d4"])
    touched = Touched("depth", "pays", (18, 40), (19,), ("what-3", "best-1"), ("what-3",))
    return Report("HEAD against x~1", (changed,), (("laptop", "other", "depth"),), (touched,))


def test_decisions_claims_values_and_places(report):
    """In this order, numbers as on the English pages, and what is told apart from noise marked."""
    text = report.text()

    assert text.startswith("# Changes in the published results, HEAD against x&#126;1\n\n## depth, profile laptop, on")
    assert "Before: 28 November 2026, run r0001, effort full.\nNow: 28 November 2026, run r2, effort full." in text
    expected = [
        "| `best.c1` | off | **depth 4** |",
        "| `claims.pays` | fails | **holds** |",
        "| `ratio.c1.d4` | 0.93× (0.90–0.96×) | 1.20× (1.16–1.24×) | **apart** |",  # noqa: RUF001
        "<details>\n<summary>All others: ",
        "| `output_tok_s.c1.d4` | 55.7 tok/s",
        "The same as before: depth, profile laptop, on other.",
        (
            "| `pays` | depth | `docs/en/depth.md` 18, 40 | `docs/vi/depth.md` 19 | "
            "`what-3` (translation out of date), `best-1` |"
        ),
    ]
    at = [text.replace("\u00a0", " ").find(one) for one in expected]
    assert -1 not in at
    assert at == sorted(at)


def test_every_table_is_whole(report):
    """As many cells in each row as in its head, and a blank line before it: else GitHub shows lines of text."""
    for table in re.findall(r"(?:^\|.*\n?)+", report.text(), flags=re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1
    assert not re.search(r"^[^|\n].*\n\|", report.text(), flags=re.MULTILINE)


def test_values_apart_come_first_among_the_rest(make_result):
    """What the intervals do not settle follows, then by name."""
    old = make_result()
    far, near = (Value(number=2, unit="ratio", low=low, high=2.1) for low in (1.9, 0.5))
    new = make_result(values=old.values | {"ratio.c1.d0": near, "ratio.c1.d2": far, "ratio.c1.d8": near})
    text = Report("x", (section(old, new),), (), ()).text()

    assert "All others: 3 changed, of which 1 with intervals that do not overlap, 0 new, 0 gone" in text
    assert re.findall(r"^\| `(ratio\.\S+)`.*\| (\S+) \|$", text, flags=re.MULTILINE) == [
        ("ratio.c1.d2", "**apart**"), ("ratio.c1.d0", "overlap"), ("ratio.c1.d8", "overlap"),
    ]  # fmt: skip


def test_a_long_report_leaves_out_what_interests_least(report):
    """And says how much; decisions, flips and the values that decide stay."""
    whole, short = report.text(), report.text(len(report.text()) - 1)

    assert report.text(len(whole)) == whole
    assert "<details>" not in short
    assert re.search(r"All others: \d+ changed, .*\. They are left out here, for length\.", short)
    assert "| `ratio.c1.d4` |" in short


def test_hostile_text_of_a_result_does_nothing(make_result):
    """Names of values, reasons, verdicts and run ids are texts that a file holds: shown, and inert."""
    evil = "<script>alert(1)</script> | **x** [a](javascript:b) @{{ 7 }} `c`\n# head \u202e"
    good = make_result()
    bad = good.model_copy(update={
        "values": good.values | {evil: Value(number=1, unit="ratio"), "ratio.c1.d4": Value(
            number=None, unit="ratio", missing=evil)},
        "outcomes": {evil: Outcome(verdict=evil), "best.c1": Outcome(verdict=evil)}, "run_id": evil,
    })  # fmt: skip
    text = Report(evil, (section(good, bad),), (), (Touched("depth", evil, (1,), ()),)).text()

    for alive in ("<script", "**x**", "](javascript", "@{{", "\u202e", "\n# head", "`c`"):
        assert alive not in text
    assert text.count("&lt;script&gt;") >= 6
    for table in re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_a_first_and_a_lost_result(make_result):
    """The first has everything new; of one that is gone only its decisions and claims are told."""
    first = Report("x", (section(None, make_result()),), (), ()).text()
    lost = Report("x", (section(make_result(), None),), (), ()).text()

    assert "Before: no result.\n" in first
    assert "| `claims.pays` | nothing measured | **fails** |" in first
    assert "Now: no result.\n" in lost
    assert "| `best.c1` | off | **none** |" in lost
    assert "### Values" not in lost


def test_where_only_first_values_changed(make_result):
    """There is nothing to fold away, and nothing to leave out."""
    old = make_result()
    new = make_result(values=old.values | {"ratio.c1.d0": Value(number=2, unit="ratio")})
    report = Report("x", (section(old, new, ["ratio.c1.d0"]),), (), ())

    assert "| `ratio.c1.d0` | 0.94× (0.91–0.97×) | 2.00× |  |" in report.text()  # noqa: RUF001
    assert "<details>" not in report.text()
    assert report.text(1) == report.text()


def test_nothing_changed():
    """In one line, with what was compared."""
    text = Report("x", (), (("laptop", "other", "depth"),), ()).text()

    assert text == (
        "# Changes in the published results, x\n\nNo published result changed.\n\n"
        "The same as before: depth, profile laptop, on other."
    )


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (None, "none"),
        (Outcome(verdict="off"), "off"),
        (Outcome(verdict="outcome.depth", depth=3), "depth 3"),
        (Outcome(verdict="arm", arm="ngram", ties=("cut", "suffix")), "ngram, not shown to be ahead of cut, suffix"),
        (Outcome(verdict="keep", depth=6), "keep, best here depth 6"),
        (Outcome(verdict="undecided", replicates_needed=7), "undecided, 7 more replicates would tell"),
        (Outcome(verdict="not-offered"), "not offered"),
    ],
)
def test_a_decision_in_words(outcome, said):
    """Short, and without a label's key."""
    assert outcome_text(outcome) == said


def test_the_same_for_programs(report):
    """Plain JSON with both sides of each value and what the intervals tell."""
    (found,) = json.loads(json.dumps(report.as_dict()))["results"]
    values = {one["key"]: one for one in found["values"]}

    assert (found["experiment"], [one["run_id"] for one in found["runs"]]) == ("depth", ["r0001", "r2"])
    assert found["claims"] == [{"name": "pays", "old": "fails", "new": "holds"}]
    assert values["ratio.c1.d4"]["overlap"] is False
    assert values["ratio.c1.d4"]["new"]["number"] == pytest.approx(1.2)
