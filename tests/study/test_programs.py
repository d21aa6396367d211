"""Files for programs beside the pages: Markdown, a list of pages, values, and data in the head."""

from __future__ import annotations

import json
import re

import pytest

from specwiki.study.site import build_site, render_site


@pytest.fixture
def rendered(project, add, make_result):
    add(project.published, make_result(run_id="one", best="depth", gain=1.15))
    render_site(project)
    return project


def test_values_are_those_of_the_result(rendered, make_result):
    """Each with unit, kind, interval and n; the verdicts of claims beside them; the same file for both languages."""
    result = make_result(run_id="one", best="depth", gain=1.15)
    texts = {lang: (rendered.pages / lang / "values.json").read_text("utf-8") for lang in ("en", "vi")}
    found = json.loads(texts["en"])
    (depth,) = found["experiments"]["depth"]

    assert texts["en"] == texts["vi"]
    dates = {"as_of": result.as_of.isoformat(), "good_until": result.good_until.isoformat()}
    assert depth["values"]["ratio.c1.d4"] == result.values["ratio.c1.d4"].model_dump(mode="json") | dates
    assert {name: depth[name] for name in dates} == dates
    assert depth["measured_under"] == result.measured_under
    assert {one["state"] for one in depth["claims"].values()} <= {"holds", "fails", "open"}
    assert found["quoted"]["000.mtp-rate-d4"]["kind"] == "quoted"
    assert found["quoted"]["000.mtp-rate-d4"]["as_of"]


@pytest.mark.parametrize("lang", ["en", "vi"])
def test_each_page_has_its_markdown_beside_it(rendered, lang):
    """With the same numbers, no markup, and the addresses of both languages; the list of pages names all of them."""
    beside = rendered.pages / "beside" / lang
    text = (beside / "depth" / "index.md").read_text("utf-8")
    listed = (beside / "llms.txt").read_text("utf-8")

    assert f"> EN: /en/depth/ · VI: /vi/depth/ · lang: {lang} · as_of " in text
    assert not re.search(r"<(span|div|svg|sup|p)\b", text)
    page = (rendered.pages / lang / "depth.md").read_text("utf-8")
    numbers = re.findall(r'class="sw-value" data-key="ratio[^>]*>([^<]+)<', page)
    assert numbers
    assert all(number in text for number in numbers)
    for source in (rendered.docs / lang).glob("*.md"):
        name = "" if source.stem == "index" else f"{source.stem}/"
        assert f"/{lang}/{name}index.md" in listed


def test_the_built_site_has_them(rendered):
    """Beside the pages; the head has a dataset that is valid JSON, and a hostile title cannot end its element."""
    page = rendered.docs / "en" / "depth.md"
    hostile = "Depth </script> & <i>more</i>"
    page.write_text(page.read_text("utf-8").replace("title: Depth", f"title: '{hostile}'", 1), "utf-8")
    site = build_site(rendered)

    assert (site / "en" / "depth" / "index.md").exists()
    assert (site / "vi" / "llms.txt").exists()
    html = (site / "en" / "depth" / "index.html").read_text("utf-8")
    (told,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    dataset = json.loads(told)
    assert dataset["@type"] == "Dataset"
    assert dataset["name"] == hostile
    assert "ratio" in dataset["variableMeasured"]


def test_addresses_and_dates_of_the_sitemap(rendered, monkeypatch):
    """Where the site's address is known: both languages of each page, and the day of the result, not of the build."""
    for lang in ("en", "vi"):
        monkeypatch.setenv(f"SPECWIKI_SITE_{lang.upper()}", f"https://example.org/wiki/{lang}/")
    site = build_site(rendered)
    text = (site / "vi" / "sitemap.xml").read_text("utf-8")

    assert "<loc>https://example.org/wiki/vi/depth/</loc>" in text
    assert 'hreflang="en" href="https://example.org/wiki/en/depth/"' in text
    assert 'hreflang="x-default" href="https://example.org/wiki/"' in text
    twin = (site / "en" / "depth" / "index.md").read_text("utf-8")
    assert "EN: https://example.org/wiki/en/depth/" in twin
