"""What a page with charts costs a reader before touching anything."""

import gzip

import pytest

pytestmark = pytest.mark.browser

MOST_KB = 100
"""Kilobytes (of 1000 bytes) for a page with three charts, compressed as a static host does."""


@pytest.mark.parametrize("lang", ["en", "vi"])
@pytest.mark.parametrize("name", ["depth/", "drafters/", "numbers/depth/"])
def test_a_page_with_its_charts_is_light(visit, real, lang, name):
    """Page, styles and scripts, gzip-compressed, together; the search is fetched when somebody searches."""
    weighed = {}
    page = visit("about:blank").page
    page.on("requestfinished", lambda asked: weighed.setdefault(asked.url, asked))
    with page.expect_event("requestfinished", lambda asked: asked.url.endswith("search_index.json")):
        page.goto(f"{real.base}{lang}/{name}")
    page.wait_for_load_state("networkidle")
    sizes = {
        address.removeprefix(real.base): len(gzip.compress(asked.response().body(), 9))
        for address, asked in list(weighed.items())
        if not address.startswith("data:")
    }

    assert len([address for address in sizes if address.endswith((".css", ".js"))]) >= 5
    assert not [address for address in sizes if "all.json" in address or "lunr" in address]
    assert sum(sizes.values()) < MOST_KB * 1000, sizes
    print(f"{lang}/{name}: {sum(sizes.values()) / 1000:.1f} kB")


@pytest.mark.parametrize("lang", ["en", "vi"])
def test_a_style_is_sent_without_its_comments(real, lang):
    """And is otherwise the one that was written."""
    style = (real.folder / lang / "assets" / "specwiki" / "site.css").read_text(encoding="utf-8")

    assert "/*" not in style
    assert ".sw-svg text { font-family" in style
