"""Blocks of a page's source: what is one, what is none, and where a note about it goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.page_blocks import call_lines, scan
from specwiki.core.page_text import has_words, text_hash

PAGE = """---
title: Depth
---
# Depth {#depth}

@{{ result_note() }}

@{% if measured %}
<div class="sw-answer" markdown="block">

@{{ outcome("best.c1") }}

</div>
@{% endif %}

## What it does {#what}

First paragraph.
Its second line.

@{% if measured %}
@{{ claim("pays") }} Words.
@{% else %}
Other words.
@{% endif %}

```sh
make wiki

make site
```

@{% set alternative %}
Words of the chart, @{{ value("ratio.c1.d4") }}.
@{% endset %}
@{{ chart("ratio", alternative) }}

- one

- two
  goes on

    indented

| a | b |
| --- | --- |
| words | 1 |
"""


def texts(page):
    """Id → text of each block."""
    return {block.id: block.text for block in scan(page).blocks}


def test_blocks_are_what_has_words():
    """Each with its section and its ordinal there; the heading is the first."""
    found = texts(PAGE)

    assert list(found) == ["front", "depth-1", *(f"what-{at}" for at in range(1, 9))]
    assert found["what-1"] == "## What it does {#what}"
    assert found["what-2"] == "First paragraph.\nIts second line."
    assert found["what-4"].startswith("Words of the chart")
    assert found["what-6"] == "- two\n  goes on"


def test_a_block_knows_what_it_prints():
    """Claims and outcomes inside calls, not names in prose or comments."""
    page = """# Aa {#a}

