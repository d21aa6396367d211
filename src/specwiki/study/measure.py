"""Run an experiment's blocks against live engines, one engine at a time. Runs in the notebook's kernel.

Each block is on disk before the next one begins; a run that was cut goes on where it stopped.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from specwiki.core import plan as planning
from specwiki.core.blocks import POOLED, SYNTHETIC, BlockRecord
from specwiki.core.plan_file import DrafterPlan, Plan
from specwiki.core.served import differences
from specwiki.edges import client, engine, store
from specwiki.edges.clock import RunClock
from specwiki.edges.lock import engine_lock
from specwiki.edges.model_cache import cache_folder, embedded_model
from specwiki.edges.progress import Progress, tell
from specwiki.edges.served import served_speculation
from specwiki.errors import CrashError, EngineError, InputError, MeasurementError
from specwiki.study.block import run_block
from specwiki.study.project import Experiment
from specwiki.study.starts import drafter_weights, dtype_here, engine_boot, measured_order, not_built

SEGMENT_TRIES = 3
"""How often a replicate is measured before a void block of it ends the run."""
WARM_UP_PROMPTS = 8
ENDING_S = 10.0
"""An engine whose core has died answers requests with errors for a moment; by then it has ended."""
RESERVE = "reserve.bin"
RESERVE_BYTES = 256 * 1024
"""Held back on the disk, and let go when it is full, so that the block just measured can still be written."""


@dataclass
class _Run:
    """A measurement under way.

    Attributes:
        experiment: What is measured.
        folder: Its scratch folder.
        order: The whole plan.
        model: Folder or id of the target's weights.
        blocks: All blocks so far, those of earlier, cut runs included.
        until: When the time is up, by `time.monotonic`.
        blocks_before: How many blocks there were when this process began.
        in_segment: How many cells of the replicate under way are measured.
        clock: Dates the blocks.
        began: When this process began, by `time.monotonic`.
        block_began: The same for the block, or the boot, under way.
        under_way: What a crash now would be a crash of.
    """

    experiment: Experiment
    folder: Path
    order: tuple[planning.Boot, ...]
    model: str
    blocks: list[BlockRecord]
    until: float
    blocks_before: int
    in_segment: int = 0
    clock: RunClock = field(default_factory=RunClock)
    began: float = field(default_factory=time.monotonic)
    block_began: float = field(default_factory=time.monotonic)
    under_way: tuple[planning.Cell, ...] = ()

    def begin(self, cells: Iterable[planning.Cell], what: str) -> None:
        """Tell what comes next, and end the run when its time is up."""
        self.under_way = tuple(cells)
        self.block_began = time.monotonic()
        self._tell(what)
        if self.left_s() < 0:
            raise self.time_is_up(what)

    def left_s(self) -> float:
        """Seconds until the run's time is up."""
        return self.until - time.monotonic()

    def time_is_up(self, what: str) -> MeasurementError:
        """The error for a run that took as long as its plan allows."""
        return MeasurementError(
            f"run {self.folder.name}, block {self.next_index()}",
            f"its budget of {self.experiment.effort.budget_minutes:.3g} minutes ended at: {what}",
            "Run it again: it goes on from here, and repeats nothing that is finished",
        )

    def next_index(self) -> int:
        """Index of the next block."""
        return max((block.index for block in self.blocks), default=-1) + 1

    def store(self, block: BlockRecord) -> None:
        """Write a block; on a full disk into what was held back, and then end the run."""
        folder = self.folder / "blocks"
        try:
            store.write_block_file(folder, block)
        except InputError:
            (self.folder / RESERVE).unlink(missing_ok=True)
            store.write_block_file(folder, block)
            raise
        finally:
            self.blocks.append(block)

    def _tell(self, what: str) -> None:
        total = planning.num_cells(self.order, self.blocks)
        waiting = planning.num_cells(planning.remaining(self.order, self.blocks), self.blocks) - self.in_segment
        fresh = len(self.blocks) - self.blocks_before
        left_s = (time.monotonic() - self.began) / fresh * waiting if fresh > 0 else None
        tell(Progress(total - waiting, total, what, left_s))


