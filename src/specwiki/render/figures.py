"""Tables, charts and run strips of the results as figures of a page, the published one after this machine's."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from markupsafe import Markup

from specwiki.core.keys import CHARTS, TABLES, nearest
from specwiki.errors import DataError, InputError
from specwiki.render import charts
from specwiki.render.downloads import CHART
from specwiki.render.evidence import Evidence, find_named
from specwiki.render.labels import TOKEN, label
from specwiki.render.strip import strip_html
from specwiki.render.tables import markdown_table, table_markdown
from specwiki.render.values import Sourced, capital, kind_mark, origin_text, plain
from specwiki.units import Lang, date_text, number_text, plain_number, written_text

_DATA_COLUMNS: dict[str, tuple[str, str | None]] = {
    "depth": ("column.depth", None),
    "streams": ("column.streams", None),
    "position": ("column.position", None),
    "kind": ("axis.kind", None),
    "stratum": ("axis.kind", None),
    "drafter": ("axis.drafter", None),
    "ratio": ("column.ratio", "ratio"),
    "acceptance_rate": ("column.acceptance_rate", "fraction"),
    "share": ("column.position_acceptance", "fraction"),
}
"""Field of a chart's data → label of its column, and unit; low and high have the unit of what they belong to."""

_EXPECTED_A = (0.3, 0.45, 0.6, 0.7, 0.8, 0.9)
_EXPECTED_DEPTHS = (1, 2, 4, 6, 8)


class Figures:
    """The functions of one page in one language that show more than a number."""

    def __init__(self, evidence: Evidence, lang: Lang, page: str, profile: str = "") -> None:
        self.evidence = evidence
        self.profile = profile
        self.lang = lang
        self.page = page

    def functions(self) -> dict[str, Any]:
        """The names that a page may call."""
        return {"table": self.table, "chart": self.chart, "strip": self.strip, "expected_table": self.expected_table}

    def table(self, table_id: str) -> Markup:
        """A stored table; with two results, one after the other, each under its heading."""
        self._require(table_id, "tables", "table")
        return self._each(lambda sourced: self._table(sourced, table_id), folded=False)

    def chart(self, chart_id: str, alternative: str) -> Markup:
        """A stored chart with its alternative text, its caption and its numbers as a table."""
        self._require(chart_id, "charts", "chart")
        return self._each(lambda sourced: self._chart(sourced, chart_id, alternative))

    def strip(self) -> Markup:
        """The run strip."""
        return self._each(lambda sourced: _trusted("\n\n" + strip_html(sourced.result.strip, self.lang) + "\n\n"))

    def expected_table(self) -> Markup:
        """Tokens per step by the formula, for round numbers: computed, measured nowhere."""
        head = [f"{'per-position' if self.lang == 'en' else 'mỗi vị trí:'} *a*"]
        head += [f"{label('column.depth', self.lang)} {depth}" for depth in _EXPECTED_DEPTHS]
        rows = [
            [written_text(a, "fraction", 0, self.lang), *(self._expected(a, depth) for depth in _EXPECTED_DEPTHS)]
            for a in _EXPECTED_A
        ]
        mark = kind_mark("simulated", label("kind.simulated", self.lang))
        head[0] += str(mark)
        return _trusted(markdown_table(head, rows, [True] * len(head)))

    def _expected(self, a: float, depth: int) -> str:
        tokens = sum(a**i for i in range(depth + 1))
        return number_text(tokens, "tokens", self.lang)

    def _require(self, name: str, part: str, kind: str) -> None:
        """A name must be one that some effort has; whether a result has it is another question."""
        known: dict[str, object] = dict.fromkeys(TABLES if part == "tables" else CHARTS)
        for sourced in self.evidence.results:
            known |= getattr(sourced.result, part)
        find_named(name, known, kind, self.page)

    def _each(self, show: Callable[[Sourced], Markup], *, folded: bool = True) -> Markup:
        main, beside = self.evidence.main, self.evidence.beside
        if main is None:
            return Markup('<p class="sw-missing">{}</p>').format(label("missing.nothing-measured", self.lang))
        if beside is None:
            return show(main)
        first = self._heading(main) + show(main)
        if folded:
            opened = Markup('\n\n<details class="sw-published"><summary>{}</summary>').format(self._told(beside))
            return first + opened + show(beside).strip() + Markup("</details>\n\n")
        return first + self._heading(beside) + show(beside)

    def _heading(self, sourced: Sourced) -> Markup:
        return Markup('\n\n<p class="sw-which"><b>{}</b></p>\n\n').format(self._told(sourced))

    def _told(self, sourced: Sourced) -> str:
        day = date_text(sourced.result.as_of, self.lang)
        text = f"{origin_text(sourced, self.lang)}: {sourced.result.machine}, {day}"
        return capital(text)

    def _table(self, sourced: Sourced, table_id: str) -> Markup:
        if table_id not in sourced.result.tables:
            return self._absent()
        opened = f'<div class="sw-table" data-table="{table_id}" data-origin="{sourced.origin}" markdown="block">'
        return _trusted(f"\n\n{opened}{table_markdown(sourced, table_id, self.lang)}</div>\n\n")

    def _absent(self) -> Markup:
        return Markup('\n\n<p class="sw-missing">{}</p>\n\n').format(label("missing.not-at-this-effort", self.lang))

    def _chart(self, sourced: Sourced, chart_id: str, alternative: str) -> Markup:
        if chart_id not in sourced.result.charts:
            return self._absent()
        return _trusted("\n\n" + chart_figure(sourced, chart_id, alternative, self.lang, self.profile) + "\n\n")


