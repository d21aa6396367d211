"""A page's Markdown for programs: words and numbers stay, markup of ours goes."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import markdown

from specwiki.render.escaping import inert, preformatted, visible
from specwiki.render.twins import llms_txt, plain_markdown, twin


@pytest.mark.parametrize(("body", "plain"), [
    ("# Depth {#depth}\n", "# Depth\n"),
    ('It is <span class="sw-value" data-key="a.b">1.12</span>&nbsp;&quot;more&quot;.', 'It is 1.12\u00a0"more".\n'),
    ('**4** <sup class="sw-kind sw-kind-quoted" title="x">quoted</sup>', "**4**  [quoted]\n"),
    ('<svg class="sw-svg sw-wide" aria-label="Over `off` at 4"><text>9</text></svg>', "[Over `off` at 4]\n"),
    ('```\n!!! note "Not a box"\n    Words.\n```\n', '```\n!!! note "Not a box"\n    Words.\n```\n'),
    ("<pre><code># log</code></pre>", "    # log\n"),
    ('<svg class="sw-svg sw-wide" aria-label="At 4: 1.1"><text>9</text></svg><svg class="sw-svg sw-narrow">9</svg>',
     "[At 4: 1.1]\n"),
    ('<p class="sw-stale" hidden>Old.</p>Words.', "Words.\n"),
    ("Text `a < b` and <b>bold</b>.", "Text `a < b` and **bold**.\n"),
    ("```\n<not a tag> {#id}\n```\n", "```\n<not a tag> {#id}\n```\n"),
    ("<math><mi>E</mi><mo>=</mo><msup><mi>a</mi><mi>K</mi></msup></math>", "E=a^K\n"),
    ("<math><mfrac><mrow><mn>1</mn><mo>+</mo><mi>a</mi></mrow><mi>b</mi></mfrac></math>", "(1+a)/(b)\n"),
    ('<div class="sw-table" markdown="block">\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n</div>',
     "| a | b |\n| --- | --- |\n| 1 | 2 |\n"),
    ('!!! warning "What carries over"\n    The method.\n\n    Not the numbers.\n\nAfter.\n',
     "**What carries over**\n\nThe method.\n\nNot the numbers.\n\nAfter.\n"),
    ('??? quote "Code"\n\n    ```python\n    if a<b:\n        print("</p>")\n    ```\n\nAfter.\n',
     '**Code**\n\n```python\nif a<b:\n    print("</p>")\n```\n\nAfter.\n'),
    ('<details class="sw-data"><table><tr><td>9</td></tr></table></details>After.', "After.\n"),
])  # fmt: skip
def test_html_becomes_words(body, plain):
    """One kind of markup each."""
    assert plain_markdown(body) == plain


@pytest.mark.parametrize("hostile", [
    "<script>alert(1)</script>", "@{{ secret }}", "[click](javascript:alert(1))", "# not a heading",
    "&lt;b&gt; &amp;amp;", "| a | b |", "```\n# out\n```", "~~~\n<b>\n~~~", "\u202eabc",
])  # fmt: skip
def test_text_of_others_stays_text(hostile):
    """As a reader of Markdown shows it: the same characters, and no element that is not ours."""
    inline = markdown(plain_markdown(f"Words {inert(hostile)} end."))
    block = markdown(plain_markdown(f"Before.\n\n{preformatted(hostile)}\n\nAfter."))

    assert re.sub(r"</?p>", "", inline).count("<") == 0
    assert unescape(re.sub(r"</?p>", "", inline)).strip() == f"Words {visible(' '.join(hostile.splitlines()))} end."
    assert re.findall(r"<[^>]*>", block) == ["<p>", "</p>", "<pre>", "<code>", "</code>", "</pre>", "<p>", "</p>"]
    assert unescape(re.search("<code>(.*)</code>", block, re.DOTALL)[1]).strip("\n") == visible(hostile)


@given(st.text(alphabet="ab <>&`#{}\n*_|/", max_size=80))
def test_no_text_breaks_it(text):
    """Whatever stands in a page: one newline at the end, and never three in a row outside of code."""
    plain = plain_markdown(text)

    assert re.search(r"[^\n]\n\Z|\A\n\Z", plain)
    assert "```" in plain or "\n\n\n" not in plain


def test_a_twin_says_where_it_stands():
    """Title, addresses of both languages, date, description, then the body."""
    text = twin("Depth", "How deep.", "# Depth {#depth}\n\nWords.\n", [("en", "/en/depth/"), ("vi", "/vi/depth/")],
                ["lang: en", "as_of 2026-11-30"])  # fmt: skip

    assert text == (
        "# Depth\n\n> EN: /en/depth/ · VI: /vi/depth/ · lang: en · as_of 2026-11-30\n\nHow deep.\n\nWords.\n"
    )


def test_the_list_of_pages():
    """In the form of llmstxt.org: a heading, a quoted description, sections of links."""
    sections = {
        "Pages": [("Depth", "/en/depth/index.md", "How deep.")],
        "Data": [("Values", "/v.json", "")],
    }

    assert llms_txt("specwiki", "Measured.", sections) == (
        "# specwiki\n\n> Measured.\n\n## Pages\n\n- [Depth](/en/depth/index.md): How deep.\n\n"
        "## Data\n\n- [Values](/v.json)\n"
    )
