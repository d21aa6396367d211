"""Quoted figures: as the source wrote them, with the words they stand in."""

import tomllib
from pathlib import Path

import pytest

from specwiki.core.model import parse
from specwiki.core.quoted import QuotedSource, QuotedValue, by_key
from specwiki.errors import InputError

FOLDER = Path(__file__).parents[2] / "data" / "quoted"
GOOD = {"written": "78.0 %", "unit": "fraction", "as_of": "2026-10-02", "place": "x", "evidence": "were 78.0, 60.1 %"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_stored_figure_stands_in_its_evidence(path):
    """The model checks each one; a file that does not parse fails here."""
    source = parse(QuotedSource, tomllib.loads(path.read_text(encoding="utf-8")), where=str(path))

    assert source.seed == path.stem
    assert all(key.startswith(f"{path.stem}.") for key in by_key([source]))


@pytest.mark.parametrize(
    ("written", "unit", "number", "places"),
    [("78.0 %", "fraction", 0.78, 1), ("0.435", "fraction", 0.435, 1), ("0.80", "fraction", 0.8, 0),
     ("183.6", "unstated", 183.6, 1), ("3.00", "tokens", 3.0, 2),
     ("4,096", "unstated", 4096, 0), ("-16", "ms", -16, 0)],
)  # fmt: skip
def test_a_figure_keeps_its_digits(written, unit, number, places):
    """A fraction in percent keeps as many as it had."""
    figure = parse(QuotedValue, GOOD | {"written": written, "unit": unit, "evidence": f"is {written}"}, where="f")

    assert figure.number == pytest.approx(number)
    assert figure.places == places
    assert figure.as_value().kind == "quoted"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"written": "60 %"}, "does not have the figure"),
        ({"evidence": "78.0 " + "word " * 12}, "expected at most 12"),
        ({"unit": "tok_s"}, "expected 'fraction'"),
        ({"written": "about 78"}, "written"),
        ({"written": "78.0", "evidence": "is 78.0,512"}, "does not have the figure"),
        ({"spread": "2.1"}, "does not have the figure '2.1'"),
        ({"spread_kind": "one-standard-error"}, "without a spread"),
    ],
)
def test_a_figure_that_is_not_in_its_evidence_is_refused(change, says):
    """So are evidence as long as a sentence, percent of a unit, and a kind of spread without one."""
    with pytest.raises(InputError, match=says):
        parse(QuotedValue, GOOD | change, where="data/quoted/000.toml")


def test_a_spread_is_a_figure_of_its_own():
    """With the unit, date and evidence of the figure that it belongs to, under a key that no name can have."""
    figure = {"written": "14.90", "unit": "ms", "as_of": "2026-07-20", "place": "x", "evidence": "it's 14.90 ± 2.08 ms",
              "spread": "2.08", "spread_kind": "one-standard-error"}  # fmt: skip
    found = by_key([source_with(figure)])

    assert list(found) == ["001.slope", "001.slope.spread"]
    assert (found["001.slope"][1].number, found["001.slope.spread"][1].number) == (14.9, 2.08)
    assert found["001.slope.spread"][1].unit == "ms"


def test_a_minus_sign_is_found_in_evidence():
    """Sources print U+2212."""
    assert parse(QuotedValue, GOOD | {"written": "-16", "unit": "ms", "evidence": "CI of [\u221216, +21]"}, where="f")


@pytest.mark.parametrize(("machine", "shown"), [(None, "two boxes"), ("one box", "one box")])
def test_a_figure_may_be_of_another_machine(machine, shown):
    """What is shown beside it is where it was measured, not where most of the page was."""
    found = by_key([source_with(GOOD | {"machine": machine})])

    assert found["001.slope"][0].machine == shown


def source_with(figure):
    """A source with one figure."""
    return parse(
        QuotedSource,
        {"seed": "001", "title": "x", "as_of": "2026-07-20", "machine": "two boxes", "values": {"slope": figure}},
        where="data/quoted/001.toml",
    )
