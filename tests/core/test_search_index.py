"""Words without diacritics, and with them decomposed, beside those of the index."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.search_index import folded, with_folded_words, without_sections


def sections(*texts):
    return json.dumps(
        {"config": {"lang": ["vi"]}, "docs": [{"location": "", "title": "", "text": one} for one in texts]}
    )


def test_words_are_found_as_they_are_typed():
    """`do tre` and the decomposed form for `độ trễ`; nothing for words that have no marks."""
    made = json.loads(with_folded_words(sections("<p>Độ trễ &amp; depth</p>", "depth")))
    words = made["docs"][0]["folded"].split()

    assert {"do", "tre"} <= set(words)
    assert unicodedata.normalize("NFD", "độ") in words
    assert "depth" not in words
    assert made["docs"][1]["folded"] == ""
    assert made["config"] == {"lang": ["vi"]}


def test_an_index_of_no_page_keeps_its_settings():
    """The search is set up with it."""
    assert json.loads(without_sections(sections("depth"))) == {"config": {"lang": ["vi"]}, "docs": []}


@given(st.text(alphabet="aăâbcdđeêghiklmnoôơpqrstuưvxyáàảãạấầẩẫậ ", max_size=40))
def test_folding_leaves_ascii(text):
    """Every Vietnamese letter loses its marks, and folding again changes nothing."""
    assert folded(text).isascii()
    assert folded(folded(text)) == folded(text)