def measure(experiment: Experiment, folder: Path) -> list[BlockRecord]:
    """Measure what is still missing of a run, with one engine up at a time.

    An engine that crashes or hangs is started again; an arm in which it crashed `CRASHES_PER_ARM` times is given up,
    and the others go on.

    Args:
        experiment: What to measure.
        folder: The run's scratch folder; its `blocks` hold what an earlier, cut run left.

    Returns:
        All blocks of the run, in their order; void, split and crashed ones included.

    Raises:
        EngineError: If another engine is held on this host, the engine cannot be started at all, or so many arms
            crashed that nothing can be compared.
        MeasurementError: If a block stays void, or the time is up.
        InputError: If the disk is full; what was measured is on it.
    """
    cache = cache_folder()
    cores = engine.Cores.of_this_process()
    blocks = store.read_block_files(folder / "blocks")
    with engine_lock(cache, f"'specwiki run {experiment.plan.slug}'") as lock:
        tell(Progress(0, 1, "model", None))
        store.write_atomic(folder / RESERVE, secrets.token_bytes(RESERVE_BYTES))
        target = experiment.profile.target
        model = str(embedded_model(cache)) if target.embedded else str(target.model)
        order = planning.without_arms(measured_order(experiment), not_built(experiment))
        run = _Run(
            experiment, folder, order, model, blocks,
            until=time.monotonic() + experiment.effort.budget_minutes * 60,
            blocks_before=len(blocks),
        )  # fmt: skip
        os.sched_setaffinity(0, cores.client)
        try:
            while boots := planning.remaining(run.order, run.blocks):
                _run_boot(run, boots[0], cores, lock)
        finally:
            os.sched_setaffinity(0, {*cores.engine, *cores.client})
    return recorded_blocks(experiment, folder)


def _run_boot(run: _Run, boot: planning.Boot, cores: engine.Cores, lock: int) -> None:
    number = max((block.boot for block in run.blocks), default=-1) + 1
    run.in_segment = 0
    first = {cell.arm.name: cell for segment in boot.segments for cell in reversed(segment.cells)}
    run.begin(first.values(), f"starting the engine ({boot.kind})")
    start = engine_boot(
        run.experiment,
        boot.kind,
        run.model,
        lambda drafter: drafter_weights(run.experiment, run.model, drafter),
        cores,
        run.folder / f"engine-{number}.log",
    )
    start = replace(start, dtype=dtype_here(run.experiment.profile))
    try:
        with engine.running(start, lock, run.left_s()) as live:
            _check_served(start, live)
            _warm_up(run, live, boot, number)
            for segment in boot.segments:
                _run_segment(run, live, segment, number)
    except CrashError as failure:
        _record_crash(run, number, failure)


def _check_served(start: engine.Boot, live: engine.Engine) -> None:
    """Where a command of the profile's own started the engine, ask it what it is: the command may have changed it."""
    if not start.profile.command:
        return
    depths = start.depths or ((start.native_depth,) if start.native_depth else None)
    asked = None if depths is None else engine.speculative_config(start.profile, depths)
    found = differences(asked, served_speculation(live.url))
    if found:
        raise EngineError("engine", "; ".join(found), "See what the profile's 'command' passes on")


def _record_crash(run: _Run, number: int, failure: CrashError) -> None:
    """Record what was under way as crashed; raise if that, or the end of the run's time, ends the run."""
    index = run.next_index()
    reason = f"{failure.where}: {failure.what}"
    if run.left_s() <= 0:
        raise run.time_is_up(reason) from failure
    for cell in run.under_way:
        run.store(_crashed_block(run, cell, number, reason))
    if not planning.comparable(run.order, run.blocks):
        raise EngineError(
            f"run {run.folder.name}, block {index}",
            f"the engine crashed {planning.CRASHES_PER_ARM} times in each arm of a boot, so that nothing is left to "
            f"compare; the last time: {reason}",
            "Mend what the log says; the next run begins anew",
        ) from failure  # fmt: skip


