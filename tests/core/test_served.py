"""What runs is compared with what was asked for."""

import pytest

from specwiki.core.served import differences

ASKED = {"method": "mtp", "num_speculative_tokens": 5}


@pytest.mark.parametrize(
    ("asked", "served", "said"),
    [
        (ASKED, {**ASKED, "draft_tensor_parallel_size": 2}, []),
        (None, None, []),
        (ASKED, {**ASKED, "num_speculative_tokens": 3}, ["num_speculative_tokens is 3, the profile asks for 5"]),
        (ASKED, {**ASKED, "method": "ngram"}, ["method is 'ngram', the profile asks for 'mtp'"]),
        (ASKED, None, ["speculation is off, the profile asks for on"]),
        (None, ASKED, ["speculation is on, the profile asks for off"]),
    ],
)
def test_c30_the_running_server_counts(asked, served, said):
    """Case C30: a recipe says 5 and its start script passes 3; each difference is named with both values."""
    assert differences(asked, served) == said
