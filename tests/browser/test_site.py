"""The built site as a reader sees it, in a real Chromium."""

import math
import re
import unicodedata

import pytest

from specwiki.core.search_index import folded
from specwiki.units import UNITS

pytestmark = pytest.mark.browser

PAGES = ["", "depth/", "drafters/", "synthetic/", "notebooks/depth-published/"]
EVERY = [(lang, page) for lang in ("en", "vi") for page in PAGES]
SIGNS = {"en": (",", "."), "vi": (".", ",")}


def read_number(text, lang):
    """A number in a language's form, and the decimal places that it is shown with."""
    thousands, decimal = SIGNS[lang]
    digits = re.match(r"\u2212?[\d.,]+", text)[0].replace(thousands, "").replace(decimal, ".").replace("\u2212", "-")
    return float(digits), len(digits.partition(".")[2])


@pytest.mark.parametrize(("lang", "name"), EVERY)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_opens_without_an_error_and_asks_nobody_else(visit, built, lang, name, width):
    """No console error, no failed response, no other host; nothing to scroll sideways."""
    seen = visit(f"{built.base}{lang}/{name}", width=width)

    assert seen.problems == []
    assert [one for one in seen.requests if not one.startswith((built.base, "data:"))] == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.page.locator("html").get_attribute("lang") == lang
    assert seen.page.locator("header.md-header").count() == 1


@pytest.mark.parametrize("lang", ["en", "vi"])
@pytest.mark.parametrize("name", ["", "depth/"])
def test_numbers_on_the_page_are_those_of_the_result(visit, built, lang, name):
    """Each is the stored one, rounded, in the language's form and with its unit."""
    page = visit(f"{built.base}{lang}/{name}").page
    shown = page.eval_on_selector_all(
        ".sw-value[data-kind=measured]", "all => all.map(one => [one.dataset.key, one.textContent])"
    )

    assert len(shown) > (1 if name == "" else 50)
    for key, text in shown:
        value = built.published.values[key]
        number, places = read_number(text, lang)
        unit = UNITS[value.unit]
        assert math.isclose(number, value.number * unit.scale, abs_tol=0.5001 * 10**-places), (key, text)
        assert text.endswith(unit.suffix)


@pytest.mark.parametrize(("here", "there"), [("en", "vi"), ("vi", "en")])
def test_the_switch_keeps_page_and_fragment(visit, built, here, there):
    """From the middle of a page to the same place in the other language."""
    page = visit(f"{built.base}{here}/depth/#schedule").page
    page.locator(".md-select button").focus()
    page.locator(f".md-select__link[hreflang={there}]").click()
    page.wait_for_url(f"{built.base}{there}/depth/#schedule")

    assert page.locator("#schedule").is_visible()
    page.evaluate("location.hash = '#values'")
    page.locator(".md-select button").focus()
    page.locator(f".md-select__link[hreflang={here}]").click()
    page.wait_for_url(f"{built.base}{here}/depth/#values")


@pytest.mark.parametrize("lang", ["en", "vi"])
@pytest.mark.parametrize(("width", "shown"), [(1280, "wide"), (390, "narrow")])
def test_charts_have_a_mark_for_each_row_and_words_around_them(visit, built, lang, width, shown):
    """One of the two widths is visible, with its alternative text."""
    page = visit(f"{built.base}{lang}/depth/", width=width).page

    for name, series in (("ratio", 8), ("position", 14)):
        visible = page.locator(f"figure[data-chart={name}] svg.sw-svg:visible")
        assert visible.count() == 1
        assert f"sw-{shown}" in visible.get_attribute("class")
        assert visible.get_attribute("role") == "img"
        assert len(visible.get_attribute("aria-label")) > 30
        marks = visible.locator("path[aria-roledescription=point]")
        assert marks.count() == series
        assert marks.first.bounding_box()["width"] > 0


def test_dark_mode_changes_the_colours_of_a_chart(visit, built):
    """The same SVG, by the palette's variables."""
    fills = []
    for dark in (False, True):
        page = visit(f"{built.base}en/depth/", dark=dark).page
        mark = page.locator("svg.sw-wide path[aria-roledescription=point]").first
        fills.append(mark.evaluate("one => getComputedStyle(one).fill"))

    assert fills[0] != fills[1]
    assert all(fill.startswith("rgb(") for fill in fills)


