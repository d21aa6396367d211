"""Numbers that cannot be: over result files of `vllm bench serve`, and over the blocks of our own runs.

Each check is named after what it catches; a finding is a reason not to trust the file, never a correction of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from specwiki.core.blocks import POOLED, BlockRecord

SLACK = 1.02
"""Rounding and clock differences of a client: what is impossible must be so by more than 2 %."""
CHUNKED_FROM = 0.1
"""Accepted tokens per draft above which a chunk for each token is no chance. Our choice."""
SAME_RATE = 5e-4
"""Two fractions are the same number, one of them rounded to three digits."""
PREFIX_HIT_SPREAD = 0.02
"""Share of prompt tokens by which arms may differ in cache hits before they are not the same workload."""
DRIFT_SHARE = 0.02
DRIFT_Z = 3.3
"""Acceptance of the first and the last replicate differ: by more than 2 points, and by 3.3 standard errors, which
chance alone does once in a thousand."""


@dataclass(frozen=True)
class Impossible:
    """One number that cannot be.

    Attributes:
        kind: Short name of the check.
        what: The numbers, and the one that was expected.
    """

    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


def in_bench_result(result: Mapping[str, Any], seats: int | None = None) -> list[Impossible]:
    """Check a result file of `vllm bench serve`. Keys that the file lacks are not checked.

    Args:
        result: The parsed JSON object.
        seats: What the server admits at once (`max_num_seqs`), if known.
    """
    checks = (_peak, _decode_rate, _accepted, _length, _positions, _reasoning, _failures, _chunks, _from_speedup)
    found = [one for check in checks for one in check(result)]
    return found + (_seats(result, seats) if seats is not None else [])


def number_in(result: Mapping[str, Any], key: str) -> float | None:
    """A finite number of a parsed file; None where it lacks the key or has something else there."""
    value = result.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number else None  # type: ignore[arg-type]


def _peak(result: Mapping[str, Any]) -> Iterator[Impossible]:
    """Case C12: a peak below the mean counts chunks of the stream, not tokens."""
    peak, mean = number_in(result, "max_output_tokens_per_s"), number_in(result, "output_throughput")
    if peak is not None and mean is not None and peak * SLACK < mean:
        what = f"peak {peak:g} tok/s is below the mean {mean:g}: it counts chunks, not tokens"
        yield Impossible("peak below mean", what)


def _decode_rate(result: Mapping[str, Any]) -> Iterator[Impossible]:
    """Case C15: a stream cannot emit faster than one token per TPOT; a rate that does counts prompt tokens too."""
    rate, tpot_ms = number_in(result, "output_throughput"), number_in(result, "mean_tpot_ms")
    streams = number_in(result, "max_concurrency") or number_in(result, "max_concurrent_requests")
    if not rate or not tpot_ms or not streams or tpot_ms <= 0:
        return
    tokens, completed = number_in(result, "total_output_tokens"), number_in(result, "completed")
    per_answer = tokens / completed if tokens and completed else math.inf
    # The first token of an answer does not wait for a TPOT, so n tokens take n - 1 of them.
    most = streams * 1e3 / tpot_ms * (per_answer / (per_answer - 1) if 1 < per_answer < math.inf else 1.0)
    if rate > most * SLACK:
        what = f"{rate:g} tok/s from {streams:g} streams at {tpot_ms:g} ms per token, expected at most {most:.4g}"
        yield Impossible("decode rate above 1/TPOT", what)


def _accepted(result: Mapping[str, Any]) -> Iterator[Impossible]:
    accepted, drafted = number_in(result, "spec_decode_accepted_tokens"), number_in(result, "spec_decode_draft_tokens")
    rate_percent = number_in(result, "spec_decode_acceptance_rate")
    if accepted is None or drafted is None:
        return
    if accepted > drafted:
        yield Impossible("accepted above drafted", f"{accepted:g} accepted of {drafted:g} draft tokens")
    elif rate_percent is not None and drafted and abs(rate_percent - 100 * accepted / drafted) > 1:
        what = f"{rate_percent:g} %, expected {100 * accepted / drafted:.4g} % from {accepted:g} of {drafted:g}"
        yield Impossible("acceptance rate of other counts", what)


def position_rates(result: Mapping[str, Any]) -> list[float]:
    """Acceptance by position of a `vllm bench serve` result; empty where it has none, or has something else there."""
    rates = result.get("spec_decode_per_position_acceptance_rates")
    if not isinstance(rates, list) or not all(isinstance(one, int | float) for one in rates):
        return []
    return [float(one) for one in rates]


def _length(result: Mapping[str, Any]) -> Iterator[Impossible]:
    length, depth = number_in(result, "spec_decode_acceptance_length"), len(position_rates(result))
    if length is not None and (length < 1 or (depth and length > depth + 1)):
        most = f" to {depth + 1}" if depth else ""
        yield Impossible("acceptance length outside its range", f"{length:g} tokens, expected 1{most}")


def _positions(result: Mapping[str, Any]) -> Iterator[Impossible]:
    rates = position_rates(result)
    if any(later > earlier * SLACK for earlier, later in pairwise(rates)):
        yield Impossible("acceptance rises with position", f"{rates}, expected rates that never rise")


def _reasoning(result: Mapping[str, Any]) -> Iterator[Impossible]:
    """Case C07: reasoning tokens are a part of the completion; more of them is a bug at the stop."""
    usage = result.get("usage")
    if not isinstance(usage, Mapping):
        return
    completion, reasoning = number_in(usage, "completion_tokens"), number_in(usage, "reasoning_tokens")
    if completion is not None and reasoning is not None and reasoning > completion:
        yield Impossible("reasoning above completion", f"{reasoning:g} reasoning tokens of {completion:g}")


def _failures(result: Mapping[str, Any]) -> Iterator[Impossible]:
    failed, completed = number_in(result, "failed"), number_in(result, "completed")
    if failed:
        yield Impossible(
            "failed requests", f"{failed:g} failed, {completed or 0:g} completed: the rate is of what was left"
        )


def _chunks(result: Mapping[str, Any]) -> Iterator[Impossible]:
    """Case C13: as many tokens as chunks, where drafts were accepted, are chunks: a step sends its tokens in one."""
    accepted, drafts = number_in(result, "spec_decode_accepted_tokens"), number_in(result, "spec_decode_num_drafts")
    lengths, gaps = result.get("output_lens"), result.get("itls")
    if not accepted or not drafts or not isinstance(lengths, list) or not isinstance(gaps, list):
        return
    if len(lengths) != len(gaps) or not all(isinstance(one, list) for one in gaps):
        return
    chunks = [len(one) + 1 for one in gaps]
    if lengths == chunks and accepted > drafts * CHUNKED_FROM:
        what = f"{sum(chunks)} tokens in as many chunks, with {accepted:g} accepted in {drafts:g} drafts"
        yield Impossible("chunks counted as tokens", f"{what}, expected several tokens in a chunk")


def _from_speedup(result: Mapping[str, Any]) -> Iterator[Impossible]:
    """Case C41: (speed-up - 1) / depth is no acceptance: it takes drafting for free and checking for flat.

    Keys as of the analysis script in vLLM pull request 49825, which falls back on it without a word.
    """
    speedup, depth = number_in(result, "speedup_vs_baseline"), number_in(result, "gamma")
    rate = number_in(result, "acceptance_rate")
    if rate is None or speedup is None or not depth or depth < 1:
        return
    if 0 < rate < 1 and abs(rate - (speedup - 1) / depth) < SAME_RATE:
        what = f"{rate:.4g} is ({speedup:.4g} - 1) / {depth:g}, computed from wall time, expected accepted / drafted"
        yield Impossible("acceptance from a speed-up", f"{what} of the server's counters")


def _seats(result: Mapping[str, Any], seats: int) -> list[Impossible]:
    """A server that admits fewer requests than the client sends measures its own queue."""
    streams = number_in(result, "max_concurrency")
    if streams is None or streams <= seats:
        return []
    return [Impossible("server cap below concurrency", f"{streams:g} streams to a server of {seats} seats")]


def in_blocks(blocks: Sequence[BlockRecord]) -> list[Impossible]:
    """Check the blocks of a run that count: what each says, and whether the arms had the same workload."""
    counting = [block for block in blocks if block.status == "ok"]
    return [
        *(one for block in counting for one in _block_rate(block)),
        *_prefix_hits(counting),
        *_drift(counting),
        *_preemptions(counting),
    ]


def _block_rate(block: BlockRecord) -> Iterator[Impossible]:
    """The requests of a block overlap in time, so its wall time is at least their sum over the streams."""
    busy_s = sum(request.e2e_ms for request in block.requests) / 1e3
    if busy_s > block.elapsed_s * block.concurrency * SLACK:
        what = f"{busy_s:.3g} s of answers in {block.elapsed_s:.3g} s of {block.concurrency} streams"
        yield Impossible(f"block {block.index}: more time than there was", what)


def _prefix_hits(blocks: Sequence[BlockRecord]) -> Iterator[Impossible]:
    """Arms of one load on one group of prompts must find the same share of them in the prefix cache."""
    shares: dict[tuple[int, str], dict[str, list[float]]] = {}
    for block in blocks:
        if block.prefix_queries:
            of_load = shares.setdefault((block.concurrency, block.group), {})
            of_load.setdefault(block.arm, []).append((block.prefix_hits or 0) / block.prefix_queries)
    for (load, group), arms in shares.items():
        means = {arm: sum(one) / len(one) for arm, one in arms.items()}
        low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
        if means[high] - means[low] > PREFIX_HIT_SPREAD:
            what = (
                f"{high} found {means[high]:.3f} of its prompts in the cache, {low} {means[low]:.3f} ({load}, {group})"
            )
            yield Impossible("prefix hits differ between arms", what)


def _drift(blocks: Sequence[BlockRecord]) -> Iterator[Impossible]:
    """A drafter that gets better with each replicate remembers the prompts."""
    series: dict[tuple[str, int], dict[int, tuple[int, int]]] = {}
    for block in blocks:
        if block.group == POOLED and block.counters is not None:
            counts = (block.counters.num_accepted_tokens, block.counters.num_draft_tokens)
            series.setdefault((block.arm, block.concurrency), {})[block.replicate] = counts
    for (arm, load), replicates in series.items():
        (first, tried), (last, tried_last) = replicates[min(replicates)], replicates[max(replicates)]
        if not tried or not tried_last:
            continue
        difference = last / tried_last - first / tried
        pooled = (first + last) / (tried + tried_last)
        se = math.sqrt(pooled * (1 - pooled) * (1 / tried + 1 / tried_last))
        if abs(difference) > max(DRIFT_SHARE, DRIFT_Z * se):
            what = f"{arm} at {load}: {first / tried:.3f} in the first replicate, {last / tried_last:.3f} in the last"
            yield Impossible("acceptance drifts", what)


def _preemptions(blocks: Sequence[BlockRecord]) -> Iterator[Impossible]:
    """A preempted request is computed twice: the block measures the cache, not the depth."""
    for block in blocks:
        if block.preemptions:
            yield Impossible(f"block {block.index}: preempted", f"{block.preemptions} times, expected none")