def chart_figure(sourced: Sourced, chart_id: str, alternative: str, lang: Lang, profile: str = "") -> str:
    """One chart of one result as a figure, on one line of HTML.

    Args:
        sourced: The result.
        chart_id: Of the chart in it.
        alternative: What the chart says, for who cannot see it.
        lang: Of the page.
        profile: Where the page shows a result of another profile too: makes the figure's id its own.

    Raises:
        DataError: If the result has no such chart.
    """
    if chart_id not in sourced.result.charts:
        hint = nearest(chart_id, sourced.result.charts)
        raise DataError(f"result {sourced.result.run_id}", f"there is no chart '{chart_id}'", hint)
    spec = sourced.result.charts[chart_id]
    rows = charts.data_of(spec)
    name = "-".join(filter(None, (chart_id, profile, sourced.origin)))
    drawing = charts.to_svg(spec, lang, name, " ".join(plain(alternative).split()))
    caption = f"{origin_text(sourced, lang)}, {date_text(sourced.result.as_of, lang)}"
    notes = [capital(caption), label("chart.intervals", lang)]
    if any(row.get("low") is None for row in rows):
        notes.append(label("chart.no-interval", lang))
    return (
        f'<figure class="sw-chart" id="chart-{name}" data-chart="{chart_id}" data-origin="{sourced.origin}" '
        f"data-search-exclude>{drawing}<figcaption>{escape('; '.join(notes))}</figcaption>"
        f'<details class="sw-data"><summary>{escape(label("chart.data", lang))}</summary>'
        f'<div class="sw-scroll" tabindex="0">{_data_table(rows, lang)}</div>{_data_links(sourced, chart_id)}'
        "</details></figure>"
    )


def _data_links(sourced: Sourced, chart_id: str) -> str:
    """Links to the rows as files; none where the page does not say where its files are."""
    if not sourced.files:
        return ""
    links = [
        f'<a href="{sourced.files}{CHART}{chart_id}.{kind}" download>{kind.upper()}</a>' for kind in ("csv", "json")
    ]
    return f'<p class="sw-note">{" · ".join(links)}</p>'


def _data_table(rows: list[dict[str, Any]], lang: Lang) -> str:
    fields = [field for field in (rows[0] if rows else {}) if field not in {"low", "high"}]
    unknown = [field for field in fields if field not in _DATA_COLUMNS]
    if unknown:
        raise InputError("chart", f"its data have the field '{unknown[0]}', expected one of {sorted(_DATA_COLUMNS)}",
                         "Add the field to render/figures.py")  # fmt: skip
    unit = next((_DATA_COLUMNS[field][1] for field in fields if _DATA_COLUMNS[field][1]), None)
    shown = [*fields, "low", "high"]
    titles = [label(_DATA_COLUMNS[field][0], lang) for field in fields]
    titles += [label("column.low", lang), label("column.high", lang)]
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td>{_data_cell(row[field], field, unit, lang)}</td>" for field in shown) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _data_cell(content: Any, field: str, unit: str | None, lang: Lang) -> str:
    if content is None:
        return escape(label("missing.no-interval", lang))
    if isinstance(content, str):
        return escape(label(content.removeprefix(TOKEN), lang) if content.startswith(TOKEN) else content)
    own = unit if field in {"low", "high"} else _DATA_COLUMNS[field][1]
    return number_text(content, own, lang) if own else plain_number(content, lang)


def _trusted(markup: str) -> Markup:
    return Markup(markup)  # noqa: S704 - made here, of escaped parts