Words @{{ claim("one") }} @{{ outcome('best.c1') }} @{# claim("no") #} claim("neither") @{{ claim("one") }}
"""

    assert scan(page).blocks[1].calls == ("one", "best.c1")


@pytest.mark.parametrize(
    "piece",
    [
        '@{{ table("current") }}',
        '@{{ source_fact("000", "why-rate") }}; @{{ quoted("000.x", marked=False) }}',
        '@{% if arm and arm != "off" or arm == "on" %}',
        '<div class="sw-math"><math display="block"><mi>sin</mi></math></div>',
        "```sh\nmake wiki\n\nmake site\n```",
        "- `off`\n- `on`",
        "@{# a remark of ours #}",
        "<!-- a remark -->",
        "| --- | --- |",
        "![](https://example.org/image)",
    ],
)
def test_what_has_no_words_is_no_block(piece):
    """Nobody could translate it."""
    assert not has_words(piece)
    assert texts(f"# Words {{#a}}\n\n{piece}\n") == {"a-1": "# Words {#a}"}


@pytest.mark.parametrize(
    "piece", ["token.", '@{{ notebook("executed notebook") }}', "<img alt='two words'>", "[link](x.md)", "ở đây"]
)
def test_words_are_words_wherever_they_stand(piece):
    """Also inside a call or an attribute that is read out."""
    assert has_words(piece)


@pytest.mark.parametrize(
    "inside",
    ["```\n\n# no heading {#no}\n\n```", "@{{ chart(\n\n'x') }}", "@{#\n\n# no {#no}\n\n#}", "~~~\n\n```\n\n~~~"],
)
def test_nothing_is_split_inside_code_and_tags(inside):
    """A blank line there ends no block."""
    found = texts(f"# Aa {{#a}}\n\nbefore\n{inside}\nafter\n\nlast\n")

    assert list(found) == ["a-1", "a-2", "a-3"]
    assert found["a-2"] == f"before\n{inside}\nafter"


def test_control_lines_around_a_block_are_not_its_text():
    """A block can move into a condition and stay what it is; one inside it counts."""
    bare, inside = scan("# Aa {#a}\n\nwords\n"), scan("# Aa {#a}\n\n@{% if x %}\nwords\n@{% endif %}\n")

    assert bare.blocks[1].digest == inside.blocks[1].digest
    assert text_hash("a\n@{% if x %}\nb") != text_hash("a\nb")


def test_a_hash_does_not_see_white_space_comments_or_composition():
    """Lines may be broken elsewhere."""
    assert text_hash("a  b\n c") == text_hash("a b c ") == text_hash("a @{# remark #}b c")
    assert text_hash("do\u0323\u0302") == text_hash("d\u1ed9")
    assert text_hash("a b") != text_hash("ab")
    assert len(text_hash("")) == 12


def noted(page, id_):
    """The page with `!` where notes about a block go."""
    block = next(one for one in scan(page).blocks if one.id == id_)
    for note in sorted(block.notes, key=lambda one: one.at, reverse=True):
        page = page[: note.at] + "!" + page[note.at :]
    return page, [note.form for note in block.notes]


@pytest.mark.parametrize(
    ("id_", "line", "form"),
    [
        ("what-1", "## What it does {#what}!", "after"),
        ("what-2", "!First paragraph.", "before"),
        ("what-4", "!@{% set alternative %}", "before"),
        ("what-5", "- !one", "item"),
        ("what-6", "- !two", "item"),
        ("what-7", "    !indented", "before"),
        ("what-8", "!| a | b |", "before"),
    ],
)
def test_a_note_has_a_place_where_it_breaks_nothing(id_, line, form):
    """Never in a text that is kept under a name, and in a list inside its item."""
    page, forms = noted(PAGE, id_)

    assert line in page.splitlines()
    assert forms == [form]


def test_each_branch_of_a_condition_has_its_note():
    """One of them is shown."""
    page, _ = noted(PAGE, "what-3")

    assert '!@{{ claim("pays") }} Words.' in page
    assert "!Other words." in page


def test_a_block_that_leaves_a_condition_has_its_note_before_it():
    """Else it would be shown only with the condition."""
    page, _ = noted("# Aa {#a}\n\n@{% if x %}\none\n@{% endif %}\ntwo\n", "a-2")

    assert "!@{% if x %}\none" in page


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(newline):
    """Files come from everywhere."""
    assert [(one.id, one.digest, one.line) for one in scan(PAGE.replace("\n", newline)).blocks] == [
        (one.id, one.digest, one.line) for one in scan(PAGE).blocks
    ]


def test_headings_without_an_id_and_with_the_same_one_keep_ids_apart():
    """A section goes on where its id comes again."""
    found = texts("Before.\n\n# No id\n\n## Aa {#a}\n\nx1 words\n\n## Again {#a}\n\nmore\n")

    assert list(found) == ["top-1", "top-2", "a-1", "a-2", "a-3", "a-4"]


PIECES = st.sampled_from(
    ["words", "# Hh {#h}", "## Hh {#i}", "", "", "```", "~~~", "@{% if x %}", "@{% endif %}", "@{% set a %}",
     "@{% endset %}", "- item", "    more", "| a | b |", "<div>", "</div>", "@{# en: h-1 000000000000 #}",
     "@{{ table('x') }}", "---", "@{#", "#}"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=20), st.sampled_from(["\n", "\r\n"]))
def test_any_page_is_read(pieces, newline):
    """Ids are unique, texts lie where it is said, and notes stand inside the page."""
    page = newline.join(pieces)
    found = scan(page).blocks

    assert len({block.id for block in found}) == len(found)
    for block in found:
        assert block.id == "front" or page[block.start :].startswith(block.text)
        assert all(0 <= note.at <= len(page) for note in block.notes)
        assert block.notes


def test_an_end_without_a_beginning_hides_nothing():
    """Jinja refuses the page; its blocks are found all the same."""
    page, forms = noted("# Aa {#a}\n\n@{% endset %}\nwords\n", "a-2")

    assert (page.splitlines()[3], forms) == ("!words", ["before"])


def test_texts_inside_texts_have_their_notes_before_the_outermost():
    """Where the page shows something again."""
    page, _ = noted("# Aa {#a}\n\n@{% set x %}\n@{% set y %}\nwords\n@{% endset %}\n@{% endset %}\n", "a-2")

    assert "!@{% set x %}" in page


def test_where_claims_and_outcomes_are_printed():
    """Also in lines without words, twice, over several lines, and in both conventions of line ends; no comment's."""
    page = (
        "---\ntitle: x\n---\n@{{ outcome('best.c1') }}\n@{# @{{ claim(\"no\") }}\n #}\n"
        '@{{ claim("a") }} @{{ of("cut").claim("a") }}\n\n'
        '@{{ claim(\n"b") }}\nclaim("text")\n@{% if claim("a") %}\n'
    )

    assert call_lines(page) == {"best.c1": (4,), "a": (7, 12), "cut:a": (7,), "b": (9,)}
    assert call_lines(page.replace("\n", "\r\n")) == call_lines(page)
    assert list(call_lines(PAGE)) == ["best.c1", "pays"]


def test_a_call_of_a_profile_is_named_with_it():
    """Its verdict is that of the profile's own result."""
    page = """@{{ claim("a") }} @{{ of("laptop-eagle").claim("a") }}\n@{{ of('x').outcome('b.c1') }}\n"""

    assert call_lines(page) == {"a": (1,), "laptop-eagle:a": (1,), "x:b.c1": (2,)}
