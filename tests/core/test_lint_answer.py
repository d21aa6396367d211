"""A server's saved answer: usage is the only count of tokens, and drafts add up to it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.lint_answer import lint_answer, read_stream

BLOCK = {"acceptance_histogram": [1, 2, 0, 1], "num_spec_steps": 4, "num_accepted_draft_tokens": 5,
         "num_draft_tokens": 12, "num_spec_tokens": 3}  # fmt: skip


def stream(pieces=4, tokens=10, block=BLOCK, **usage):
    """A streamed answer: a role, pieces of text, and a last chunk without choices."""
    chunks = [{"choices": [{"delta": {"role": "assistant", "content": ""}}]}]
    chunks += [{"choices": [{"delta": {"content": "wo"}}]} for _ in range(pieces)]
    last = {"choices": [], "usage": {"completion_tokens": tokens, **usage}}
    return [*chunks, {**last, "metrics": {"speculative_decoding": block}}]


def said(chunks):
    return [str(one) for one in lint_answer(chunks)]


def test_c13_pieces_are_not_tokens():
    """Case C13: 40 pieces and 180 tokens are 4.5 tokens a piece, from usage: one of the prefill, 39 of steps."""
    block = {"acceptance_histogram": [0, 0, 0, 16, 23], "num_spec_steps": 39, "num_accepted_draft_tokens": 140,
             "num_draft_tokens": 156}  # fmt: skip
    (found,) = said(stream(pieces=40, tokens=180, block=block))

    assert found.startswith("warning: stream: 180 tokens came in 40 pieces, 4.50 in each.")


def test_c14_without_usage_the_tokens_are_unknown():
    """Case C14: pieces that split words and no usage: no count is made up from them."""
    found = said([{"choices": [{"delta": {"content": one}}]} for one in ("wo", "rds", " sp", "lit")])

    assert found[0].startswith("error: usage: no completion_tokens, and 4 pieces of text are no count of tokens")
    assert '"include_usage": true' in found[0]


def test_c19_a_block_whose_counts_agree():
    """Case C19: steps, accepted and drafted are those of the histogram: nothing is found but the pieces."""
    assert [one.split(":")[1] for one in said(stream())] == [" stream"]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"num_spec_steps": 5}, "num_spec_steps is 5, expected 4 from the histogram"),
        ({"num_accepted_draft_tokens": 6}, "num_accepted_draft_tokens is 6, expected 5 from the histogram"),
        ({"num_draft_tokens": 13}, "13 draft tokens in 4 drafts, expected at most 3 in each"),
        ({"acceptance_histogram": "many"}, "acceptance_histogram is 'many', expected counts"),
    ],
)
def test_c19_a_block_that_contradicts_itself(changed, what):
    """Case C19: each identity that is broken is an error with both values."""
    assert any(one.startswith("error") and what in one for one in said(stream(block={**BLOCK, **changed})))


@pytest.mark.parametrize(("block", "what"), [(None, "unknown, not zero"), ({}, "acceptance_histogram is None")])
def test_c19_no_block_is_not_zero(block, what):
    """Case C19: without the block acceptance is unknown; an empty one has no histogram."""
    assert what in said(stream(block=block))[-1]


def test_a_request_that_drafted_nothing():
    """Steps without one draft are no contradiction."""
    assert said(stream(pieces=1, tokens=1, block={"acceptance_histogram": [0, 0], "num_draft_tokens": 0})) == []


def test_c05_a_stop_inside_a_draft():
    """Case C05: nine tokens verified, seven in the answer, of which the prefill made one."""
    assert "9 tokens verified, 7 in the answer" in said(stream(tokens=7))[-1]
    assert "verified" in said(stream(tokens=9))[-1]
    assert "verified" not in said(stream(tokens=10))[-1]


@pytest.mark.parametrize("usage", [{"reasoning_tokens": 12}, {"completion_tokens_details": {"reasoning_tokens": 12}}])
def test_c07_reasoning_above_completion(usage):
    """Case C07: in either form of usage."""
    assert "12 reasoning tokens of 10" in said(stream(**usage))[0]


def test_an_answer_that_was_not_streamed():
    """One object with a message has one piece, and its tokens need no comparison with it."""
    whole = {"choices": [{"message": {"content": "words"}}], "usage": {"completion_tokens": 10},
             "metrics": {"speculative_decoding": BLOCK}}  # fmt: skip

    assert said([whole]) == []


def test_a_saved_stream_is_read_line_by_line():
    """Comments, blank lines and the end are passed over; what is no object is named with its line."""
    lines = [
        ": comment",
        "",
        *(f"data: {json.dumps(one)}" for one in stream()),
        "data: {cut",
        "data: 3",
        "data: [DONE]",
    ]
    chunks, found = read_stream("\n".join(lines))

    assert chunks == stream()
    assert [one.place for one in found] == ["line 9", "line 10"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "usage", "metrics", "content", *BLOCK]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(["choices", "usage", "metrics"]), JSON), max_size=4), JSON)
def test_no_answer_crashes_it(chunks, block):
    """Whatever a server sent, the answer is a list of findings."""
    assert isinstance(lint_answer([*chunks, {"metrics": {"speculative_decoding": block}}]), list)
