"""Records of blocks, and the share of repeated 4-grams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.blocks import repeated_4grams


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("one two three", None),
        ("a b c d", 0.0),
        ("a b c d a b c d", 0.2),
        ("go go go go go go go", 0.75),
        ("A b C d a B c D", 0.2),
        ("", None),
    ],
)
def test_share_of_repeated_4grams(text, share):
    """Each 4-gram of words after its first occurrence is a repetition; case does not tell words apart."""
    assert repeated_4grams(text) == share


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=4))
def test_the_share_is_a_fraction_below_one(words):
    """The first of all 4-grams is never a repetition."""
    assert 0 <= repeated_4grams(" ".join(words)) < 1
