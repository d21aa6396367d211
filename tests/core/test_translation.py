"""What of a Vietnamese page is out of date, and the comments that say so."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.translation import Record, compare, parse_record, recorded
from specwiki.errors import InputError, ProblemsError

ENGLISH = """---
title: Page
---
# Title {#title}

Alpha has words @{{ value("ratio.c1.d4") }}.

Beta says: @{{ claim("pays") }}

## More {#more}

Gamma.
"""
VIETNAMESE = """---
title: Trang
---
# Tựa đề {#title}

An-pha có chữ @{{ value("ratio.c1.d4") }}.

Bê-ta nói: @{{ claim("pays") }}

## Thêm {#more}

Gam-ma.
"""
VERDICTS = {"pays": "holds", "best.c1": "off"}


def states(english, vietnamese, verdicts=None):
    """Id → state of each passage that is out of date."""
    found = compare("page", english, vietnamese, (VERDICTS if verdicts is None else verdicts).get)
    return {one.id: one.state for one in found if one.state != "current"}


def done(english, vietnamese, ids=None, verdicts=None):
    """The Vietnamese page with these passages recorded, or all."""
    verdict = (VERDICTS if verdicts is None else verdicts).get
    passages = compare("page", english, vietnamese, verdict)
    return recorded(vietnamese, passages, ids or [one.id for one in passages], verdict)


TRANSLATED = done(ENGLISH, VIETNAMESE)


def test_a_page_without_comments_is_recorded_nowhere():
    """Until somebody says that it is translated."""
    assert set(states(ENGLISH, VIETNAMESE).values()) == {"unrecorded"}
    assert states(ENGLISH, TRANSLATED) == {}


def test_a_record_has_id_hashes_and_verdicts():
    """On a line of its own before the block; the front matter's stands below it."""
    lines = TRANSLATED.splitlines()

    assert re.fullmatch(r"@\{# en: front [0-9a-f]{12} vi: [0-9a-f]{12} #\}", lines[3])
    assert re.fullmatch(
        r"@\{# en: title-3 [0-9a-f]{12} vi: [0-9a-f]{12} pays=holds #\}",
        lines[lines.index(VIETNAMESE.splitlines()[7]) - 1],
    )


def test_only_comments_are_written():
    """Every other byte stays, in either convention of line ends, also without a last line end."""
    for text in (VIETNAMESE, VIETNAMESE.replace("\n", "\r\n"), VIETNAMESE.rstrip()):
        written = done(ENGLISH, text)
        newline = "\r\n" if "\r\n" in text else "\n"
        assert re.sub(rf"@\{{# en: .*? #\}}{newline}", "", written) == text
        assert states(ENGLISH, written) == {}


def test_an_edited_english_paragraph_marks_its_vietnamese_block():
    """And no other."""
    assert states(ENGLISH.replace("Gamma", "Delta"), TRANSLATED) == {"more-2": "changed"}


def test_broken_lines_mark_nothing():
    """White space is no text."""
    assert states(ENGLISH.replace("Alpha has words", "Alpha has\nwords"), TRANSLATED) == {}


def test_a_flipped_verdict_marks_the_block_that_prints_it():
    """With what it was and what it is."""
    found = compare("page", ENGLISH, TRANSLATED, {"pays": "open"}.get)
    flipped = [one for one in found if one.state != "current"]

    assert [(one.id, one.state) for one in flipped] == [("title-3", "flipped")]
    assert [(one.name, one.then, one.now) for one in flipped[0].flips] == [("pays", "holds", "open")]


def test_without_a_published_result_nothing_is_flipped():
    """The page prints nothing then; the first verdict that is published is one to look at."""
    assert states(ENGLISH, TRANSLATED, {}) == {}
    before = done(ENGLISH, VIETNAMESE, verdicts={})
    assert states(ENGLISH, before, {"pays": "fails"}) == {"title-3": "flipped"}


