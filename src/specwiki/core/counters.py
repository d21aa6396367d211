"""What was counted: a server's counters, one block's drafts, one request's steps, and why there may be nothing.

Owns the invariants that no drafter can break; computes no rates (`acceptance`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from specwiki.errors import MeasurementError


class Absence(StrEnum):
    """Why there is no acceptance to report, or why it is zero."""

    SPECULATION_OFF = "speculation_off"
    """The server was started without a speculative config."""
    STATS_NOT_COLLECTED = "stats_not_collected"
    """The server answered /metrics, but keeps no statistics of its engine."""
    METRICS_FAILED = "metrics_failed"
    """/metrics did not answer, or answered something that is no metrics text."""
    DRAFTER_DID_NOT_RUN = "drafter_did_not_run"
    """Speculation is on, and not one draft was made."""
    NOTHING_ACCEPTED = "nothing_accepted"
    """Drafts were made and all refused: the one kind that is a number, 0."""


@dataclass(frozen=True)
class SpecCounters:
    """What the verifier counted over one block. Shape of the positions: (depth,).

    Attributes:
        num_drafts: Drafts, one per request and step; at least 1.
        num_draft_tokens: Draft tokens in them.
        num_accepted_tokens: Draft tokens accepted, bonus tokens excluded, counted before a stop cuts the answer.
        accepted_per_position: Drafts of which the token at that position was accepted, from position 0.

    Raises:
        MeasurementError: If no drafter can have produced these counts.

    Source: vLLM 0.32, vllm/v1/spec_decode/metrics.py.
    """

    num_drafts: int
    num_draft_tokens: int
    num_accepted_tokens: int
    accepted_per_position: tuple[int, ...]

    def __post_init__(self) -> None:
        positions = self.accepted_per_position
        require(self.num_drafts >= 1, f"num_drafts is {self.num_drafts}, expected 1 or more")
        require(
            0 <= self.num_accepted_tokens <= self.num_draft_tokens,
            f"accepted {self.num_accepted_tokens} of {self.num_draft_tokens} draft tokens, "
            "expected no more accepted than drafted",
        )
        require(
            self.num_draft_tokens <= self.num_drafts * self.depth,
            f"{self.num_draft_tokens} draft tokens in {self.num_drafts} drafts, expected at most {self.depth} in each",
        )
        require(
            sum(positions) == self.num_accepted_tokens,
            f"positions add up to {sum(positions)}, expected the {self.num_accepted_tokens} accepted tokens",
        )
        require(
            all(p >= q for p, q in pairwise((self.num_drafts, *positions, 0))),
            f"{list(positions)} accepted per position of {self.num_drafts} drafts, expected counts that never rise",
        )

    @property
    def depth(self) -> int:
        """Positions that were counted: the most draft tokens per draft."""
        return len(self.accepted_per_position)

    @property
    def every_draft_full(self) -> bool:
        """Whether every draft had as many tokens as the depth allows."""
        return self.num_draft_tokens == self.num_drafts * self.depth

    @property
    def absence(self) -> Absence | None:
        """NOTHING_ACCEPTED if all drafts were refused: the reason beside the 0."""
        return None if self.num_accepted_tokens else Absence.NOTHING_ACCEPTED


class Series(NamedTuple):
    """One counter or gauge of one engine: its name, the engine's label, its position or finish reason or ''."""

    name: str
    engine: str = ""
    part: str = ""

    def __str__(self) -> str:
        return f"vllm:{self.name}{{engine={self.engine!r}}}" + (f"[{self.part!r}]" if self.part else "")