def _crashed_block(run: _Run, cell: planning.Cell, number: int, reason: str) -> BlockRecord:
    return BlockRecord(
        index=run.next_index(),
        boot=number,
        arm=cell.arm.name,
        depth=cell.arm.depth,
        concurrency=cell.concurrency,
        group=cell.group,
        replicate=cell.replicate,
        status="crashed",
        reason=reason,
        started_utc=run.clock.now(),
        elapsed_s=time.monotonic() - run.block_began,
        counters=None,
        requests=(),
    )


def _warm_up(run: _Run, live: engine.Engine, boot: planning.Boot, number: int) -> None:
    """One block at the highest load and depth; it counts nowhere."""
    cells = boot.segments[0].cells
    deepest = max(cells, key=lambda cell: (cell.arm.depth or 0, cell.concurrency, cell.group == POOLED))
    _run_block(run, live, planning.Cell(deepest.arm, deepest.concurrency, deepest.group, 0), number)


def _run_segment(run: _Run, live: engine.Engine, segment: planning.Segment, number: int) -> None:
    """Measure one replicate; as a whole again when a block of it is void.

    Where every arm has boots of its own, again means in another boot: a drafter may remember what it has seen.
    """
    while True:
        records = []
        for run.in_segment, cell in enumerate(segment.cells):
            records.append(_run_block(run, live, cell, number))
        run.in_segment = 0
        void = [block for block in records if block.status == "void"]
        if not void:
            return
        if sum(_is_void_again(block, void[0]) for block in run.blocks[run.blocks_before :]) >= SEGMENT_TRIES:
            raise MeasurementError(
                f"run {run.folder.name}, block {void[0].index}", f"void {SEGMENT_TRIES} times: {void[0].reason}",
                "See the engine's log in that folder; run it again to go on",
            )  # fmt: skip
        if isinstance(run.experiment.plan, DrafterPlan):
            return


def _is_void_again(block: BlockRecord, void: BlockRecord) -> bool:
    same = (block.arm, block.concurrency, block.group, block.replicate)
    return block.status == "void" and same == (void.arm, void.concurrency, void.group, void.replicate)


def _run_block(run: _Run, live: engine.Engine, cell: planning.Cell, number: int) -> BlockRecord:
    what = "warm-up" if cell.replicate == 0 else f"replicate {cell.replicate}"
    run.begin([cell], f"{what}, {cell.arm.name}, {cell.concurrency} at once, {cell.group}")
    profile, effort = run.experiment.profile, run.experiment.effort
    depth = cell.arm.depth if isinstance(run.experiment.plan, Plan) else None
    sampling = client.Sampling(
        profile.target.name, depth, effort.max_tokens, run.experiment.plan.temperature,
        min(profile.request_timeout_s, run.left_s()), ignore_eos=cell.group == SYNTHETIC,
    )  # fmt: skip
    prompts = run.experiment.groups[cell.group]
    if cell.replicate == 0:
        prompts = (run.experiment.warm_up_prompts or prompts)[:WARM_UP_PROMPTS]
    try:
        measured = run_block(live, cell, prompts, sampling, run.clock)
    except MeasurementError as failure:
        if not live.ended_within(ENDING_S):
            raise
        raise live.died() from failure
    block = measured.model_copy(update={"index": run.next_index(), "boot": number})
    run.store(block)
    return block


def recorded_blocks(experiment: Experiment, folder: Path) -> list[BlockRecord]:
    """The blocks that a run's scratch folder holds, in order; those that count nowhere are marked `split`."""
    blocks = store.read_block_files(folder / "blocks")
    cut = planning.split_blocks(measured_order(experiment), blocks)
    return [
        block.model_copy(update={"status": "split", "reason": cut[block.index]}) if block.index in cut else block
        for block in blocks
    ]


def can_go_on(experiment: Experiment, folder: Path) -> bool:
    """Whether anything could still be compared in a run that was cut."""
    return planning.comparable(measured_order(experiment), store.read_block_files(folder / "blocks"))
