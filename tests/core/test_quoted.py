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
     ("183.6", "unstated", 183.6, 1), ("3.00", "tokens", 3.0, 2)],
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
    ],
)
def test_a_figure_that_is_not_in_its_evidence_is_refused(change, says):
    """So are evidence as long as a sentence, and percent of a unit."""
    with pytest.raises(InputError, match=says):
        parse(QuotedValue, GOOD | change, where="data/quoted/000.toml")