@dataclass(frozen=True)
class Snapshot:
    """What is read of one /metrics text.

    Attributes:
        counters: Count since the server started, under the present name.
        gauges: Value at that moment, under the present name; KV usage is a fraction 0 to 1.
        created: Epoch seconds at which a counter began, where the server says so; for detecting resets only.
        started_s: Epoch seconds at which the server's process began; None where it does not say.
        old_names: Names that the server serves in their old spelling only.
        unreadable: Lines about any of these that cannot be read or come twice, each cut to 120 characters.
        absence: METRICS_FAILED if the text has no sample, STATS_NOT_COLLECTED if none of vLLM's own, else None.
    """

    counters: Mapping[Series, int]
    gauges: Mapping[Series, float]
    created: Mapping[Series, float]
    started_s: float | None
    old_names: frozenset[str]
    unreadable: tuple[str, ...]
    absence: Absence | None


@dataclass(frozen=True)
class RequestSteps:
    """One request's drafted steps, in order, as vLLM answers them at level `detailed`.

    Attributes:
        drafted: Draft tokens of each step that drafted. Shape: (steps,).
        accepted: Draft tokens accepted in it, 0 to drafted. Shape: (steps,).
        completion_tokens: Tokens of the answer, from `usage`.
        num_prefill_tokens: Tokens of the answer that no decode step made: 1 in vLLM, where the prefill
            emits the first; 0 where `completion_tokens` leaves it out already.

    Raises:
        MeasurementError: If the arrays contradict themselves or the answer's length.
    """

    drafted: tuple[int, ...]
    accepted: tuple[int, ...]
    completion_tokens: int
    num_prefill_tokens: int = 1

    def __post_init__(self) -> None:
        require(
            len(self.drafted) == len(self.accepted),
            f"{len(self.drafted)} steps drafted, {len(self.accepted)} accepted, expected as many of each",
        )
        for step, (drafted, accepted) in enumerate(zip(self.drafted, self.accepted, strict=True)):
            require(0 <= accepted <= drafted, f"step {step} accepted {accepted} of {drafted}, expected 0 to {drafted}")
        last = self.accepted[-1] if self.accepted else 0
        require(
            self.num_clipped_tokens <= last and self.completion_tokens >= 0,
            f"{self.completion_tokens} completion tokens from {len(self.drafted)} drafted steps that made "
            f"{self.num_verified_tokens}, expected at most {last} cut off by a stop",
        )

    @property
    def num_decode_tokens(self) -> int:
        """Tokens of the answer that decode steps committed."""
        return max(self.completion_tokens - self.num_prefill_tokens, 0)

    @property
    def num_verified_tokens(self) -> int:
        """Tokens that the drafted steps made, bonus tokens included, before any stop."""
        return sum(self.accepted) + len(self.accepted)

    @property
    def num_clipped_tokens(self) -> int:
        """Accepted tokens known to lie behind the stop; a lower bound when other steps did not draft."""
        return max(self.num_verified_tokens - self.num_decode_tokens, 0)

    @property
    def num_undrafted_steps(self) -> int:
        """Decode steps without a draft: each committed one token."""
        return max(self.num_decode_tokens - self.num_verified_tokens, 0)


@dataclass(frozen=True)
class DecodeSteps:
    """Decode steps of a block, with and without a draft, and the tokens that they committed.

    Raises:
        MeasurementError: If there was no decode step.
    """

    drafted: int
    undrafted: int
    committed_tokens: int
    clipped_tokens: int = 0

    def __post_init__(self) -> None:
        require(self.drafted + self.undrafted > 0, "no decode step, expected answers of more than one token")

    @property
    def coverage(self) -> float:
        """Share of decode steps that drafted, 0 to 1."""
        return self.drafted / (self.drafted + self.undrafted)

    @property
    def tokens_per_step(self) -> float:
        """Tokens per committed step (T): what a reader receives, unlike the verifier's length (L)."""
        return self.committed_tokens / (self.drafted + self.undrafted)


def require(condition: bool, what: str) -> None:
    """Raise MeasurementError with the given fact unless the condition holds."""
    if not condition:
        hint = "Leave the block out of every result and run it again; if that repeats, report the engine's version."
        raise MeasurementError("acceptance counters", what, hint)
