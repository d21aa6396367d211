"""The policy of a built page: exactly what the theme has inline, by hash."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.content_policy import Inline, inline_of, policy_of, with_policy
from specwiki.errors import CheckError

PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>x</title>
    <style>b{color:red}</style>
    <script>one()</script>
    <script src="bundle.js"></script>
    <script type="application/ld+json">{"a": 1}</script>
    <script id="__config" type="application/json">{}</script>
  </head>
  <body><script type="module">two(1 < 2 && "&amp;")</script></body>
</html>
"""


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_scripts_that_run_and_styles_are_found_as_they_stand():
    """Neither data nor files; entities in a script are no entities."""
    assert inline_of(PAGE) == Inline(("one()", 'two(1 < 2 && "&amp;")'), ("b{color:red}",), ())


def test_the_policy_stands_before_everything_that_it_holds_for():
    """Right behind the encoding."""
    made = with_policy("page", PAGE, inline_of(PAGE))

    assert re.search(r'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="[^"]+">\n', made)
    assert made.index("Content-Security-Policy") < made.index("<title>")


def test_the_policy_allows_the_scripts_of_the_page_and_no_other():
    """By hash; nothing else inline, no code from text, nothing from elsewhere."""
    known = Inline(("one()", 'two(1 < 2 && "&amp;")', "three()"), ("b{color:red}",), ())
    policy = re.search('Policy" content="([^"]+)"', with_policy("page", PAGE, known))[1]
    parts = {name: words for name, *words in (part.split() for part in policy.split("; "))}

    assert parts["default-src"] == ["'none'"]
    assert parts["script-src"] == ["'self'", digest("one()"), digest('two(1 < 2 && "&amp;")')]
    assert parts["style-src"] == ["'self'", digest("b{color:red}")]
    assert parts["object-src"] == parts["base-uri"] == parts["form-action"] == ["'none'"]
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize(
    "strange",
    ["<script>alert(1)</script>", "<SCRIPT type=text/javascript>alert(1)</SCRIPT>", "<svg><script>alert(1)</script>",
     "<img src=x onerror=alert(1)>", '<p style="position:fixed">x</p>', "<style>*{display:none}</style>"],
)  # fmt: skip
def test_a_page_with_something_of_its_own_inline_is_refused(strange):
    """It came with somebody's text, and must not be given a hash."""
    with pytest.raises(CheckError, match=r"site/en/x: it has .* inline, expected only what the theme has"):
        with_policy("site/en/x", PAGE.replace("<body>", f"<body>{strange}"), inline_of(PAGE))


def test_text_that_only_looks_like_a_script_changes_nothing():
    """Escaped, in an attribute, or in a comment."""
    text = '&lt;script&gt;x()&lt;/script&gt;<i title="<script>y()</script>"></i><!-- <script>z()</script> -->'

    assert inline_of(PAGE.replace("<body>", f"<body>{text}")) == inline_of(PAGE)


def test_a_page_without_a_head_is_refused():
    """There is no place for its policy."""
    with pytest.raises(CheckError, match="it has no <head>"):
        with_policy("page", "<p>x</p>", Inline((), (), ()))


def test_a_script_that_is_there_twice_has_one_hash():
    """The policy is no longer than it must be."""
    assert policy_of(Inline(("a()", "a()"), (), ())).count("sha256") == 1


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="<\x00"), max_size=60))
def test_the_hash_is_of_what_a_browser_reads(text):
    """Line ends are line feeds, whatever the file has."""
    read = text.replace("\r\n", "\n").replace("\r", "\n")

    assert digest(read) in policy_of(inline_of(f"<script>{text}</script>"))
