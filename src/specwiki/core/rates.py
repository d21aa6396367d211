"""Speed of a block's requests: per stream, per token, per step."""

from __future__ import annotations

from collections.abc import Sequence

from specwiki.core.acceptance import decode_steps
from specwiki.core.blocks import RequestRecord
from specwiki.core.judge import steps_of


def stream_tok_s(requests: Sequence[RequestRecord]) -> float:
    """Tokens per second of one stream: tokens of the answers over the sum of their durations."""
    return sum(one.completion_tokens for one in requests) / sum(one.e2e_ms for one in requests) * 1e3


def tpot_ms(requests: Sequence[RequestRecord]) -> float:
    """Milliseconds per token after the first, (E2E - TTFT) / (n - 1), over all requests. Source: vLLM docs."""
    decode_ms = sum(one.e2e_ms - one.ttft_ms for one in requests)
    return decode_ms / max(sum(one.completion_tokens - 1 for one in requests), 1)


def tokens_per_step(requests: Sequence[RequestRecord]) -> float:
    """Tokens after the first over decode steps, those without a draft included; 1 without speculation.

    Answers that fitted into their first token count as 1 as well.
    """
    if any(one.drafted is None for one in requests):
        return 1.0
    steps = decode_steps([steps_of(one) for one in requests])
    taken = steps.drafted + steps.undrafted
    return steps.committed_tokens / taken if taken else 1.0


def cycle_ms(requests: Sequence[RequestRecord]) -> float:
    """Milliseconds per decode step of a stream: time after the first token over the steps that it took."""
    decode_ms = sum(one.e2e_ms - one.ttft_ms for one in requests)
    if any(one.drafted is None for one in requests):
        return tpot_ms(requests)
    steps = decode_steps([steps_of(one) for one in requests])
    return decode_ms / (steps.drafted + steps.undrafted)
