"""The policy of the pages in a real Chromium: the site works under it, and what is slipped in does not run."""

import re

import pytest

pytestmark = pytest.mark.browser

SLIPPED = """<img src=x onerror="document.title='owned'"><a id=bad href="javascript:document.title='owned'">x</a>"""


@pytest.mark.parametrize("lang", ["en", "vi"])
def test_everything_that_a_page_does_works_under_its_policy(visit, real, lang):
    """Tooltip, palette, copying, search with its worker, and the other language; nothing is refused meanwhile."""
    seen = visit(f"{real.base}{lang}/depth/")
    page = seen.page
    page.locator("svg.sw-wide path[aria-roledescription=point]").first.hover()
    assert page.locator(".sw-tip").is_visible()
    page.locator("label[for=__palette_1]").click()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    page.keyboard.press("/")
    page.keyboard.type("vllm")
    page.locator(".md-search-result__link").first.wait_for()
    page.keyboard.press("Escape")
    other = "vi" if lang == "en" else "en"
    page.locator(".md-select button").focus()
    page.locator(f".md-select__link[hreflang={other}]").click()
    page.wait_for_url(f"{real.base}{other}/depth/")
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    page.goto(f"{real.base}{other}/notebooks/depth-published/")
    page.locator("details.quote summary").first.click()
    page.locator(".md-code__button").first.click()
    page.locator(".md-dialog--active").wait_for()

    assert seen.problems == []


def test_an_inline_script_that_is_slipped_into_a_page_does_not_run(visit, real):
    """As an element, as a handler, as an address, and as text that becomes code."""
    seen = visit(f"{real.base}en/")
    page = seen.page
    title = page.title()
    page.evaluate(
        """text => {
          const script = document.createElement("script");
          script.textContent = "document.title = 'owned'";
          document.body.append(script);
          setTimeout("document.title = 'owned'");
          document.querySelector("article").insertAdjacentHTML("beforeend", text);
        }""",
        SLIPPED,
    )
    page.locator("#bad").click()
    page.wait_for_timeout(100)

    assert page.title() == title
    assert sum("Content Security Policy" in one for one in seen.problems) == 4


def test_every_page_has_a_policy_before_anything_else(real):
    """Those written by hand too; only the encoding comes first."""
    pages = sorted(real.folder.rglob("*.html"))

    assert len(pages) >= 14
    for path in pages:
        html = path.read_text(encoding="utf-8")
        policies = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', html)
        assert len(policies) == 1, path
        assert "unsafe" not in policies[0]
        head = html[html.index("<head") : html.index("Content-Security-Policy")]
        assert re.findall(r"<(\w+)", head) == ["head", "meta", "meta"], path
