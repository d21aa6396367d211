"""A block counts only when the engine's counters and its answers say the same."""

from __future__ import annotations

from specwiki.core.blocks import RequestRecord
from specwiki.core.counters import Absence
from specwiki.core.judge import judge
from specwiki.core.prometheus import difference, read_snapshot


def request(drafted=None, accepted=None, tokens=9):
    return RequestRecord(
        prompt_id="chat-01", stratum="chat", started_s=0, ttft_ms=9, e2e_ms=99, prompt_tokens=5,
        completion_tokens=tokens, finish_reason="length", text_sha256="0" * 64, repeated_4grams=0.0,
        drafted=drafted, accepted=accepted,
    )  # fmt: skip


def text(drafts=0, drafted=0, positions=(), speculative=True, tokens=100):
    series = 'model_name="m",engine="0"'
    lines = [f"vllm:generation_tokens_total{{{series}}} {tokens}"]
    if speculative:
        counts = {"num_drafts": drafts, "num_draft_tokens": drafted, "num_accepted_tokens": sum(positions)}
        lines += [f"vllm:spec_decode_{name}_total{{{series}}} {count}" for name, count in counts.items()]
        lines += [
            f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{{series},position="{i}"}} {count}'
            for i, count in enumerate(positions)
        ]
    return "\n".join(lines) + "\n"


def counted(**after):
    speculative = after.get("speculative", True)
    before = text(positions=(0,) * len(after.get("positions", ())), speculative=speculative, tokens=0)
    return difference(read_snapshot(before), read_snapshot(text(**after)))


def test_agreeing_sources_count():
    """Counters equal to the step arrays: the block counts, cut to the arm's depth."""
    found = judge([request((2, 2), (2, 0))], counted(drafts=2, drafted=4, positions=(1, 1, 0, 0)), 2)

    assert found.void is None
    assert found.counters.num_drafts == 2
    assert found.counters.accepted_per_position == (1, 1)


def test_disagreeing_sources_are_void():
    """One draft token more in the counters: void, and the difference is named."""
    found = judge([request((2, 2), (2, 0))], counted(drafts=2, drafted=5, positions=(1, 1, 0, 0)), 3)

    assert "num_draft_tokens" in found.void
    assert "5" in found.void


def test_nothing_accepted_counts():
    """Drafts that were all refused are a measurement: 0, and said to be so."""
    found = judge([request((2,), (0,))], counted(drafts=1, drafted=2, positions=(0, 0)), 2)

    assert (found.void, found.absence) == (None, Absence.NOTHING_ACCEPTED)


def test_a_silent_drafter_counts():
    """No draft in the counters and none in the answers."""
    found = judge([request((), ())], counted(positions=(0, 0)), 2)

    assert (found.void, found.absence, found.counters) == (None, Absence.DRAFTER_DID_NOT_RUN, None)


def test_uncounted_drafts_are_void():
    """No draft in the counters, one in the answers."""
    assert "the answers have 1" in judge([request((2,), (1,))], counted(positions=(0, 0)), 2).void


def test_off_does_not_speculate():
    """`off` without counters counts; `off` that drafts is void."""
    assert judge([request()], counted(speculative=False), None).void is None
    assert "made 2 drafts" in judge([request()], counted(drafts=2, drafted=2, positions=(1,)), None).void


def test_a_speculating_server_is_not_off():
    """`off` whose engine has speculative counters was started with a drafter."""
    assert "drafter_did_not_run" in judge([request()], counted(positions=(0,)), None).void


def test_missing_counters_are_void():
    """/metrics that failed leaves nothing to compare."""
    assert "metrics_failed" in judge([request((2,), (1,))], None, 2).void


def test_missing_step_arrays_are_void():
    """An answer without step arrays leaves nothing to compare either."""
    found = judge([request()], counted(drafts=1, drafted=2, positions=(1, 0)), 2)

    assert "request 'chat-01': the answer has no step arrays" in found.void


def test_a_block_that_compiled_is_void():
    """A kernel compiled in the measured window: the line of the log is the reason."""
    log = "INFO ready\nWARNING Triton kernel JIT compilation during inference: f. This causes a latency spike\nINFO x\n"
    found = judge([request()], counted(speculative=False), None, log)

    assert found.void.startswith("engine log: WARNING Triton kernel JIT compilation during inference: f.")
    said = "INFO Kernel JIT monitor activated; monitored JIT compilations during inference will use mode=warn."
    assert judge([request()], counted(speculative=False), None, said).void is None
