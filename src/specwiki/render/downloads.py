"""The files that a page offers for download: values as CSV, the whole result as JSON."""

from __future__ import annotations

import csv
import io
import json

from specwiki.core.result import Result

LABELS = {
    "values.csv": "download.values",
    "result.json": "download.result",
    "blocks.csv": "download.blocks",
    "notebook.ipynb": "download.notebook",
}
"""File name → label, in the order in which pages list them."""


def values_csv(result: Result) -> str:
    """Every value of a result, one a row; numbers as stored, so with a point and fractions from 0 to 1."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["key", "number", "unit", "low", "high", "n", "kind", "missing", "as_of", "good_until", "run_id"])
    for key, value in sorted(result.values.items()):
        cells = [key, value.number, value.unit, value.low, value.high, value.n, value.kind, value.missing]
        writer.writerow([*cells, result.as_of.isoformat(), result.good_until.isoformat(), result.run_id])
    return text.getvalue()


def result_json(result: Result) -> str:
    """The stored result, as it is."""
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False, sort_keys=True, indent=1) + "\n"
