"""The published site as one site in two languages: what its files say of each other."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from bs4 import BeautifulSoup

from specwiki.units import LANGS

pytestmark = pytest.mark.browser

SITEMAP = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}


@pytest.fixture(scope="module")
def pages(real):
    """Every page by its path from the root, `en/depth/`, parsed; without what a host shows for pages that are not."""
    files = [path for path in real.folder.rglob("*.html") if path.name == "index.html"]
    named = {path.relative_to(real.folder).as_posix().removesuffix("index.html"): path for path in files}
    return {name: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for name, path in named.items()}


def alternates(page):
    """Language → address, as the head says."""
    return {link["hreflang"]: link["href"] for link in page.head.find_all("link", hreflang=True)}


def test_pages_of_one_group_name_each_other_and_all_are_there(real, pages):
    """In the head of each: both languages and what others get; whole addresses, each of a built page that agrees."""
    assert {name.partition("/")[0] for name in pages} == {"", *LANGS}
    for name, page in pages.items():
        told = alternates(page)
        assert set(told) == {*LANGS, "x-default"}, name
        assert real.address + name in told.values()
        for address in told.values():
            assert alternates(pages[address.removeprefix(real.address)]) == told, (name, address)
        for lang in LANGS:
            assert told[lang].removeprefix(real.address).startswith(f"{lang}/")


def test_a_page_says_its_language_and_its_own_address(real, pages):
    """And so does the sitemap of its language: every page, with the same links."""
    for lang in LANGS:
        urls = ET.parse(real.folder / lang / "sitemap.xml").findall("s:url", SITEMAP)
        listed = {
            url.findtext("s:loc", namespaces=SITEMAP).removeprefix(real.address): {
                link.get("hreflang"): link.get("href") for link in url.findall("x:link", SITEMAP)
            }
            for url in urls
        }
        built = {name: page for name, page in pages.items() if name.startswith(f"{lang}/")}
        assert listed == {name: alternates(page) for name, page in built.items()}
        for name, page in built.items():
            assert page.html["lang"] == lang, name
            assert page.find("link", rel="canonical")["href"] == real.address + name
            assert len(page.find("meta", attrs={"name": "description"})["content"]) > 20, name


def test_robots_are_told_where_the_sitemaps_are(real):
    """Whole addresses, of files that are there."""
    told = re.findall(r"^Sitemap: (.*)$", (real.folder / "robots.txt").read_text(encoding="utf-8"), re.MULTILINE)

    assert len(told) == 2
    assert all((real.folder / address.removeprefix(real.address)).is_file() for address in told)


def test_both_languages_of_a_page_have_the_same_ids(pages):
    """So a fragment leads to the same place in both; no page has one twice."""
    ids = {name: Counter(one["id"] for one in page.find_all(id=True)) for name, page in pages.items()}

    assert [(name, one) for name, counted in ids.items() for one, times in counted.items() if times > 1] == []
    for name, counted in ids.items():
        if name.startswith("en/"):
            assert counted == ids["vi/" + name.removeprefix("en/")], name
            assert len(counted) > 5
