"""Stored tables as Markdown tables: cells name values and labels, words and numbers come in the page's language."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TypeVar

from markupsafe import Markup

from specwiki.core.keys import nearest
from specwiki.core.result import Cell, Result, Table
from specwiki.errors import DataError
from specwiki.render.labels import label
from specwiki.render.values import Sourced, value_span
from specwiki.units import Lang, interval_text

_T = TypeVar("_T")

SPLIT_BY = "column.streams"
"""A table with this column is shown as one table for each load, so that it stays narrow and a load reads alone."""


def table_markdown(sourced: Sourced, table_id: str, lang: Lang) -> str:
    """A stored table of a result.

    Raises:
        DataError: If a cell names a value that the result does not have.
    """
    table = sourced.result.tables[table_id]
    numeric = _numeric_columns(table)
    head = [label(column, lang) for column in table.columns]
    rows = [[_cell(sourced, table_id, cell, lang) for cell in row] for row in table.rows]
    if SPLIT_BY not in table.columns:
        return markdown_table(head, rows, numeric)
    at = table.columns.index(SPLIT_BY)
    parts = [
        f'\n\n<p class="sw-load">{load}</p>' + _of_one_load(head, list(group), numeric, at)
        for load, group in groupby(rows, key=lambda row: row[at])
    ]
    return "".join(parts)


def _of_one_load(head: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool], at: int) -> str:
    """Without the load itself, and without columns that were measured at other loads only."""
    kept = [i for i in range(len(head)) if i != at and any(row[i] for row in rows)]
    return markdown_table(_only(head, kept), [_only(row, kept) for row in rows], _only(numeric, kept))


def _only(cells: Sequence[_T], kept: Sequence[int]) -> list[_T]:
    return [cells[i] for i in kept]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """Markdown, with a blank line on both sides; a pipe in a cell is the caller's to escape."""
    rule = ["---:" if right else "---" for right in numeric]
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, rule, *rows]]
    return "\n\n" + "\n".join(lines) + "\n\n"


def _numeric_columns(table: Table) -> list[bool]:
    return [any(row[i].value is not None for row in table.rows if i < len(row)) for i in range(len(table.columns))]


def _cell(sourced: Sourced, table_id: str, cell: Cell, lang: Lang) -> str:
    if cell.value is None:
        return label(cell.label, lang) if cell.label else ""
    return str(cell_markup(sourced, cell.value, lang, where=f"table '{table_id}'"))


def cell_markup(sourced: Sourced, key: str, lang: Lang, *, where: str) -> Markup:
    """A value with its interval below it."""
    result: Result = sourced.result
    if key not in result.values:
        raise DataError(f"result {result.run_id}, {where}", f"there is no value '{key}'", nearest(key, result.values))
    value = result.values[key]
    shown = value_span(value, key, sourced.origin, lang, sourced.numbers)
    if value.number is None or value.low is None or value.high is None:
        return shown
    bounds = interval_text(value.low, value.high, value.unit, lang)
    return shown + Markup('<br><small class="sw-interval">{}</small>').format(bounds)
