"""Text of others does nothing, and nothing of it is hidden."""

import html
import re

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.render.escaping import inert, preformatted, visible

EXTENSIONS = ["attr_list", "md_in_html", "tables", "pymdownx.superfences"]
NASTY = st.text(st.sampled_from("<>&`*_[]()!#|{}\\-+~:@%\"'\n a1."), max_size=40)


def test_characters_that_are_not_seen_are_shown_as_codes():
    """A bidi mark could make a text read otherwise than it is."""
    assert visible("a\u202eb\u200bc\x1b") == "a\u27e8U+202E\u27e9b\u27e8U+200B\u27e9c\u27e8U+001B\u27e9"


@pytest.mark.parametrize("char", ["đ", "ệ", "\u00a0", "漢", "×".lower()])  # noqa: RUF001 - a sign that is seen
def test_characters_that_are_seen_stay(char):
    """Vietnamese is not escaped."""
    assert visible(char) == char


@given(NASTY)
def test_inert_text_reads_as_it_was_after_markdown(text):
    """No markup appears, and every character is there."""
    for before in ("", "x "):
        built = markdown.markdown(before + inert(text).strip() + " x", extensions=EXTENSIONS)

        assert set(re.findall(r"<[^>]*>", built)) <= {"<p>", "</p>"}
        shown = html.unescape(re.sub(r"</?p>", "", built))
        assert shown.split() == f"{before}{text} x".split()


@given(NASTY)
def test_a_block_reads_as_it_was_after_markdown(text):
    """Fences, headings and tags inside it are text."""
    built = markdown.markdown(f"x\n\n{preformatted(text)}\n\ny", extensions=EXTENSIONS)

    assert set(re.findall(r"<[^>]*>", built)) == {"<p>", "</p>", '<pre class="sw-text">', "<code>", "</code>", "</pre>"}
    shown = re.search(r"<code>(.*?)</code>", built, re.DOTALL)
    assert shown is not None
    assert html.unescape(shown[1]) == text
