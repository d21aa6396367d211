"""Names of values."""

import pytest

from specwiki.core.keys import is_key, nearest, nearest_key


@pytest.mark.parametrize(
    "key",
    ["ratio.c1.d4", "ratio.c16.d4-twin", "ratio.c1.d4.copy-heavy", "output_tok_s.c4.off", "aa.c1", "boots",
     "position_acceptance.c1.d4.p0", "repeated_4grams.vietnamese"],
)  # fmt: skip
def test_keys_of_the_experiment_exist(key):
    """Whether or not a run measured them."""
    assert is_key(key)


@pytest.mark.parametrize("key", ["ratio", "ratio.c0.d4", "ratio.c1.d9", "ratios.c1.d4", "boots.c1", "aa.c1.d4"])
def test_other_keys_do_not(key):
    """No run could ever measure them."""
    assert not is_key(key)


def test_a_near_name_is_offered():
    """Else what there is."""
    assert nearest_key("ratio.c1.d44", ["ratio.c1.d4", "aa.c1"]) == "Did you mean 'ratio.c1.d4'?"
    assert nearest("zzz", ["alpha", "beta"]) == "There is: alpha, beta"
    assert nearest("zzz", []) == "There is none"
    assert nearest_key("ration", []).startswith("Did you mean 'ratio")