def test_verdicts_of_calls_that_are_new_are_no_flips():
    """The text changed; that is enough."""
    english = ENGLISH.replace("Beta says:", 'Beta @{{ outcome("best.c1") }}')
    changed = [one for one in compare("page", english, TRANSLATED, VERDICTS.get) if one.state != "current"]

    assert [(one.id, one.state, one.flips) for one in changed] == [("title-3", "changed", ())]


def test_an_inserted_english_paragraph_is_missing_and_the_others_stay_in_date():
    """They are found by what they were translated from."""
    english = ENGLISH.replace("Alpha", "New words.\n\nAlpha")

    assert states(english, TRANSLATED) == {"title-2": "missing"}


def test_a_new_pair_of_paragraphs_waits_for_its_record():
    """The one without a comment belongs to the one that nobody translates, between the same neighbours."""
    english = ENGLISH.replace("Alpha", "New words.\n\nAlpha")
    vietnamese = TRANSLATED.replace(TRANSLATED[TRANSLATED.index("@{# en: title-2") :], "Chữ mới.\n\n"
                                    + TRANSLATED[TRANSLATED.index("@{# en: title-2") :])  # fmt: skip

    assert states(english, vietnamese) == {"title-2": "unrecorded"}
    written = done(english, vietnamese, ["title-2"])
    assert states(english, written) == {}
    assert re.findall(r"en: (title-\d)", written) == ["title-1", "title-2", "title-3", "title-4"]


def test_a_removed_english_paragraph_leaves_its_translation_over():
    """The last ones keep their own."""
    english = ENGLISH.replace('Alpha has words @{{ value("ratio.c1.d4") }}.\n\n', "")
    found = [one for one in compare("page", english, TRANSLATED, VERDICTS.get) if one.state != "current"]

    assert [(one.state, one.vietnamese.text[:6]) for one in found] == [("left-over", "An-pha")]
    assert states(english, done(english, TRANSLATED)) == {"title-2": "left-over"}


def test_paragraphs_that_changed_places_stay_in_date():
    """Within a section the order is the translator's."""
    alpha, beta = 'Alpha has words @{{ value("ratio.c1.d4") }}.', 'Beta says: @{{ claim("pays") }}'
    english = ENGLISH.replace(alpha, "?").replace(beta, alpha).replace("?", beta)

    assert states(english, TRANSLATED) == {}


def test_the_same_sentence_twice_is_two_blocks():
    """Each with its own record."""
    english = "# Aa {#a}\n\nSame words.\n\nSame words.\n"
    vietnamese = "# Aa {#a}\n\nMột câu.\n\nMột câu.\n"
    written = done(english, vietnamese)

    assert states(english, written) == {}
    assert states(english.removesuffix("\nSame words.\n"), written) == {"a-3": "left-over"}


def test_a_record_without_a_change_in_vietnamese_is_known():
    """So that it can be said."""
    english = ENGLISH.replace("Gamma", "Delta")
    same = {one.id: one.unchanged for one in compare("page", english, TRANSLATED, VERDICTS.get)}
    mended = {one.id: one.unchanged for one in compare("page", english, TRANSLATED.replace("Gam-ma", "Đen-ta"),
                                                       VERDICTS.get)}  # fmt: skip

    assert same["more-2"]
    assert not mended["more-2"]


def test_only_what_is_asked_for_is_recorded():
    """The others stay out of date."""
    english = ENGLISH.replace("Gamma", "Delta").replace("Alpha", "Omega")

    assert states(english, done(english, TRANSLATED, ["more-2"])) == {"title-2": "changed"}


ZEROS = "000000000000"
HEADING = "# Tt {#title}\n"


