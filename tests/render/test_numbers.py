"""The pages that list numbers: a row for each that a page shows, with its run and its past."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from specwiki.core.quoted import QuotedSource
from specwiki.render.evidence import Evidence
from specwiki.render.numbers import linked_keys, numbers_page, quoted_page
from specwiki.render.pages import PageSource, parse_page, render_page
from specwiki.render.values import Sourced

SOURCE = QuotedSource.model_validate({
    "seed": "000", "title": "A <b>page</b>", "as_of": "2026-09-30", "machine": "two boxes",
    "values": {"rate": {"written": "0.80", "unit": "fraction", "as_of": "2026-09-30", "place": "Depth",
                        "evidence": "a rate of 0.80", "runs": 3}},
})  # fmt: skip


def page_of(lang, *results, files=None, keys=(("published", "ratio.c1.d4"), ("published", "aa.c1"))):
    shown = PageSource("depth", lang, {"title": "Depth"}, "")
    return numbers_page(shown, Evidence(results, files=files or {}), "depth", keys)


@pytest.mark.parametrize("lang", ["en", "vi"])
def test_every_number_of_a_page_has_a_row_where_its_link_leads(make_result, lang):
    """Prose, tables, claims and quoted figures alike."""
    evidence = Evidence((Sourced(make_result(), "published"),), (SOURCE,))
    body = '@{{ value("ratio.c1.d4") }} @{{ table("current") }} @{{ quoted("000.rate") }}'
    shown = render_page(parse_page("depth", lang, body), evidence).text
    linked = linked_keys(shown)

    assert len(linked) > 20
    mine = {(origin, key) for name, origin, key in linked if name == "depth"}
    text = numbers_page(parse_page("depth", lang, shown), evidence, "depth", mine).body
    assert {f"{origin}.{key}" for origin, key in mine} == set(re.findall(r'<code id="([^"]+)"', text))
    assert {"quoted.000.rate"} == {f"{origin}.{key}" for name, origin, key in linked if name == "quoted"}
    assert '<code id="quoted.000.rate">' in quoted_page(evidence, lang).body


def test_a_row_has_value_interval_and_n(make_result):
    """In the page's language."""
    rows = [line for line in page_of("vi", Sourced(make_result(gain=0.94), "published")).body.splitlines()
            if "published.ratio.c1.d4" in line]  # fmt: skip

    assert len(rows) == 1
    assert [cell.strip() for cell in rows[0].split("|")][2:6] == [
        "0,94\u00d7",
        "0,91\u20130,97\u00d7",
        "4",
        "So với tắt",
    ]


def test_a_result_says_what_repeats_it_and_what_that_takes(make_result):
    """Command, files, time, hardware, and what changed since."""
    result = make_result(run_of="depth", experiment="synthetic")
    sourced = Sourced(result, "published", changed=("prompts", "code"))
    text = page_of("en", sourced, files={"published": {"notebook.ipynb": "download.notebook"}}).body

    assert "specwiki run synthetic --profile laptop --effort full" in text
    assert "changed since: the prompts, the code that measures" in text
    assert "[executed notebook](../notebooks/depth-published.md)" in text
    assert "It reads the run of the experiment <code>depth</code>." in text
    assert re.search(r"- Took: \d+(\.\d)? min · Engine boots: \d", text)
    assert "nothing changed since" in page_of("en", Sourced(result, "published")).body
    assert "cannot be told" in page_of("en", Sourced(result, "published", changed=None)).body


def test_earlier_runs_stand_beside_each_value(make_result):
    """With a word where the two intervals have no point in common."""
    old = make_result(gain=0.8, run_id="r0", as_of=dt.date(2026, 10, 1))
    text = page_of("en", Sourced(make_result(gain=0.94), "published", earlier=(old,))).body
    rows = {key: line for line in text.splitlines() for key in ("ratio.c1.d4", "aa.c1") if f"published.{key}" in line}

    assert "| 1 October 2026, run <code>r0</code> |" in text
    assert "0.80\u00d7 (0.78\u20130.82\u00d7) (intervals apart)" in rows["ratio.c1.d4"]
    assert "intervals apart" not in rows["aa.c1"]
    assert "no earlier run" not in text
    assert "no earlier run" in page_of("en", Sourced(make_result(), "published")).body


def test_titles_of_others_are_inert():
    """A source's title is text."""
    assert "<b>page</b>" not in quoted_page(Evidence(sources=(SOURCE,)), "en").body
