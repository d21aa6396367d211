"""What is wrong with a speculative config before anything is launched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.lint import KNOWN, lint_speculative_config

GOOD = {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_min": 2, "prompt_lookup_max": 4}
SCHEDULE = "num_speculative_tokens_per_batch_size"


def said(**changed):
    return [str(one) for one in lint_speculative_config({**GOOD, **changed})]


def test_a_good_config():
    """Nothing is found where nothing is wrong, schedule and forced acceptance included."""
    assert said() == []
    assert said(**{SCHEDULE: [[1, 3, 4], [4, 64, 0]]}) == []
    assert said(rejection_sample_method="synthetic", synthetic_acceptance_rates=[0.8, 0.5, 0.5, 0.1]) == []


@pytest.mark.parametrize("depth", [0, -1, 2.5, "4", True])
def test_depth_is_a_whole_number_above_zero(depth):
    """Depth 0 is not a way to switch speculation off: vLLM refuses it."""
    (one,) = said(num_speculative_tokens=depth)
    assert one.startswith(f"error: num_speculative_tokens: it is {depth!r}, expected a whole number above 0.")


def test_depth_is_needed():
    """A config without a depth is refused."""
    config = {key: value for key, value in GOOD.items() if key != "num_speculative_tokens"}
    assert "it is missing" in str(lint_speculative_config(config)[0])


def test_a_very_deep_draft():
    """Depth beyond what vLLM tests is a warning."""
    assert said(num_speculative_tokens=200)[0].startswith("warning: num_speculative_tokens: it is 200")


@pytest.mark.parametrize("method", ["suffix", "medusa", "ngram_gpu"])
def test_c25_a_schedule_with_a_fixed_depth_drafter(method):
    """Case C25: these drafters assert a fixed depth, so a schedule kills the server at run time."""
    (one,) = said(method=method, num_speculative_tokens=8, **{SCHEDULE: [[1, 4, 8], [5, 64, 2]]})
    said_first, said_next = one.split(". ")
    assert said_first == f"error: {SCHEDULE}: method '{method}' asserts one fixed depth, and a schedule changes it"
    assert said_next == "Leave the schedule out."


def test_c28_the_schedule_of_an_older_version():
    """Case C28: an object of ranges is refused, with the list that it means."""
    (one,) = said(**{SCHEDULE: {"1-16": 3, "17-64": 0}})
    assert "the form before vLLM 0.32" in one
    assert "Write [[1, 16, 3], [17, 64, 0]]." in one


@pytest.mark.parametrize(
    ("schedule", "what"),
    [
        ([], "expected a list of"),
        ("4", "expected a list of"),
        ([[1, 4]], "[0]: it is [1, 4], expected"),
        ([[1, 4, 4, 0, 0]], "[0]: it is [1, 4, 4, 0, 0], expected"),
        ([[1, 4, "4"]], "whole numbers"),
        ([[5, 4, 1]], "1 <= first <= last"),
        ([[0, 4, 1]], "1 <= first <= last"),
        ([[1, 4, -1]], "a depth of 0 or more"),
        ([[2, 4, 1]], "it starts at batch size 2, expected 1"),
        ([[1, 4, 4], [4, 8, 2]], "4 is in two ranges"),
    ],
)
def test_c28_schedules_that_vllm_refuses(schedule, what):
    """Case C28: every shape that vLLM refuses is found, with its place."""
    found = said(**{SCHEDULE: schedule})
    assert any(one.startswith("error") and what in one for one in found), found


def test_gaps_and_cuts_are_warnings():
    """VLLM carries a depth through gaps and cuts it to the maximum; both are said."""
    found = said(**{SCHEDULE: [[1, 4, 8], [9, 16, 2]]})

    assert any("batch sizes 5 to 8 are in no range: depth 8 is carried on" in one for one in found)
    assert any("depth 8 is cut to num_speculative_tokens 4" in one for one in found)
    assert all(one.startswith("warning") for one in found)


def test_every_wrong_key_is_found():
    """Renamed keys have their new name, misspelt ones the nearest."""
    found = said(adaptive_verification=True, synthetic_acceptance_rate=0.8, metod="ngram")

    assert "Write enable_adaptive_verification." in found[0]
    assert "synthetic_acceptance_rates, a list" in found[1]
    assert "Did you mean 'method'?" in found[2]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"synthetic_acceptance_rates": [0.8, 0.5]}, "2 rates for depth 4"),
        ({"synthetic_acceptance_rates": [0.5, 0.8, 0.1, 0.1]}, "rise"),
        ({"synthetic_acceptance_rates": [80, 50, 20, 10]}, "expected fractions of 1"),
        ({"synthetic_acceptance_length": 5.5}, "expected 1 to 5"),
    ],
)
def test_forced_acceptance(changed, what):
    """Rates are one a position, fractions, never rising; a length is within 1 and depth + 1."""
    assert any(what in one for one in said(rejection_sample_method="synthetic", **changed))


def test_forced_acceptance_without_its_method():
    """Rates without the synthetic method do nothing, and that is said."""
    assert "does nothing" in said(synthetic_acceptance_length=2)[0]


def test_c18_a_draft_tree():
    """Case C18: eight draft tokens from three steps are a tree, whatever server counts them; four are a chain."""
    tree = said(speculative_num_steps=3, speculative_num_draft_tokens=8)
    chain = said(speculative_num_steps=3, speculative_num_draft_tokens=4)

    (warning,) = [one for one in tree if one.startswith("warning")]
    assert "it is 8, expected 4 for a chain of 3 steps: it is a tree" in warning
    assert "what was drafted as observed" in warning
    assert not [one for one in chain if one.startswith("warning")]
    assert "Write num_speculative_tokens." in chain[0]


def test_lookup_bounds():
    """The least n-gram is not longer than the longest."""
    assert "above prompt_lookup_max 4" in said(prompt_lookup_min=5)[0]


def test_c52_a_limit_without_effect():
    """Case C52: `max_model_len` in the speculative config is accepted and ignored."""
    assert said(max_model_len=12288)[0].startswith("warning: max_model_len: it is accepted and does not keep")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(KNOWN) | st.text(), VALUES))
def test_no_config_crashes_it(config):
    """Whatever a file holds, the answer is a list of findings."""
    assert isinstance(lint_speculative_config(config), list)