def test_the_palette_toggle_works_without_loading_the_page_again(visit, built):
    """A reader's choice, whatever the system says."""
    page = visit(f"{built.base}vi/depth/").page
    before = page.locator("svg.sw-wide text").first.evaluate("one => getComputedStyle(one).fill")
    page.locator("label[for=__palette_1]").click()

    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    assert before != page.locator("svg.sw-wide text").first.evaluate("one => getComputedStyle(one).fill")


def test_a_result_past_its_date_shows_a_banner_in_the_readers_language(visit, built_here):
    """And only that result."""
    for lang, words in (("en", "measure again"), ("vi", "Số liệu đã cũ")):
        page = visit(f"{built_here.base}{lang}/depth/").page
        banners = page.locator(".sw-stale:visible")

        assert banners.count() == 1
        assert words in banners.inner_text()
        assert page.locator(".sw-result[data-origin=published] .sw-stale").is_visible()


def test_a_fresh_result_shows_none(visit, built):
    """The words are there for the day that they are needed."""
    page = visit(f"{built.base}en/depth/").page
    page.clock.install(time="2026-12-01T00:00:00Z")
    page.reload()

    assert page.locator(".sw-stale").count() == 1
    assert page.locator(".sw-stale:visible").count() == 0
    page.clock.set_fixed_time("2027-02-27T00:00:00Z")
    page.reload()
    assert page.locator(".sw-stale:visible").count() == 1


def test_this_machine_leads_where_both_results_are_shown(visit, built_here):
    """In the notes, in the tables and in the charts; a profile that the page shows by name has neither result here."""
    page = visit(f"{built_here.base}en/depth/").page

    for selector in (".sw-result:not(.sw-nothing)", ".sw-table[data-table=current]", "figure[data-chart=ratio]"):
        assert page.eval_on_selector_all(selector, "all => all.map(one => one.dataset.origin)") == [
            "local",
            "published",
        ]
    assert page.locator(".sw-nothing").count() == 1
    assert "Measured here, quick" in page.locator(".sw-result").first.inner_text()


def test_the_root_page_offers_both_languages(visit, built):
    """It chooses for nobody."""
    page = visit(built.base).page

    assert [link.get_attribute("hreflang") for link in page.locator("a").all()] == ["en", "vi"]
    page.locator("a[hreflang=vi]").click()
    page.wait_for_url(f"{built.base}vi/")


def test_a_page_that_is_not_there_is_answered_in_both_languages(visit, built):
    """With links that find the site below its folder."""
    page = visit(f"{built.base}404.html").page
    assert "There is no such page" in page.locator("main").inner_text()
    assert "Không có trang này" in page.locator("main").inner_text()

    page = visit(f"{built.base}vi/404.html").page
    page.locator("a[data-lang=vi]").click()
    page.wait_for_url(f"{built.base}vi/")


@pytest.mark.parametrize(
    ("lang", "words", "other"), [("vi", "độ trễ thông lượng", "/en/"), ("en", "throughput", "/vi/")]
)
def test_search_finds_pages_of_its_own_language_only(visit, built, lang, words, other):
    """Each language has its own index."""
    page = visit(f"{built.base}{lang}/").page
    page.keyboard.press("/")
    page.keyboard.type(words.split()[-1])
    page.locator(".md-search-result__link").first.wait_for()
    found = page.eval_on_selector_all(".md-search-result__link", "all => all.map(one => one.href)")

    assert found
    assert not [link for link in found if other in link]


@pytest.mark.parametrize("form", ["NFC", "NFD", "without"])
def test_search_finds_vietnamese_however_it_is_typed(visit, built, form):
    """Composed, decomposed, and without diacritics."""
    words = "thông lượng"
    typed = folded(words) if form == "without" else unicodedata.normalize(form, words)
    page = visit(f"{built.base}vi/").page
    page.keyboard.press("/")
    page.keyboard.insert_text(typed)
    page.keyboard.press("Space")
    page.locator(".md-search-result__link").first.wait_for()

    assert "/vi/" in page.locator(".md-search-result__link").first.get_attribute("href")


def test_every_link_of_the_site_leads_somewhere(visit, built):
    """Pages and downloads alike."""
    page = visit(f"{built.base}en/depth/").page
    links = set()
    for lang, name in EVERY:
        page.goto(f"{built.base}{lang}/{name}")
        links |= set(page.eval_on_selector_all("a[href]", "all => all.map(one => one.href.split('#')[0])"))

    assert all(link.startswith(built.base) for link in links), links
    for link in sorted(links):
        assert page.request.get(link).status == 200, link
