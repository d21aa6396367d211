"""One block: what is sent to a live engine, and what is recorded of it. Runs in the notebook's kernel."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from specwiki.core.blocks import BlockRecord
from specwiki.core.judge import judge
from specwiki.core.model import Prompt
from specwiki.core.plan import Cell
from specwiki.core.prometheus import Counters, difference, read_snapshot
from specwiki.edges import client
from specwiki.edges.clock import RunClock
from specwiki.edges.engine import Engine

COUNTERS_SETTLE_S = 5.0
"""The engine adds a request to its counters moments after its last token was sent."""


def run_block(
    live: Engine, cell: Cell, prompts: Sequence[Prompt], sampling: client.Sampling, clock: RunClock
) -> BlockRecord:
    """Measure one arm once: empty the prefix cache, count, answer every prompt, count again.

    Args:
        live: The engine that the arm belongs to.
        cell: What is measured.
        prompts: Answered in this order.
        sampling: For every request; its depth is the arm's.
        clock: For the time of the block's start.

    Returns:
        The block, as index 0 of boot 0: the caller knows its place.

    Raises:
        CrashError: If the engine goes away or does not answer in time.
        MeasurementError: If it answers with an error.
    """
    client.reset_prefix_cache(live.url)
    printed = live.log_size()
    before = client.read_metrics(live.url)
    started = clock.now()
    requests, elapsed_s = client.run_requests(live.url, prompts, sampling, cell.concurrency)
    counted = _settled(before, lambda: client.read_metrics(live.url), len(requests))
    counts = {} if counted is None else counted.counts
    judgement = judge(requests, counted, cell.arm.depth, live.log_since(printed))
    return BlockRecord(
        index=0,
        boot=0,
        arm=cell.arm.name,
        depth=cell.arm.depth,
        concurrency=cell.concurrency,
        group=cell.group,
        replicate=cell.replicate,
        status="void" if judgement.void else "warm-up" if cell.replicate == 0 else "ok",
        reason=judgement.void,
        started_utc=started,
        elapsed_s=elapsed_s,
        counters=judgement.counters,
        absence=judgement.absence,
        prefix_hits=counts.get("prefix_cache_hits"),
        prefix_queries=counts.get("prefix_cache_queries"),
        preemptions=counts.get("num_preemptions"),
        requests=tuple(requests),
    )


def _settled(before: str | None, read: Callable[[], str | None], num_requests: int) -> Counters | None:
    """The difference of two snapshots, once the second one counts every request of the block.

    Returns:
        None if `/metrics` could not be read at either end; at the time limit, what was counted until then: the
        judgement of the block then says what is missing.
    """
    until = time.monotonic() + COUNTERS_SETTLE_S
    while True:
        after = read()
        if before is None or after is None:
            return None
        counted = difference(read_snapshot(before), read_snapshot(after))
        if sum(counted.request_success.values()) >= num_requests or time.monotonic() > until:
            return counted
        time.sleep(0.05)
