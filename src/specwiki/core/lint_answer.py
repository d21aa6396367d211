"""What is wrong with a saved answer of an OpenAI-compatible server: its tokens, and its account of the drafts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from specwiki.core.acceptance import histogram_counters
from specwiki.core.impossible import in_bench_result, number_in
from specwiki.core.lint import Finding
from specwiki.errors import MeasurementError

PREFIX = "data:"
DONE = "[DONE]"
TEXTS = ("content", "reasoning", "reasoning_content")
"""Keys under which a piece of an answer's text comes."""
BLOCK = "metrics.speculative_decoding"


def read_stream(text: str) -> tuple[list[Mapping[str, Any]], list[Finding]]:
    """The chunks of a saved stream of server-sent events, and the lines that cannot be read."""
    chunks: list[Mapping[str, Any]] = []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        data = line.removeprefix(PREFIX).strip()
        if not line.startswith(PREFIX) or data == DONE:
            continue
        try:
            chunk = json.loads(data)
        except ValueError:
            chunk = None
        if isinstance(chunk, dict):
            chunks.append(chunk)
        else:
            what = f"'{data[:40]}' is no JSON object, expected one in each event"
            found.append(Finding("error", f"line {number}", what, "Save the stream whole, straight from the server"))
    return chunks, found


def lint_answer(chunks: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """Check one answer: the only count of tokens is `usage`, and drafts must add up to it.

    Args:
        chunks: Of a stream in order, or the one object of an answer that was not streamed.

    Returns:
        Errors and warnings; empty if nothing was found.
    """
    pieces = sum(_has_text(chunk) for chunk in chunks)
    usage = _last(chunks, "usage")
    if usage is None or number_in(usage, "completion_tokens") is None:
        what = f"no completion_tokens, and {pieces} pieces of text are no count of tokens: that is unknown"
        hint = 'Ask for it with "stream_options": {"include_usage": true}'
        return [Finding("error", "usage", what, hint), *_drafts(chunks, None)]
    tokens = number_in(usage, "completion_tokens") or 0.0
    return [*_reasoning(usage), *_pieces(pieces, tokens), *_drafts(chunks, tokens)]


def _has_text(chunk: Mapping[str, Any]) -> bool:
    choices = chunk.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    if not isinstance(first, Mapping):
        return False
    part = first.get("delta") or first.get("message") or {}
    return bool(first.get("text")) or (isinstance(part, Mapping) and any(part.get(key) for key in TEXTS))


def _last(chunks: Sequence[Mapping[str, Any]], key: str) -> Mapping[str, Any] | None:
    return next((one[key] for one in reversed(chunks) if isinstance(one.get(key), Mapping)), None)


def _reasoning(usage: Mapping[str, Any]) -> list[Finding]:
    """Case C07, where OpenAI's form keeps the reasoning tokens one level deeper."""
    details = usage.get("completion_tokens_details")
    inner = details if isinstance(details, Mapping) else {}
    found = in_bench_result({"usage": {**inner, **usage}})
    return [Finding("error", "usage", str(one), "Take completion_tokens as the count") for one in found]


def _pieces(pieces: int, tokens: float) -> list[Finding]:
    """Case C13: one piece is one step, which may be several tokens."""
    if pieces < 2 or tokens <= pieces:  # noqa: PLR2004 - one piece is an answer that was not streamed
        return []
    what = f"{tokens:g} tokens came in {pieces} pieces, {tokens / pieces:.2f} in each"
    return [Finding("warning", "stream", what, "Do not count pieces as tokens, nor their gaps as time per token")]


def _drafts(chunks: Sequence[Mapping[str, Any]], tokens: float | None) -> list[Finding]:
    """Case C19: histogram, steps and totals say one thing; no block is no acceptance, which is not 0."""
    metrics = _last(chunks, "metrics")
    block = metrics.get("speculative_decoding") if metrics is not None else None
    if not isinstance(block, Mapping):
        what = "there is none: acceptance is unknown, not zero"
        hint = "Start vLLM with --per-request-spec-decode-metrics summary, and ask for one answer (n = 1)"
        return [Finding("warning", BLOCK, what, hint)]
    histogram = block.get("acceptance_histogram")
    if not isinstance(histogram, list) or not all(isinstance(one, int) and one >= 0 for one in histogram):
        return [Finding("error", BLOCK, f"acceptance_histogram is {histogram!r}, expected counts", "Check the version")]
    drafted = int(number_in(block, "num_draft_tokens") or 0)
    if not sum(histogram):
        return []
    try:
        counters = histogram_counters(histogram, drafted)
    except MeasurementError as failure:
        return [Finding("error", BLOCK, failure.what, "Do not quote this answer's acceptance")]
    named = {"num_spec_steps": counters.num_drafts, "num_accepted_draft_tokens": counters.num_accepted_tokens}
    found = [
        Finding("error", BLOCK, f"{key} is {block[key]!r}, expected {count} from the histogram", "Do not quote it")
        for key, count in named.items()
        if key in block and block[key] != count
    ]
    made = counters.num_accepted_tokens + counters.num_drafts
    if tokens is not None and made > tokens - 1:
        # The prefill makes the first token of an answer, and no draft has a part in it.
        what = f"{made} tokens verified, {tokens:g} in the answer and one of them the prefill's: a stop cut the rest"
        found.append(Finding("warning", BLOCK, what, "Take tokens per step from usage, not from accepted tokens"))
    return found
