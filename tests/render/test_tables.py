"""Stored tables in a language."""

import pytest

from specwiki.core.result import Cell, Table
from specwiki.errors import DataError
from specwiki.render.tables import table_markdown
from specwiki.render.values import Sourced


def shown(result, table, lang="en"):
    """A table of a result as Markdown."""
    return table_markdown(Sourced(result, "published"), table, lang)


def test_a_table_has_words_numbers_and_intervals(make_result):
    """Each number with its key, in the language's form."""
    text = shown(make_result(), "strata", "vi")

    assert "| Loại prompt | So với tắt |" in text
    assert 'data-key="ratio.c1.d4.copy-heavy" data-origin="published" data-kind="measured">1,21×</span>' in text  # noqa: RUF001
    assert '<small class="sw-interval">1,17–1,25×</small>' in text  # noqa: RUF001


def test_a_missing_value_is_its_reason_never_zero(make_result):
    """Off drafts nothing: that is an answer."""
    off = next(line for line in shown(make_result(), "current").splitlines() if line.startswith("| off"))

    assert "speculation is off" in off
    assert "| 0" not in off


def test_loads_are_shown_one_after_the_other(make_result):
    """A table with streams becomes one a load, without that column."""
    text = shown(make_result(), "current")

    assert text.index(">1 stream<") < text.index(">4 streams<")
    assert "| Streams" not in text


def test_a_column_without_anything_at_a_load_is_left_out_there(make_result):
    """The cycle is measured at one stream only."""
    result = make_result()
    table = result.tables["current"]
    at = table.columns.index("column.cycle_ratio")
    rows = tuple(
        (*row[:at], Cell(), *row[at + 1 :]) if row[1] == Cell(label="streams.4") else row for row in table.rows
    )
    text = shown(result.model_copy(update={"tables": {"current": table.model_copy(update={"rows": rows})}}), "current")
    one, four = (part.strip().splitlines() for part in text.split(">4 streams<"))

    assert any("Cycle over off" in line for line in one)
    assert not any("Cycle over off" in line for line in four)
    assert len({line.count(" | ") for line in four if line.startswith("| ")}) == 1


def test_a_cell_that_names_no_value_is_an_error(make_result):
    """With the table and the nearest name."""
    table = Table(columns=("column.ratio",), rows=((Cell(value="ratio.c1.d44"),),))

    with pytest.raises(DataError, match=r"table 'odd': there is no value 'ratio\.c1\.d44'\. Did you mean"):
        shown(make_result(tables={"odd": table}), "odd")
