"""What is recorded while an engine is measured: one record a request, one a block.

A block is written once, when it has ended; everything that a page shows is derived from these records.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Literal

from specwiki.core.model import Model

POOLED = "pooled"
"""Name of the group of prompts whose strata make the pooled value; other groups are named after their stratum."""

SYNTHETIC = "synthetic"
"""Name of the group of a synthetic set's prompts."""

BlockStatus = Literal["ok", "warm-up", "split", "void", "crashed"]


class RequestRecord(Model):
    """One answered request."""

    prompt_id: str
    stratum: str
    started_s: float
    """Since the block began."""
    ttft_ms: float
    """Until the first piece of text."""
    e2e_ms: float
    prompt_tokens: int
    completion_tokens: int
    """From the server's `usage`; pieces of a stream are not tokens."""
    finish_reason: str
    text_sha256: str
    """Hash of the answer's text, for telling whether two arms answered alike."""
    repeated_4grams: float | None
    """Share of the answer's 4-grams of words that occurred before in it; None: fewer than four words."""
    drafted: tuple[int, ...] | None
    """Draft tokens of each step that drafted; None: the engine was started without speculation."""
    accepted: tuple[int, ...] | None
    """Draft tokens accepted in each of these steps, bonus token excluded."""


class SpecTotals(Model):
    """The engine's own counters over a block, cut to the arm's depth."""

    num_drafts: int
    num_draft_tokens: int
    num_accepted_tokens: int
    accepted_per_position: tuple[int, ...]


class BlockRecord(Model):
    """One arm measured once at one load."""

    index: int
    """Place in the order of the run, from 0; never used twice."""
    boot: int
    """Which start of an engine, from 0."""
    arm: str
    depth: int | None
    """None: the engine was started without speculation."""
    concurrency: int
    group: str
    replicate: int
    """From 1; 0 is the warm-up, whose figures count nowhere."""
    status: BlockStatus
    reason: str | None = None
    """Why the block is void, split or crashed."""
    started_utc: dt.datetime
    elapsed_s: float
    counters: SpecTotals | None
    """None: no speculation, or nothing was read; `absence` says which."""
    absence: str | None = None
    prefix_hits: int | None = None
    """Prompt tokens found in the prefix cache."""
    prefix_queries: int | None = None
    preemptions: int | None = None
    requests: tuple[RequestRecord, ...]

    @property
    def completion_tokens(self) -> int:
        """Tokens that the block's requests were answered with."""
        return sum(request.completion_tokens for request in self.requests)

    @property
    def output_tok_s(self) -> float:
        """Aggregate throughput: tokens of all answers over the block's wall time."""
        return self.completion_tokens / self.elapsed_s


def repeated_4grams(text: str) -> float | None:
    """Share of the 4-grams of words in `text` that are repetitions of an earlier one.

    Args:
        text: An answer; words are what white space separates, compared without case.

    Returns:
        0 (nothing repeats) to below 1; None with fewer than four words.
    """
    words = text.lower().split()
    grams = Counter(tuple(words[i : i + 4]) for i in range(len(words) - 3))
    total = sum(grams.values())
    return (total - len(grams)) / total if total else None