@pytest.mark.parametrize(
    ("vietnamese", "says"),
    [
        ("@{# en: title #}\n" + HEADING, "page.md, line 1: '@{# en: title #}' cannot be read"),
        ("@{# en: title-1 XYZ #}\n" + HEADING, "cannot be read"),
        (f"@{{# en: title-1 {ZEROS} a=b a=c #}}\n" + HEADING, "cannot be read"),
        (f"@{{# en: title-1 {ZEROS} a #}}\n" + HEADING, "cannot be read"),
        (f"@{{#- en: title-1 {ZEROS} #}}\n" + HEADING, "cannot be read"),
        (f" @{{# en: title-1 {ZEROS} #}}\n" + HEADING, "cannot be read"),
        (f"@{{# en: title-1 {ZEROS}\n" + HEADING, "stands before no block"),
        (HEADING + f"\nchữ @{{# en: title-2 {ZEROS} #}} nữa\n", "line 3: '@{# en: title-2 000000000000 #}' stands"),
        (HEADING + f"\n@{{# en: title-2 {ZEROS} #}}\n", "stands before no block"),
        (HEADING + f"\n@{{# en: title-2 {ZEROS} #}}\n@{{{{ table('x') }}}}\n", "stands before no block"),
        (HEADING + f"\n```\n@{{# en: title-2 {ZEROS} #}}\n```\n", "stands before no block"),
        (f"@{{# en: a-1 {ZEROS} #}}\n@{{# en: b-1 {ZEROS} #}}\n" + HEADING, "#}' is the second comment"),
        (f"@{{# en: a-1 {ZEROS} #}}\n{HEADING}\n@{{# en: a-1 {ZEROS} #}}\nchữ\n", "#}' stands in line 1 too"),
    ],
)  # fmt: skip
def test_comments_that_make_no_sense_are_refused_with_their_place(vietnamese, says):
    """Nothing is guessed, and nothing is lost."""
    with pytest.raises(InputError, match=re.escape(says)):
        compare("page", ENGLISH, vietnamese, VERDICTS.get)


def test_every_comment_that_makes_no_sense_is_named():
    """Not only the first."""
    with pytest.raises(ProblemsError) as caught:
        compare("page", ENGLISH, "@{# en: x #}\nchữ\n\n@{# en: y #}\n", VERDICTS.get)

    assert [one.where for one in caught.value.problems] == ["docs/vi/page.md, line 4", "docs/vi/page.md, line 1"]


def test_a_record_of_a_block_that_never_was_is_left_over():
    """It is named by what its comment says."""
    vietnamese = TRANSLATED + "\n@{# en: more-9 000000000000 #}\nThừa.\n"

    assert states(ENGLISH, vietnamese) == {"more-9": "left-over"}


NAMES = st.from_regex(r"[a-z0-9][a-z0-9.-]{0,12}", fullmatch=True)
HASHES = st.from_regex(r"[0-9a-f]{12}", fullmatch=True)


@given(st.builds(Record, NAMES, HASHES, st.none() | HASHES, st.dictionaries(NAMES, NAMES, max_size=3)))
def test_a_record_reads_as_it_was_written(record):
    """Whatever it says."""
    assert parse_record(str(record)) == record


WORDS = st.lists(st.sampled_from(["one", "two", "three", "four", "five"]), min_size=1, max_size=6)


@given(WORDS, WORDS, WORDS)
def test_recording_all_leaves_only_what_has_one_language(english, vietnamese, later):
    """Whatever was inserted, removed or moved since; and recording again changes nothing."""
    pages = ["# Aa {#a}\n\n" + "\n\n".join(words) + "\n" for words in (english, vietnamese, later)]
    written = done(pages[0], pages[1])
    assert set(states(pages[0], written).values()) <= {"missing", "left-over"}
    again = done(pages[2], written)
    assert set(states(pages[2], again).values()) <= {"missing", "left-over"}
    assert re.sub(r"@\{# en: .*? #\}\n", "", again) == pages[1]
    assert done(pages[2], again) == again


def test_what_was_never_recorded_stays_so_unless_asked_for():
    """No comment appears above it."""
    written = done(ENGLISH, VIETNAMESE, ["more-1"])

    assert written.count("@{# en: ") == 1
    assert states(ENGLISH, written)["more-2"] == "unrecorded"
