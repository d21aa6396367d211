"""Charts: rows to Vega-Lite whose words are label keys, and from that to SVG that follows the page's palette."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import vl_convert

from specwiki.render.labels import TOKEN, localised
from specwiki.render.marks import DEPTH_STYLES, DRAFTER_STYLES, KIND_STYLES, OTHER, STREAM_STYLES
from specwiki.render.svg import prepared
from specwiki.units import Lang, number_locale

Row = Mapping[str, Any]
Spec = dict[str, Any]

WIDTHS = {"wide": 600, "narrow": 290}
"""Pixels, in the text column of a desktop and of a phone."""

AXIS_WIDTH = 70
"""Pixels beside the plot for the labels and the title of its y axis."""

LEGEND_COLUMNS = {"wide": 8, "narrow": 3}
"""Entries of a legend in one row, so that it never is wider than its plot."""

VEGA_LITE = "6.4"

HEADROOM = 1.03
"""Free space above the highest interval, as a factor."""


def ratio_chart(rows: Sequence[Row]) -> Spec:
    """Throughput over `off` against depth, one series per number of streams.

    Depths are an ordinal axis of what was measured, and no line joins them: between two measured depths there is
    nothing that the chart knows. A point without an interval is hollow.

    Args:
        rows: `depth`, `concurrency`, `ratio`, and `low` and `high` (None: no interval).
    """
    data = [
        {
            "depth": row["depth"],
            "streams": f"{TOKEN}streams.{row['concurrency']}",
            "ratio": row["ratio"],
            "low": row.get("low"),
            "high": row.get("high"),
        }
        for row in rows
    ]
    streams = sorted({int(row["concurrency"]) for row in rows})
    order = [f"{TOKEN}streams.{one}" for one in streams]
    styles = [STREAM_STYLES.get(one, OTHER) for one in streams]
    return _drawn(
        data,
        x=alt.X("depth:O", title=f"{TOKEN}axis.depth", axis=alt.Axis(labelAngle=0)),
        y=("ratio", f"{TOKEN}axis.ratio", ".2f"),
        series=("streams", f"{TOKEN}axis.streams", order, styles),
        reference=1.0,
        joined=False,
    )


def kind_chart(rows: Sequence[Row], metric: str) -> Spec:
    """A metric against depth on written and on synthetic prompts; no line joins depths, as in `ratio_chart`.

    Args:
        rows: `depth`, `kind`, `number`, and `low` and `high` (None: no interval).
        metric: `ratio` or `acceptance_rate`.
    """
    data = [
        {
            "depth": row["depth"],
            "kind": f"{TOKEN}stratum.{row['kind']}",
            metric: row["number"],
            "low": row.get("low"),
            "high": row.get("high"),
        }
        for row in rows
    ]
    kinds = [one for one in KIND_STYLES if any(row["kind"] == one for row in rows)]
    is_ratio = metric == "ratio"
    return _drawn(
        data,
        x=alt.X("depth:O", title=f"{TOKEN}axis.depth", axis=alt.Axis(labelAngle=0)),
        y=(metric, f"{TOKEN}axis.{metric}", ".2f" if is_ratio else ".0%"),
        series=("kind", f"{TOKEN}axis.kind", [f"{TOKEN}stratum.{one}" for one in kinds],
                [KIND_STYLES[one] for one in kinds]),
        reference=1.0 if is_ratio else None,
        joined=False,
    )  # fmt: skip


def drafter_chart(rows: Sequence[Row], metric: str) -> Spec:
    """A metric by kind of prompt, one series a drafter; no line joins kinds.

    Args:
        rows: `stratum`, `drafter`, `number`, and `low` and `high` (None: no interval).
        metric: `ratio` or `acceptance_rate`.
    """
    data = [
        {
            "stratum": f"{TOKEN}stratum.{row['stratum']}",
            "drafter": f"{TOKEN}arm.{row['drafter']}",
            metric: row["number"],
            "low": row.get("low"),
            "high": row.get("high"),
        }
        for row in rows
    ]
    kinds = list(dict.fromkeys(one["stratum"] for one in data))
    present = {str(row["drafter"]) for row in rows}
    drafters = [*(one for one in DRAFTER_STYLES if one in present), *sorted(present - set(DRAFTER_STYLES))]
    is_ratio = metric == "ratio"
    return _drawn(
        data,
        x=alt.X("stratum:N", title=f"{TOKEN}axis.kind", sort=kinds, axis=alt.Axis(labelAngle=-35, labelLimit=160)),
        y=(metric, f"{TOKEN}axis.{metric}", ".2f" if is_ratio else ".0%"),
        series=("drafter", f"{TOKEN}axis.drafter", [f"{TOKEN}arm.{one}" for one in drafters],
                [DRAFTER_STYLES.get(one, OTHER) for one in drafters]),
        reference=1.0 if is_ratio else None,
        joined=False,
    )  # fmt: skip


def position_chart(rows: Sequence[Row]) -> Spec:
    """Unconditional acceptance by draft position, one series per depth; all positions of a depth were measured.

    Args:
        rows: `depth`, `position` (from 0), `share`, and `low` and `high` (None: no interval).
    """
    data = [
        {
            "position": row["position"],
            "depth": f"{TOKEN}arm.d{row['depth']}",
            "share": row["share"],
            "low": row.get("low"),
            "high": row.get("high"),
        }
        for row in rows
    ]
    depths = sorted({int(row["depth"]) for row in rows})
    order = [f"{TOKEN}arm.d{one}" for one in depths]
    styles = [DEPTH_STYLES.get(one, OTHER) for one in depths]
    return _drawn(
        data,
        x=alt.X("position:O", title=f"{TOKEN}axis.position", axis=alt.Axis(labelAngle=0)),
        y=("share", f"{TOKEN}axis.position-acceptance", ".0%"),
        series=("depth", f"{TOKEN}axis.depth-series", order, styles),
        reference=None,
        joined=True,
    )


def _drawn(
    data: list[dict[str, Any]],
    *,
    x: alt.X,
    y: tuple[str, str, str],
    series: tuple[str, str, list[str], list[tuple[str, str]]],
    reference: float | None,
    joined: bool,
) -> Spec:
    field, title, form = y
    name, series_title, order, styles = series
    colours, shapes = [colour for colour, _ in styles], [shape for _, shape in styles]
    top = max([reference or 0.0, *(row["high"] or row[field] for row in data)]) or 1.0
    scale_y = alt.Scale(domain=[0, top * HEADROOM], nice=True)
    colour = alt.Color(f"{name}:N", title=series_title, scale=alt.Scale(domain=order, range=colours), sort=order)
    shape = alt.Shape(f"{name}:N", title=series_title, scale=alt.Scale(domain=order, range=shapes), sort=order)
    offset = alt.XOffset(f"{name}:N", title=series_title, sort=order, scale=alt.Scale(domain=order, paddingOuter=0.5))
    base = alt.Chart(alt.InlineData(values=data))
    axis_y = alt.Y(f"{field}:Q", title=title, scale=scale_y, axis=alt.Axis(format=form))
    shared = {"x": x, "xOffset": offset}
    layers: list[Any] = []
    if reference is not None:
        layers.append(
            alt.Chart(alt.InlineData(values=[{"reference": reference}]))
            .mark_rule(stroke="var(--sw-fg)", strokeDash=[4, 3], strokeWidth=1, aria=False)
            .encode(y=alt.Y("reference:Q", title=title, scale=scale_y))
        )
    if joined:
        line = base.mark_line(strokeWidth=1.5, opacity=0.6, aria=False)
        layers.append(line.encode(y=axis_y, color=colour, **shared))
    rule = base.transform_filter("datum.low !== null").mark_rule(strokeWidth=2, aria=False)
    layers.append(rule.encode(y=alt.Y("low:Q", title=title, scale=scale_y), y2="high:Q", color=colour, **shared))
    for has_interval in (True, False):
        seen = base.transform_filter(f"(datum.low !== null) === {str(has_interval).lower()}")
        fill = {"filled": True} if has_interval else {"filled": False, "fill": "var(--sw-bg)"}
        point = seen.mark_point(size=70, opacity=1, strokeWidth=2, **fill)
        told = [alt.Tooltip(f"{one}:Q", title=f"{TOKEN}column.{one}", format=form) for one in ("low", "high")]
        layers.append(
            point.encode(y=axis_y, color=colour, shape=shape, tooltip=told if has_interval else alt.Undefined, **shared)
        )
    return dict(alt.layer(*layers).properties(height=260).to_dict())


def theme() -> Spec:
    """Colours as CSS variables, so that the same SVG follows the light and the dark palette."""
    text = {"labelColor": "var(--sw-fg)", "titleColor": "var(--sw-fg)", "titleFontWeight": "normal"}
    font = "Helvetica, Arial, sans-serif"
    return {
        "background": "transparent",
        "font": font,
        "axis": {
            **text,
            "aria": False,
            "labelFontSize": 12,
            "titleFontSize": 13,
            "titlePadding": 12,
            "gridColor": "var(--sw-grid)",
            "domainColor": "var(--sw-axis)",
            "tickColor": "var(--sw-axis)",
        },
        "axisX": {"grid": False},
        "legend": {
            **text,
            "aria": False,
            "orient": "top",
            "labelFontSize": 12,
            "titleFontSize": 13,
            "symbolSize": 80,
            "symbolDash": [],
            "symbolOpacity": 1,
            "symbolStrokeWidth": 2,
        },
        "view": {"stroke": "transparent"},
    }


def localise(spec: Spec, lang: Lang) -> Spec:
    """A stored chart with the words of one language and the theme of the site, ready to draw.

    Raises:
        DataError: If a label key in it has no wording.
    """
    worded: Spec = localised(spec, lang)
    return worded | {"config": theme()}


def to_svg(spec: Spec, lang: Lang, chart_id: str, alternative: str) -> str:
    """A stored chart as two inline SVGs, for a wide and for a narrow column; the page shows one of them.

    Args:
        spec: As stored, with label keys.
        lang: Of the words and the numbers.
        chart_id: Distinct on the page; ids inside the SVG start with it.
        alternative: What the chart says, for who cannot see it.
    """
    worded = localise(spec, lang)
    drawn = []
    for name, width in WIDTHS.items():
        config = worded["config"]
        legend = config["legend"] | {"columns": LEGEND_COLUMNS[name]}
        sized = worded | {"width": width - AXIS_WIDTH, "config": config | {"legend": legend}}
        drawn.append(prepared(_svg_of(json.dumps(sized), lang), f"{chart_id}-{name}", name, alternative))
    return "".join(drawn)


@lru_cache(maxsize=256)
def _svg_of(spec: str, lang: Lang) -> str:
    """A chart as it is drawn, from its JSON; a page and its notebook show the same ones."""
    return str(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE, format_locale=number_locale(lang)))


def data_of(spec: Spec) -> list[dict[str, Any]]:
    """The rows of a stored chart, words still as keys; the reference line is not data."""
    named = spec.get("datasets", {})
    found: list[list[dict[str, Any]]] = [*named.values(), *_inline(spec)]
    return max((rows for rows in found if rows and "reference" not in rows[0]), key=len, default=[])


def _inline(spec: Any) -> Iterable[list[dict[str, Any]]]:
    if isinstance(spec, dict):
        values = spec.get("values")
        if isinstance(values, list) and values and isinstance(values[0], dict):
            yield values
        for part in spec.values():
            yield from _inline(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from _inline(part)
