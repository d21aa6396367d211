"""Notes and marks on a Vietnamese page whose translation is out of date."""

import pytest

from specwiki.core.claims import Claim, OutcomeWordings, Wordings
from specwiki.core.translation import compare, recorded
from specwiki.core.wordings import wordings_hash
from specwiki.render.evidence import Evidence
from specwiki.render.outdated import marked, note_function
from specwiki.render.pages import parse_page, render_page
from specwiki.render.values import Sourced

ENGLISH = """---
title: A
---
# Heading {#top-of-it}

Words one.

- item one

- item two

| a head | b |
| --- | --- |
| cell words | 1 |

@{% set alternative %}
Words of a chart.
@{% endset %}
<b title="@{{ alternative }}">x</b>
"""
NOTE = '<span class="sw-outdated" role="note" data-state="changed">'


def shown(edit, *, evidence=None):
    """The Vietnamese page, which is the English one, as it was before this edit of the English one."""
    passages = compare("depth", ENGLISH, ENGLISH, {}.get)
    vietnamese = recorded(ENGLISH, passages, [one.id for one in passages], {}.get)
    page = parse_page("depth", "vi", vietnamese)
    found = compare("depth", ENGLISH.replace(*edit), vietnamese, {}.get)
    body = marked(page.body, found, len(vietnamese) - len(page.body))
    return render_page(type(page)(page.name, page.lang, page.front, body), evidence or Evidence()).text


def test_comments_never_reach_the_page():
    """What is in date looks as if there were none."""
    assert shown(("x", "x")) == render_page(parse_page("depth", "vi", ENGLISH), Evidence()).text


@pytest.mark.parametrize(
    ("word", "before", "after"),
    [
        ("title: A", "---\n", "\n\n# Heading"),
        ("# Heading", "{#top-of-it}\n\n", "\n\nWords one."),
        ("Words one", "{#top-of-it}\n\n", "\n\nWords one."),
        ("item two", "- item one\n\n- ", " item two"),
        ("cell words", "item two\n\n", "\n\n| a head"),
        ("of a chart", "| cell words | 1 |\n\n", '\n\n<b title="Words of a chart.\n">'),
    ],
)
def test_a_note_stands_where_it_breaks_nothing(word, before, after):
    """A paragraph of its own, or inside a list's item."""
    text = shown((word, word + " changed"))
    first, rest = text.split(NOTE)

    assert first.endswith(before)
    assert rest.partition("</span>")[2].startswith(after)
    assert "Bản dịch chưa cập nhật: phần tiếng Anh đã thay đổi" in rest


def test_a_note_links_to_the_english_section():
    """From where the built page is, to where the English one is."""
    assert 'href="../../en/depth/#top-of-it" hreflang="en"' in shown(("Words one", "Others"))
    assert 'href="../en/#home"' in note_function("index")("before", "changed", "home", "")
    assert 'href="../../en/depth/" hreflang' in shown(("title: A", "title: B"))


def test_a_flipped_finding_has_words_of_its_own():
    """The English text is the same."""
    assert "kết luận đo được đã thay đổi sau khi dịch" in note_function("depth")("before", "flipped", "a", "")


def test_hostile_section_ids_do_nothing():
    """They come from a heading."""
    assert "<script>" not in note_function("depth")("before", "changed", '"><script>', "")


def test_no_line_of_the_source_moves():
    """An error in the page names the line that its author sees."""
    passages = compare("depth", ENGLISH, ENGLISH, {}.get)
    vietnamese = recorded(ENGLISH, passages, [one.id for one in passages], {}.get)
    found = compare("depth", ENGLISH.replace(" ", " and "), vietnamese, {}.get)

    assert marked(vietnamese, found, 0).count("\n") == vietnamese.count("\n")


def test_a_finding_whose_wording_is_out_of_date_is_marked(make_result):
    """On the Vietnamese page, behind the sentence; where nothing is recorded there is no mark."""
    words = Wordings(holds="yes", fails="no", open="open")
    stale, fresh = "0" * 12, wordings_hash(words.model_dump())
    claims = {f"c{at}": Claim(expression='v("ratio.c1.d4") < 1', en=words, vi=words, of=of)
              for at, of in enumerate((stale, fresh, None))}  # fmt: skip
    outcomes = {"best.c1": OutcomeWordings(en={"off": "off"}, vi={"off": "tắt"}, of=stale)}
    evidence = Evidence((Sourced(make_result(gain=0.9), "published"),), claims=claims, outcomes=outcomes)
    body = '@{{ claim("c0") }}; @{{ claim("c1") }}; @{{ claim("c2") }}; @{{ outcome("best.c1") }}.'
    english, vietnamese = (render_page(parse_page("depth", lang, body), evidence).text for lang in ("en", "vi"))

    parts = vietnamese.split(";")
    assert ["sw-outdated" in part for part in parts] == [True, False, False, True]
    assert '>yes</span> <sup class="sw-kind sw-outdated" title="' in parts[0]
    assert "sw-outdated" not in english
