"""Numbers that cannot be, in other people's files and in our own blocks."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.blocks import BlockRecord, RequestRecord, SpecTotals
from specwiki.core.impossible import in_bench_result, in_blocks

GOOD = {
    "completed": 40, "failed": 0, "duration": 20.0, "total_output_tokens": 4000, "output_throughput": 200.0,
    "max_output_tokens_per_s": 260.0, "mean_tpot_ms": 18.0, "max_concurrency": 4, "spec_decode_draft_tokens": 4000,
    "spec_decode_accepted_tokens": 2000, "spec_decode_acceptance_rate": 50.0, "spec_decode_acceptance_length": 3.0,
    "spec_decode_per_position_acceptance_rates": [0.8, 0.6, 0.4, 0.2],
}  # fmt: skip


def kinds(**changed):
    return [one.kind for one in in_bench_result({**GOOD, **changed})]


def test_a_possible_file():
    """Nothing is found in a file whose numbers agree."""
    assert kinds() == []


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"output_throughput": 700.0, "max_output_tokens_per_s": 300.0, "mean_tpot_ms": 5.0}, "peak below mean"),
        ({"output_throughput": 600.0, "max_output_tokens_per_s": 900.0, "mean_tpot_ms": 10.0, "max_concurrency": 1},
         "decode rate above 1/TPOT"),
        ({"spec_decode_accepted_tokens": 4001}, "accepted above drafted"),
        ({"spec_decode_acceptance_rate": 0.5}, "acceptance rate of other counts"),
        ({"spec_decode_acceptance_length": 5.2}, "acceptance length outside its range"),
        ({"spec_decode_acceptance_length": 0.9}, "acceptance length outside its range"),
        ({"spec_decode_per_position_acceptance_rates": [0.8, 0.6, 0.7, 0.2]}, "acceptance rises with position"),
        ({"failed": 3}, "failed requests"),
        ({"usage": {"completion_tokens": 64, "reasoning_tokens": 69}}, "reasoning above completion"),
    ],
)  # fmt: skip
def test_each_impossible_number(changed, kind):
    """One impossible number is one finding, with its name (cases C07, C12, C15 among them)."""
    assert kinds(**changed) == [kind]


def test_a_short_answer_may_beat_its_tpot():
    """Two tokens an answer take one TPOT: twice 1/TPOT is possible."""
    assert kinds(total_output_tokens=80, output_throughput=110.0, max_concurrency=1, mean_tpot_ms=18.0) == []


DETAILED = {"output_lens": [3, 2], "itls": [[0.1, 0.1], [0.1]], "spec_decode_num_drafts": 1000}


def test_c13_chunks_counted_as_tokens():
    """Case C13: as many tokens as chunks while drafts are accepted: an older tool counted chunks."""
    assert kinds(**DETAILED) == ["chunks counted as tokens"]


@pytest.mark.parametrize(
    "changed",
    [
        {"output_lens": [9, 5]},
        {"spec_decode_accepted_tokens": 20, "spec_decode_acceptance_rate": 0.5},
        {"itls": [0.1, 0.1]},
        {"itls": [[0.1]]},
        {"output_lens": None},
    ],
)
def test_tokens_that_are_no_chunks(changed):
    """More tokens than chunks, hardly anything accepted, or no such lists: nothing is found."""
    assert kinds(**{**DETAILED, **changed}) == []


def test_c41_acceptance_from_a_speedup():
    """Case C41: 0.2 at a speed-up of 1.8 and depth 4 is arithmetic on wall time, and refused."""
    row = {"gamma": 4, "acceptance_rate": 0.2, "tokens_per_sec": 108.0, "speedup_vs_baseline": 1.8}
    (found,) = in_bench_result(row)

    assert str(found) == (
        "acceptance from a speed-up: 0.2 is (1.8 - 1) / 4, computed from wall time, expected accepted / drafted of the "
        "server's counters"
    )


@pytest.mark.parametrize("changed", [{"acceptance_rate": 0.55}, {"gamma": 0, "acceptance_rate": 1.0}, {"gamma": None}])
def test_acceptance_that_was_counted(changed):
    """A rate that the speed-up does not give, and a baseline, are left alone."""
    assert in_bench_result({"gamma": 4, "acceptance_rate": 0.2, "speedup_vs_baseline": 1.8, **changed}) == []


def test_a_server_of_fewer_seats():
    """Case MiaAI-Lab #84: four streams to a server of one seat measure its queue."""
    found = in_bench_result(GOOD, seats=1)
    assert [str(one) for one in found] == ["server cap below concurrency: 4 streams to a server of 1 seats"]
    assert in_bench_result(GOOD, seats=4) == []


@given(
    st.dictionaries(
        st.sampled_from(list(GOOD)), st.none() | st.text() | st.floats() | st.lists(st.text() | st.floats())
    )
)
def test_no_file_crashes_it(changed):
    """Missing, null, text and infinite values are not checked, and harm nothing."""
    assert isinstance(in_bench_result(changed), list)


def block(index, arm="d4", replicate=1, accepted=30, **changed):
    request = RequestRecord(
        prompt_id="chat-01", stratum="chat", started_s=0, ttft_ms=10, e2e_ms=900, prompt_tokens=9, completion_tokens=20,
        finish_reason="length", text_sha256="0" * 64, repeated_4grams=None, drafted=(4,) * 25, accepted=(1,) * 25,
    )  # fmt: skip
    counters = SpecTotals(num_drafts=25, num_draft_tokens=100, num_accepted_tokens=accepted,
                          accepted_per_position=(accepted, 0, 0, 0))  # fmt: skip
    fields = {
        "index": index, "boot": 0, "arm": arm, "depth": 4, "concurrency": 1, "group": "pooled", "replicate": replicate,
        "status": "ok", "started_utc": dt.datetime(2026, 11, 29, tzinfo=dt.UTC), "elapsed_s": 1.0,
        "counters": counters, "prefix_hits": 0, "prefix_queries": 100, "preemptions": 0, "requests": (request,),
    }  # fmt: skip
    return BlockRecord(**{**fields, **changed})


def found(*blocks):
    return [str(one) for one in in_blocks(blocks)]


def test_possible_blocks():
    """Equal acceptance, no hits, no preemption: nothing is found."""
    assert found(block(0), block(1, replicate=2), block(2, arm="d2")) == []


def test_acceptance_that_drifts():
    """A drafter that accepts 0.20 first and 0.84 last remembers its prompts."""
    (one,) = found(block(0, accepted=20), block(1, replicate=2, accepted=50), block(2, replicate=3, accepted=84))
    assert one == "acceptance drifts: d4 at 1: 0.200 in the first replicate, 0.840 in the last"


def test_chance_is_no_drift():
    """Three points in a hundred drafts are chance."""
    assert found(block(0, accepted=30), block(1, replicate=2, accepted=33)) == []


def test_prefix_hits_that_differ():
    """One arm finds half of its prompts in the cache: it is not the same workload."""
    assert "d2 found 0.500" in found(block(0), block(1, arm="d2", prefix_hits=50))[0]


def test_a_preempted_block():
    """A preemption is named with its block."""
    assert found(block(7, preemptions=2)) == ["block 7: preempted: 2 times, expected none"]


def test_more_time_than_there_was():
    """Answers that took longer than the block did, at one stream, cannot be."""
    assert "more time than there was" in found(block(3, elapsed_s=0.5))[0]


def test_what_does_not_count_is_not_checked():
    """Void blocks are void already."""
    assert found(block(0, status="void", preemptions=9)) == []
