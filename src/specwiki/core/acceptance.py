"""Acceptance of draft tokens, from counters and from per-request step arrays.

Owns what the glossary's words mean in numbers; reads no metrics text (`prometheus`) and fits no model (`geometric`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from specwiki.core.counters import DecodeSteps, RequestSteps, SpecCounters, require


@dataclass(frozen=True)
class ConditionalAcceptance:
    """Acceptance at each position, given that the one before was accepted. Shape: (depth,).

    Attributes:
        rates: 0 to 1; None where no draft came that far.
        is_lower_bound: True when drafts that were too short to be tested may count as refused.
    """

    rates: tuple[float | None, ...]
    is_lower_bound: bool


@dataclass(frozen=True)
class Disagreement:
    """One count that /metrics and the step arrays tell differently.

    Attributes:
        what: Name of the count; for positions with its index.
        metrics: Count over the block from /metrics.
        steps: The same from the step arrays.
    """

    what: str
    metrics: int
    steps: int

    @property
    def by(self) -> int:
        """How many more /metrics counted."""
        return self.metrics - self.steps

    def __str__(self) -> str:
        return f"{self.what} is {self.metrics} in /metrics and {self.steps} in the step arrays, {self.by:+d}"


def acceptance_rate(counters: SpecCounters) -> float:
    """Accepted per draft token, 0 to 1. It falls with depth by construction.

    Raises:
        MeasurementError: If the drafts had no tokens, all of them taken back by a grammar.
    """
    require(counters.num_draft_tokens > 0, f"{counters.num_drafts} drafts had no draft tokens, expected some")
    return counters.num_accepted_tokens / counters.num_draft_tokens


def num_tested(counters: SpecCounters) -> int | None:
    """Draft tokens whose predecessors in the draft were all accepted: the others were thrown away unseen.

    Returns:
        None if a draft was shorter than the depth: counters do not tell where it ended.
    """
    if not counters.every_draft_full or not counters.depth:
        return None
    return counters.num_drafts + sum(counters.accepted_per_position[:-1])


def acceptance_length(counters: SpecCounters) -> float:
    """Tokens per draft as the verifier counts them (L), bonus token included: 1 to depth + 1.

    Source: vLLM 0.32, vllm/v1/spec_decode/metrics.py, "includes the bonus token".
    """
    return 1 + counters.num_accepted_tokens / counters.num_drafts


def mean_draft_length(counters: SpecCounters) -> float:
    """Draft tokens per draft: the depth that was in force, if every draft was full."""
    return counters.num_draft_tokens / counters.num_drafts


def position_acceptance(counters: SpecCounters) -> tuple[float, ...]:
    """Accepted at each position per draft, unconditional, never rising. Shape: (depth,)."""
    return tuple(count / counters.num_drafts for count in counters.accepted_per_position)


def conditional_from_counters(counters: SpecCounters) -> ConditionalAcceptance:
    """Conditional acceptance from counters alone: exact if every draft was full, else a lower bound."""
    reached = (counters.num_drafts, *counters.accepted_per_position)[: counters.depth]
    rates = _ratios(counters.accepted_per_position, reached)
    return ConditionalAcceptance(rates, is_lower_bound=not counters.every_draft_full)


def conditional_acceptance(requests: Sequence[RequestSteps]) -> ConditionalAcceptance:
    """Conditional acceptance from step arrays, counting only drafts that were long enough: exact."""
    accepted, tested = position_trials(requests)
    return ConditionalAcceptance(_ratios(accepted, tested), is_lower_bound=False)


def position_trials(requests: Sequence[RequestSteps], depth: int | None = None) -> tuple[list[int], list[int]]:
    """Accepted and tested tokens at each position: a token is tested if all before it were accepted.

    Args:
        requests: Any number of requests.
        depth: Positions to count; the longest draft if None.

    Returns:
        Two lists. Shape: (depth,) each.
    """
    counts = _step_counts(requests)
    positions = range(_longest(counts) if depth is None else depth)
    accepted = [sum(n for (_, j), n in counts.items() if j > p) for p in positions]
    tested = [sum(n for (d, j), n in counts.items() if d > p and j >= p) for p in positions]
    return accepted, tested


def step_counters(requests: Sequence[RequestSteps], depth: int | None = None) -> SpecCounters:
    """What /metrics would have counted over these requests.

    Args:
        requests: All requests of the block.
        depth: Positions to count; the longest draft if None.

    Raises:
        MeasurementError: If no step drafted, or a draft is longer than `depth`.
    """
    return _counters(_step_counts(requests), depth)


def by_draft_length(requests: Sequence[RequestSteps]) -> dict[int, SpecCounters]:
    """Counters of the drafts of each length, shortest first; empty drafts are left out."""
    counts = _step_counts(requests)
    lengths = sorted({drafted for drafted, _ in counts} - {0})
    return {d: _counters(Counter({key: n for key, n in counts.items() if key[0] == d}), d) for d in lengths}


def histogram_counters(histogram: Sequence[int], num_draft_tokens: int) -> SpecCounters:
    """Counters of one request from the summary that vLLM answers at level `summary`.

    Args:
        histogram: Steps that accepted 0, 1, … tokens. Shape: (depth + 1,).
        num_draft_tokens: Draft tokens of all its steps.

    Raises:
        MeasurementError: If the request drafted nothing, or the numbers contradict each other.
    """
    accepted = sum(j * steps for j, steps in enumerate(histogram))
    positions = tuple(sum(histogram[p:]) for p in range(1, len(histogram)))
    return SpecCounters(sum(histogram), num_draft_tokens, accepted, positions)


def at_depth(counters: SpecCounters, depth: int) -> SpecCounters:
    """Cut the positions to the arm's depth; a server that can go deeper counts all of its own.

    Raises:
        MeasurementError: If a position beyond the depth was drafted or accepted: the arm ran at another depth.
    """
    beyond = counters.accepted_per_position[depth:]
    require(not any(beyond), f"{list(beyond)} accepted beyond depth {depth}, expected none in this arm")
    positions = counters.accepted_per_position[:depth] + (0,) * (depth - counters.depth)
    return SpecCounters(counters.num_drafts, counters.num_draft_tokens, counters.num_accepted_tokens, positions)


def decode_steps(requests: Sequence[RequestSteps]) -> DecodeSteps:
    """Decode steps with and without a draft, and the tokens that reached the answers.

    Assumes that a step without a draft committed one token, and that tokens cut off by a stop were all in the last
    step: in an answer that also has steps without a draft they cannot be told from those.

    Raises:
        MeasurementError: If there was no decode step.
    """
    return DecodeSteps(
        drafted=sum(len(request.drafted) for request in requests),
        undrafted=sum(request.num_undrafted_steps for request in requests),
        committed_tokens=sum(request.num_decode_tokens for request in requests),
        clipped_tokens=sum(request.num_clipped_tokens for request in requests),
    )


def decode_steps_from_counters(counters: SpecCounters, num_decode_tokens: int) -> DecodeSteps:
    """Estimate of the decode steps when there are no step arrays.

    Assumes that no answer stopped inside an accepted draft: each that did hides up to `depth` steps without a draft.
    There are never fewer steps than drafts, however many accepted tokens were thrown away.

    Args:
        counters: Counters of the block.
        num_decode_tokens: Completion tokens from `usage`, less one for each request.

    Raises:
        MeasurementError: If there was no decode step.
    """
    verified = counters.num_accepted_tokens + counters.num_drafts
    return DecodeSteps(
        drafted=counters.num_drafts,
        undrafted=max(num_decode_tokens - verified, 0),
        committed_tokens=num_decode_tokens,
        clipped_tokens=max(verified - num_decode_tokens, 0),
    )


def first_step_always_refused(requests: Sequence[RequestSteps]) -> bool:
    """Whether every request's first draft was refused whole while later ones were not: padding, not drafts.

    Source: vLLM issue 50518, placeholders after a prefix hit are counted as drafted.
    """
    drafted = [request for request in requests if request.drafted]
    later = sum(sum(request.accepted[1:]) for request in drafted)
    return len(drafted) > 1 and later > 0 and not any(request.accepted[0] for request in drafted)


def without_first_step(requests: Sequence[RequestSteps]) -> list[RequestSteps]:
    """The same requests with the first drafted step, and the token that it committed, left out."""
    return [
        replace(
            r, drafted=r.drafted[1:], accepted=r.accepted[1:], completion_tokens=r.completion_tokens - 1 - r.accepted[0]
        )
        if r.drafted
        else r
        for r in requests
    ]


def disagreements(metrics: SpecCounters, steps: SpecCounters) -> list[Disagreement]:
    """Counts that /metrics and the step arrays tell differently; a block with any is void.

    Args:
        metrics: From two snapshots around the block.
        steps: From the step arrays of all its requests.

    Returns:
        Empty if they agree. Positions that one side lacks count as 0.
    """
    names = ("num_drafts", "num_draft_tokens", "num_accepted_tokens")
    pairs = [(name, getattr(metrics, name), getattr(steps, name)) for name in names]
    positions = zip_longest(metrics.accepted_per_position, steps.accepted_per_position, fillvalue=0)
    pairs += [(f"accepted_per_position[{i}]", m, s) for i, (m, s) in enumerate(positions)]
    return [Disagreement(what, m, s) for what, m, s in pairs if m != s]


def _step_counts(requests: Sequence[RequestSteps]) -> Counter[tuple[int, int]]:
    counts: Counter[tuple[int, int]] = Counter()
    for request in requests:
        counts.update(zip(request.drafted, request.accepted, strict=True))
    return counts


def _longest(counts: Counter[tuple[int, int]]) -> int:
    return max((drafted for drafted, _ in counts), default=0)


def _counters(counts: Counter[tuple[int, int]], depth: int | None) -> SpecCounters:
    longest = _longest(counts)
    require(depth is None or longest <= depth, f"a draft of {longest} tokens, expected at most {depth}")
    positions = range(longest if depth is None else depth)
    return SpecCounters(
        num_drafts=counts.total(),
        num_draft_tokens=sum(drafted * n for (drafted, _), n in counts.items()),
        num_accepted_tokens=sum(accepted * n for (_, accepted), n in counts.items()),
        accepted_per_position=tuple(sum(n for (_, j), n in counts.items() if j > p) for p in positions),
    )


def _ratios(parts: Sequence[int], wholes: Sequence[int]) -> tuple[float | None, ...]:
    return tuple(part / whole if whole else None for part, whole in zip(parts, wholes, strict=True))
