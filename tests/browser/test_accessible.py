"""The published site for those who do not see it, or have no pointer: axe-core, and every stop of the keyboard."""

import importlib.resources

import pytest

pytestmark = pytest.mark.browser

AXE = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
"""Of the rules that axe-core runs unless it is told otherwise, those that look at colours."""
KINDS = ["", "depth/", "drafters/", "synthetic/", "notebooks/depth-published/", "numbers/depth/"]
PAGES = ["", "404.html", *(f"{lang}/{kind}" for lang in ("en", "vi") for kind in KINDS)]

STILL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { transition: none !important; scroll-behavior: auto !important }");
  document.adoptedStyleSheets = [sheet];
  document.querySelectorAll("article details").forEach(one => { one.open = true; });
  window.reached = new Set();
}"""
"""Nothing moves, and what is folded is open."""

STOP = """async () => {
  const at = document.activeElement, search = document.getElementById("__search");
  for (let i = 0; i < 300 && at.matches(".md-search__input") && !search.checked; i++) {
    await new Promise(requestAnimationFrame);
  }
  if (at === document.body || window.reached.has(at)) return null;
  window.reached.add(at);
  const shown = at.matches(".md-option") ? at.nextElementSibling : at;
  const style = getComputedStyle(shown), box = shown.getBoundingClientRect();
  let behind = parseFloat(style.outlineOffset) < 0 ? shown : shown.parentElement;
  const opaque = one => Number(getComputedStyle(one).backgroundColor.match(/[\\d.]+/g)[3] ?? 1) > 0.8;
  while (behind.parentElement && !opaque(behind)) behind = behind.parentElement;
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const pair = [light(style.outlineColor), light(getComputedStyle(behind).backgroundColor)];
  return {
    what: shown.outerHTML.slice(0, 90),
    ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    contrast: Math.max(...pair) / Math.min(...pair),
    seen: box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth
      && box.top < innerHeight && shown.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
  };
}"""
"""What has the focus, once the search has opened for it: its ring, how that stands out from what is behind it, and
whether it is on the screen."""

MISSED = """() => [...document.querySelectorAll("a[href], button, input, summary, [tabindex]")]
  .filter(one => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }))
  .filter(one => !one.matches("input[type=radio]:not(:checked)") && !window.reached.has(one))
  .map(one => one.outerHTML.slice(0, 90))"""


LIGHTNESS = """() => {
  const parts = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3);
  return Math.max(...parts) / 255;
}"""


def opened(visit, address, **how):
    """A page on which the theme's script is done, nothing moves, and everything is unfolded."""
    page = visit(address, **how).page
    if page.locator(".md-header").count():
        page.locator(".md-header__option label:visible").wait_for()
    page.evaluate(STILL)
    return page


def violations(page, *, colours_only=False):
    """What axe-core finds, a line each: rule, element, why."""
    page.evaluate(AXE)
    how = {"resultTypes": ["violations"]} | ({"runOnly": COLOUR_RULES} if colours_only else {})
    found = page.evaluate("how => axe.run(document, how)", how)["violations"]
    return [f"{one['id']}: {node['html'][:120]} {node['failureSummary']}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(visit, real, name):
    """On a wide light page and on a narrow dark one, with all that is folded open; no rule is left out.

    Rules that do not look at colours see the same markup in both, so those take the light page in English and the dark
    one in Vietnamese.
    """
    own = name.startswith("vi/")
    for width, dark in ((1280, False), (390, True)):
        page = opened(visit, f"{real.base}{name}", width=width, dark=dark)
        assert (page.evaluate(LIGHTNESS) < 0.5) == dark
        assert violations(page, colours_only=dark != own) == []


@pytest.mark.parametrize("name", ["", "404.html", "vi/", "en/depth/", "vi/notebooks/depth-published/"])
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_tab_reaches_everything_and_shows_where_it_is(visit, real, name, width, dark):
    """A ring of two pixels that stands out 3:1, around something on the screen; nothing is passed by."""
    page = opened(visit, f"{real.base}{name}", width=width, dark=dark)
    stops = []
    for _ in range(900):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None:
            break
        stops.append(stop)

    assert len(stops) >= 2
    assert [stop for stop in stops if not stop["seen"]] == []
    assert [stop for stop in stops if stop["ring"] < 2 or stop["contrast"] < 3] == []
    assert page.evaluate(MISSED) == []


def test_the_menu_of_a_narrow_screen_works_with_the_keyboard(visit, real):
    """Opened, passed through, and left for another page; closed, none of it is a stop."""
    page = opened(visit, f"{real.base}en/", width=390)
    page.locator(".sw-menu").focus()
    page.keyboard.press("Enter")
    link = page.locator(".md-nav--primary .md-nav__link", has_text="Drafters")
    for _ in range(30):
        page.keyboard.press("Tab")
        if link.evaluate("one => one === document.activeElement"):
            break
    assert page.evaluate(STOP)["seen"]
    page.keyboard.press("Enter")

    page.wait_for_url(f"{real.base}en/drafters/")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_palette_and_skip_link_work_with_the_keyboard(visit, real, key):
    """As a reader without a pointer expects."""
    page = opened(visit, f"{real.base}en/depth/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#depth"
    page.locator("#__palette_0").focus()
    page.keyboard.press(key)
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"


def test_search_works_with_the_keyboard(visit, real):
    """On a page of its own: an eighth of a second after a jump to a heading the theme closes the search."""
    page = opened(visit, f"{real.base}en/depth/")
    page.locator(".md-search__input").focus()
    page.keyboard.type("drafter")
    page.locator(".md-search-result__link").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    page.wait_for_url(f"{real.base}en/drafters/**")
