"""Run an experiment's blocks against a live engine. Runs in the notebook's kernel.

Each block is on disk before the next one begins; a run that was cut goes on where it stopped.
"""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from specwiki.core import plan as planning
from specwiki.core.blocks import POOLED, BlockRecord
from specwiki.core.judge import judge
from specwiki.core.model import Prompt
from specwiki.core.prometheus import Counters, difference, read_snapshot
from specwiki.edges import client, engine, store
from specwiki.edges.lock import engine_lock
from specwiki.edges.model_cache import cache_folder, embedded_model
from specwiki.edges.progress import Progress, tell
from specwiki.errors import MeasurementError
from specwiki.study.project import Experiment

SEGMENT_TRIES = 3
"""How often a replicate is measured in one boot before its void blocks end the run."""
WARM_UP_PROMPTS = 8
COUNTERS_SETTLE_S = 5.0
"""The engine adds a request to its counters moments after its last token was sent."""


@dataclass
class _Run:
    """A measurement under way."""

    experiment: Experiment
    folder: Path
    model: str
    blocks: list[BlockRecord]
    total: int
    until: float
    began: float
    done_before: int

    def spend(self, what: str) -> None:
        """Tell how far the run is, and end it when its time is up."""
        now = time.monotonic()
        done = sum(block.status == "ok" for block in self.blocks)
        fresh = done - self.done_before
        left = (now - self.began) / fresh * (self.total - done) if fresh > 0 else None
        tell(Progress(done, self.total, what, left))
        if now > self.until:
            raise MeasurementError(
                f"run {self.folder.name}",
                f"its budget of {self.experiment.effort.budget_minutes:g} minutes ended at: {what}",
                "Run it again: it goes on from here, and repeats nothing that is finished",
            )


def measure(experiment: Experiment, folder: Path) -> list[BlockRecord]:
    """Measure what is still missing of a run, with one engine up at a time.

    Args:
        experiment: What to measure.
        folder: The run's scratch folder; its `blocks` hold what an earlier, cut run left.

    Returns:
        All blocks of the run, in their order, the void and the split ones included.

    Raises:
        EngineError: If another engine is held on this host, or the engine cannot be started or dies.
        MeasurementError: If a block stays void, or the time is up.
    """
    cache = cache_folder()
    cores = engine.Cores.of_this_process()
    effort = experiment.effort
    order = _order(experiment)
    blocks = store.read_block_files(folder / "blocks")
    with engine_lock(cache, f"'specwiki run {experiment.plan.slug}'") as lock:
        tell(Progress(0, 1, "model", None))
        target = experiment.profile.target
        model = str(embedded_model(cache)) if target.embedded else str(target.model)
        now = time.monotonic()
        done = sum(block.status == "ok" for block in blocks)
        run = _Run(
            experiment, folder, model, blocks, sum(len(one.cells) for boot in order for one in boot.segments),
            now + effort.budget_minutes * 60, now, done,
        )  # fmt: skip
        os.sched_setaffinity(0, cores.client)
        try:
            for boot in planning.remaining(order, blocks):
                _run_boot(run, boot, cores, lock)
        finally:
            os.sched_setaffinity(0, {*cores.engine, *cores.client})
    return recorded_blocks(experiment, folder)


def _run_boot(run: _Run, boot: planning.Boot, cores: engine.Cores, lock: int) -> None:
    number = max((block.boot for block in run.blocks), default=-1) + 1
    run.spend(f"starting the engine ({boot.kind})")
    start = engine.Boot(
        profile=run.experiment.profile,
        model=run.model,
        depths=None if boot.kind == "off" else run.experiment.effort.depths,
        cores=cores,
        log=run.folder / f"engine-{number}.log",
    )
    with engine.running(start, lock) as live:
        _warm_up(run, live, boot, number)
        for segment in boot.segments:
            _run_segment(run, live, segment, number)


def _warm_up(run: _Run, live: engine.Engine, boot: planning.Boot, number: int) -> None:
    """One block at the highest load and depth; it counts nowhere."""
    cells = boot.segments[0].cells
    deepest = max(cells, key=lambda cell: (cell.arm.depth or 0, cell.concurrency, cell.group == POOLED))
    cell = planning.Cell(deepest.arm, deepest.concurrency, deepest.group, 0)
    prompts = run.experiment.groups[cell.group][:WARM_UP_PROMPTS]
    _store(run, _run_block(run, live, cell, prompts, number))


def _run_segment(run: _Run, live: engine.Engine, segment: planning.Segment, number: int) -> None:
    """Measure one replicate; as a whole again when a block of it is void."""
    for _ in range(SEGMENT_TRIES):
        records = []
        for cell in segment.cells:
            run.spend(f"replicate {cell.replicate}, {cell.arm.name}, {cell.concurrency} at once, {cell.group}")
            block = _run_block(run, live, cell, run.experiment.groups[cell.group], number)
            _store(run, block)
            records.append(block)
        void = [block for block in records if block.status == "void"]
        if not void:
            return
    raise MeasurementError(
        f"run {run.folder.name}, block {void[0].index}", f"void {SEGMENT_TRIES} times: {void[0].reason}",
        "See the engine's log in that folder; run it again to go on",
    )  # fmt: skip


def _store(run: _Run, block: BlockRecord) -> None:
    store.write_block_file(run.folder / "blocks", block)
    run.blocks.append(block)


def _run_block(
    run: _Run, live: engine.Engine, cell: planning.Cell, prompts: Sequence[Prompt], number: int
) -> BlockRecord:
    profile, effort = run.experiment.profile, run.experiment.effort
    sampling = client.Sampling(
        profile.target.name, cell.arm.depth, effort.max_tokens, run.experiment.plan.temperature,
        profile.request_timeout_s,
    )  # fmt: skip
    client.reset_prefix_cache(live.url)
    before = client.read_metrics(live.url)
    started = dt.datetime.now(dt.UTC)
    requests, elapsed_s = client.run_requests(live.url, prompts, sampling, cell.concurrency)
    counted = _settled(before, lambda: client.read_metrics(live.url), len(requests))
    counts = {} if counted is None else counted.counts
    judgement = judge(requests, counted, cell.arm.depth)
    return BlockRecord(
        index=max((block.index for block in run.blocks), default=-1) + 1,
        boot=number,
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
    )  # fmt: skip


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


def recorded_blocks(experiment: Experiment, folder: Path) -> list[BlockRecord]:
    """The blocks that a run's scratch folder holds, in order; those of cut replicates are marked `split`."""
    blocks = store.read_block_files(folder / "blocks")
    cut = planning.split_blocks(_order(experiment), blocks)
    said = {"status": "split", "reason": "its replicate was cut and measured again"}
    return [block.model_copy(update=said) if block.index in cut else block for block in blocks]


def _order(experiment: Experiment) -> tuple[planning.Boot, ...]:
    plan = experiment.plan
    return planning.boots(plan, experiment.effort, list(experiment.groups), np.random.default_rng(plan.seed))
