"""Labels: both languages, and no key shown as it is."""

import pytest

from specwiki.errors import DataError
from specwiki.render.labels import has_label, label, localised, tokens_in
from specwiki.render.words import PATTERNS, WORDS


def test_every_label_has_words_in_both_languages():
    """Neither is empty."""
    assert all(english.strip() and vietnamese.strip() for english, vietnamese in WORDS.values())
    assert all(english.strip() and vietnamese.strip() for _, (english, vietnamese) in PATTERNS)


def test_a_key_with_a_number_is_worded_by_its_pattern():
    """Depths, twins and loads need no entry each."""
    assert label("arm.d4", "en") == "depth 4"
    assert label("arm.d4-twin", "vi") == "độ sâu 4, đo lặp (A/A)"
    assert label("streams.1", "en") == "1 stream"
    assert label("streams.16", "vi") == "16 luồng"


def test_a_key_without_wording_is_an_error_with_the_nearest():
    """It is never shown as it is."""
    assert not has_label("column.ratios")
    with pytest.raises(DataError, match=r"no wording for 'column\.ratios'\. Did you mean 'column\.ratio'"):
        label("column.ratios", "en")


def test_tokens_are_worded_wherever_they_stand():
    """In lists and dictionaries, at any depth; other strings stay."""
    data = {"a": ["label:arm.off", {"b": "label:streams.4"}], "c": "label", "d": 1}

    assert localised(data, "vi") == {"a": ["tắt", {"b": "4 luồng"}], "c": "label", "d": 1}
    assert tokens_in(data) == {"arm.off", "streams.4"}
