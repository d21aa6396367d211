"""The published site on a phone, with scripts and without: nothing to scroll sideways but what says so."""

import pytest

pytestmark = pytest.mark.browser

BOXES = """() => [...document.querySelectorAll("article *")].filter(one => {
  const style = getComputedStyle(one);
  return ["auto", "scroll"].includes(style.overflowX) && one.scrollWidth > one.clientWidth && one.checkVisibility();
}).map(one => ({
  what: one.outerHTML.slice(0, 90),
  hinted: getComputedStyle(one).backgroundImage.split("linear-gradient").length === 5,
  stop: one.tabIndex === 0,
}))"""
"""What scrolls sideways inside the text."""


@pytest.mark.parametrize("scripts", [True, False])
def test_no_page_scrolls_sideways_and_what_is_wider_says_so(visit, real, scripts):
    """A shadow at the edge, and a stop for the keyboard."""
    page = visit(real.base, width=390, scripts=scripts).page
    scrolling = 0
    for path in sorted(real.folder.rglob("*.html")):
        name = path.relative_to(real.folder).as_posix()
        page.goto(f"{real.base}{name}")
        page.wait_for_timeout(50)
        page.evaluate("scrollTo(200, 0)")
        assert page.evaluate("scrollX") == 0, name
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        boxes = page.evaluate(BOXES)
        scrolling += len(boxes)
        assert [box for box in boxes if not box["hinted"]] == [], name
        assert not scripts or [box for box in boxes if not box["stop"]] == [], name

    assert scrolling > 10


@pytest.mark.parametrize("lang", ["en", "vi"])
def test_everything_can_be_read_without_scripts(visit, real, lang):
    """Words, charts, the numbers behind them, the order of blocks; the other language is a link."""
    page = visit(f"{real.base}{lang}/depth/", width=390, scripts=False).page

    charts = page.locator("figure.sw-chart")
    assert charts.count() >= 2
    for chart in charts.all():
        assert chart.locator("svg:visible").count() == 1
        chart.locator("summary").click()
        assert chart.locator("tbody tr").first.is_visible()
    assert page.locator(".sw-table td:visible").count() > 20
    page.locator(".sw-strip summary").first.click()
    assert page.locator(".sw-strip ol li").first.is_visible()
    assert page.locator(".sw-stale:visible").count() == 0
    other = "vi" if lang == "en" else "en"
    page.locator(".md-select button").focus()
    page.locator(f".md-select__link[hreflang={other}]").click()
    page.wait_for_url(f"{real.base}{other}/depth/")
