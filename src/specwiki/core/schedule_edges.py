"""A schedule's edges against the load that was seen: an edge inside the load switches depth again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

STRADDLED_FROM = 0.05
"""Share of samples beside an edge, or of switches over it, from which on it is spoken of. Our choice."""
AT_LEAST_SAMPLES = 20
"""Fewer say nothing about a share of one in twenty."""

Tiers = Sequence[tuple[int, int, int]]


@dataclass(frozen=True)
class Edge:
    """One change of depth of a schedule, and how the load lay about it.

    Attributes:
        last: Highest number of running requests below the edge.
        depths: Depth below and above.
        num_samples: Readings of the load that had requests running.
        beside: Of these, at `last` or one above.
        switches: Steps from one reading to the next that crossed the edge.
        quiet: Where no two readings in a row were on two sides: the nearest such edge below and above; None: none.
    """

    last: int
    depths: tuple[int, int]
    num_samples: int
    beside: int
    switches: int
    quiet: tuple[int | None, int | None]

    @property
    def is_straddled(self) -> bool:
        """Whether the load lies on both sides, and often enough to matter."""
        return self.switches >= STRADDLED_FROM * self.num_samples > 0

    def __str__(self) -> str:
        places = [f"between {one} and {one + 1}" for one in self.quiet if one is not None]
        return (
            f"schedule edge between {self.last} and {self.last + 1} running requests (depth {self.depths[0]} to "
            f"{self.depths[1]}): crossed {self.switches} times in {self.num_samples} readings, {self.beside} of them "
            f"beside it. Put it where no reading crossed: {' or '.join(places)}"
        )


def edges_of(running: Sequence[int], schedule: Tiers) -> list[Edge]:
    """How a series of loads lies about each edge of a schedule at which the depth changes.

    Readings a second apart miss what happens between them: real switches are as many or more. vLLM counts every
    request of a step, those at their prompt included, so a prompt that joins a batch moves it up by one.

    Args:
        running: Running requests (`vllm:num_requests_running`), in the order in which they were read.
        schedule: Valid tiers `(first, last, depth)`; gaps carry the depth on.

    Returns:
        An edge for each change of depth, lowest first; none with fewer than 20 readings of a server at work.

    Source: vLLM issue 49548; vLLM 0.32, vllm/v1/core/sched/scheduler.py, `dynamic_sd_lookup`.
    """
    busy = [one for one in running if one > 0]
    if len(busy) < AT_LEAST_SAMPLES:
        return []
    tiers = sorted(schedule)
    places = [(after[0] - 1, (before[2], after[2])) for before, after in pairwise(tiers) if before[2] != after[2]]
    quiet = [edge for edge in range(1, max(busy) + 1) if not _switches(busy, edge)]
    return [
        Edge(
            last,
            depths,
            len(busy),
            sum(one in (last, last + 1) for one in busy),
            _switches(busy, last),
            (
                max((one for one in quiet if one < last), default=None),
                min((q for q in quiet if q > last), default=None),
            ),
        )
        for last, depths in places
    ]


def _switches(loads: Sequence[int], last: int) -> int:
    return sum((one <= last) != (other <= last) for one, other in pairwise(loads))
