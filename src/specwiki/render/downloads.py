"""The files that a page offers for download: values as CSV, the whole result as JSON."""

from __future__ import annotations

import csv
import io
import json

from specwiki.core.result import Result
from specwiki.render.charts import data_of
from specwiki.render.labels import localised
from specwiki.units import Lang

LABELS = {
    "values.csv": "download.values",
    "result.json": "download.result",
    "blocks.csv": "download.blocks",
    "notebook.ipynb": "download.notebook",
}
"""File name → label, in the order in which pages list them."""

CHART = "chart-"
"""Start of the names of the files with a chart's rows."""


def values_csv(result: Result) -> str:
    """Every value of a result, one a row; numbers as stored, so with a point and fractions from 0 to 1."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["key", "number", "unit", "low", "high", "n", "kind", "missing", "as_of", "good_until", "run_id"])
    for key, value in sorted(result.values.items()):
        cells = [key, value.number, value.unit, value.low, value.high, value.n, value.kind, value.missing]
        writer.writerow([*cells, result.as_of.isoformat(), result.good_until.isoformat(), result.run_id])
    return text.getvalue()


def chart_files(result: Result, lang: Lang) -> dict[str, str]:
    """Name → content of the rows behind each chart, as CSV and as JSON; words in the page's language."""
    found: dict[str, str] = {}
    for chart_id, spec in sorted(result.charts.items()):
        rows = localised(data_of(spec), lang)
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        found[f"{CHART}{chart_id}.csv"] = text.getvalue()
        found[f"{CHART}{chart_id}.json"] = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    return found


def result_json(result: Result) -> str:
    """The stored result, as it is."""
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False, sort_keys=True, indent=1) + "\n"
