"""A plan's arms and replicates as boots of ordered blocks. The caller brings the random generator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from specwiki.core.blocks import POOLED, SYNTHETIC, BlockRecord
from specwiki.core.model import Prompt, PromptSet
from specwiki.core.plan_file import BaseEffort, DrafterEffort, DrafterPlan, Effort, Plan
from specwiki.errors import InputError

OFF = "off"
TWIN = "-twin"
"""Ends the second name of an arm that is measured twice (A/A)."""
SWEEP = "sweep"
CRASHES_PER_ARM = 3
"""How often the engine may crash in an arm before the run goes on without it."""
CUT = "its replicate was cut and measured again"
GIVEN_UP = "its arm crashed later and was given up"


@dataclass(frozen=True)
class Arm:
    """One setting that is compared. `depth` None: an engine started without a speculative config."""

    name: str
    depth: int | None


@dataclass(frozen=True)
class Cell:
    """One block to run: an arm, at a load, on a group of prompts, in a replicate."""

    arm: Arm
    concurrency: int
    group: str
    replicate: int


@dataclass(frozen=True)
class Segment:
    """The cells of one replicate that share a boot: what is repeated as a whole when it was cut."""

    replicate: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Boot:
    """One start of an engine, and what is measured before it is stopped."""

    kind: str
    """`off`, `sweep`, or, where every arm has boots of its own, the arm."""
    segments: tuple[Segment, ...]


def sweep_arms(plan: Plan, effort: Effort) -> tuple[Arm, ...]:
    """The arms that one speculating boot measures: every depth, and the twin of one of them (A/A)."""
    depths = tuple(Arm(f"d{depth}", depth) for depth in effort.depths)
    return (*depths, Arm(f"d{plan.twin_of}{TWIN}", plan.twin_of))


def drafter_arms(plan: DrafterPlan, effort: DrafterEffort, drafters: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of a comparison of drafters: `off`, the same again (A/A), and the first drafters of the profile."""
    twin = (Arm(f"{OFF}{TWIN}", None),) if effort.twin else ()
    return (Arm(OFF, None), *twin, *(Arm(one, plan.depth) for one in drafters[: effort.most_drafters]))


def prompt_groups(prompt_set: PromptSet, effort: BaseEffort) -> dict[str, tuple[Prompt, ...]]:
    """The prompts of each block, by group; pooled strata take turns, so that the mix is even throughout.

    Raises:
        InputError: If the effort names a stratum that the set lacks, or the pooled strata differ in size: the
            pooled value gives each stratum the same weight.
    """
    known = {stratum.name: stratum for stratum in prompt_set.strata}
    by_stratum: dict[str, list[Prompt]] = {}
    for name in effort.strata:
        if name not in known:
            raise InputError(
                f"prompt set '{prompt_set.id}'",
                f"stratum '{name}' is not in it, expected one of {sorted(known)}",
                "Correct 'strata' in plan.toml",
            )
        prompts = [prompt for prompt in prompt_set.prompts if prompt.stratum == name]
        by_stratum[name] = prompts[: effort.prompts_per_stratum]
    pooled = [by_stratum[name] for name in effort.strata if known[name].pooled]
    sizes = {len(prompts) for prompts in pooled}
    if len(sizes) > 1:
        raise InputError(
            f"prompt set '{prompt_set.id}'",
            f"the pooled strata have {sorted(sizes)} prompts, expected the same number in each",
            "Give each stratum as many prompts, or set 'prompts_per_stratum'",
        )
    groups = {POOLED: tuple(prompt for turn in zip(*pooled, strict=True) for prompt in turn)} if pooled else {}
    return groups | {name: tuple(by_stratum[name]) for name in effort.strata if not known[name].pooled}


def boots(plan: Plan, effort: Effort, groups: Sequence[str], rng: np.random.Generator) -> tuple[Boot, ...]:
    """The whole run in order: boots of the sweep, each between halves of the `off` blocks it is compared with.

    Replicates come in pairs: an order drawn at random, then the same order backwards, so that a steady drift of
    the machine falls on every arm alike. Groups outside the pooled value are measured at the lowest load: the
    synthetic one with every arm, the others with `off` and the depth that has the twin: they describe a kind of
    prompt, and decide nothing.

    Args:
        plan: Names the twin.
        effort: How many replicates, and how many share a boot.
        groups: Names of the prompt groups.
        rng: Seeded from the plan; the seed is recorded with the run.
    """
    described = {OFF, f"d{plan.twin_of}"}
    sweep = _ordered_replicates(_settings(sweep_arms(plan, effort), effort, groups, described), effort, rng)
    off = _ordered_replicates(_settings((Arm(OFF, None),), effort, groups, described), effort, rng)
    chunks = [
        list(range(start, min(start + effort.replicates_per_boot, effort.replicates)))
        for start in range(0, effort.replicates, effort.replicates_per_boot)
    ]
    ordered: list[Boot] = []
    waiting: list[int] = []
    for chunk in chunks:
        half = (len(chunk) + 1) // 2
        ordered.append(Boot("off", tuple(off[i] for i in [*waiting, *chunk[:half]])))
        ordered.append(Boot("sweep", tuple(sweep[i] for i in chunk)))
        waiting = chunk[half:]
    if waiting:
        ordered.append(Boot("off", tuple(off[i] for i in waiting)))
    return tuple(ordered)


def drafter_boots(
    plan: DrafterPlan, effort: DrafterEffort, drafters: Sequence[str], groups: Sequence[str], rng: np.random.Generator
) -> tuple[Boot, ...]:
    """The whole run in order: in each replicate one boot of every arm; orders come in pairs, as in `boots`.

    Args:
        plan: Names the depth.
        effort: How many replicates, at which load.
        drafters: Of the profile, in its order.
        groups: Names of the prompt groups, measured in this order in each boot.
        rng: Seeded from the plan; the seed is recorded with the run.
    """
    (load,) = effort.concurrency
    settings = [(arm, load, POOLED) for arm in drafter_arms(plan, effort, drafters)]
    return tuple(
        Boot(cell.arm.name, (Segment(one.replicate, tuple(replace(cell, group=group) for group in groups)),))
        for one in _ordered_replicates(settings, effort, rng)
        for cell in one.cells
    )


Setting = tuple[Arm, int, str]


def _settings(arms: Sequence[Arm], effort: Effort, groups: Sequence[str], described: Collection[str]) -> list[Setting]:
    lowest = min(effort.concurrency)
    return [
        (arm, concurrency, group)
        for arm in arms
        for concurrency in effort.concurrency
        for group in groups
        if group == POOLED or (concurrency == lowest and (group == SYNTHETIC or arm.name in described))
    ]


def _ordered_replicates(settings: Sequence[Setting], effort: BaseEffort, rng: np.random.Generator) -> list[Segment]:
    segments: list[Segment] = []
    order: list[int] = []
    for replicate in range(1, effort.replicates + 1):
        order = [int(i) for i in rng.permutation(len(settings))] if replicate % 2 else order[::-1]
        segments.append(Segment(replicate, tuple(Cell(*settings[i], replicate) for i in order)))
    return segments


def lost_arms(done: Iterable[BlockRecord]) -> set[str]:
    """Arms that are given up: the engine crashed in them `CRASHES_PER_ARM` times."""
    crashes = Counter(block.arm for block in done if block.status == "crashed")
    return {arm for arm, count in crashes.items() if count >= CRASHES_PER_ARM}


def comparable(ordered: Sequence[Boot], done: Sequence[BlockRecord]) -> bool:
    """Whether `off` and at least one other arm are not given up."""
    left = {cell.arm.name for boot in _kept(ordered, done) for segment in boot.segments for cell in segment.cells}
    return OFF in left and len(left) > 1


def without_arms(ordered: Sequence[Boot], arms: Collection[str]) -> tuple[Boot, ...]:
    """A plan without some of its arms, as where a drafter cannot run on a machine."""
    kept = []
    for boot in ordered:
        segments = [
            Segment(one.replicate, tuple(cell for cell in one.cells if cell.arm.name not in arms))
            for one in boot.segments
        ]
        kept.append(Boot(boot.kind, tuple(segment for segment in segments if segment.cells)))
    return tuple(boot for boot in kept if boot.segments)


def num_cells(ordered: Sequence[Boot], done: Sequence[BlockRecord]) -> int:
    """Blocks of a plan, without those of arms that are given up."""
    return sum(len(segment.cells) for boot in _kept(ordered, done) for segment in boot.segments)


def remaining(ordered: Sequence[Boot], done: Sequence[BlockRecord]) -> tuple[Boot, ...]:
    """The boots that are still to run: without the segments that `done` finished, and the arms that it gave up.

    A segment counts only when all of its cells ended well in one boot; a cut one is run again as a whole.
    """
    finished = {(one.boot, *_key(one)) for one in done if one.status == "ok"}
    boots_seen = sorted({one.boot for one in done})

    def is_finished(segment: Segment) -> bool:
        return any(all((boot, *_cell_key(cell)) in finished for cell in segment.cells) for boot in boots_seen)

    left = [
        Boot(boot.kind, tuple(segment for segment in boot.segments if not is_finished(segment)))
        for boot in _kept(ordered, done)
    ]
    return tuple(boot for boot in left if boot.segments)


def _kept(ordered: Sequence[Boot], done: Sequence[BlockRecord]) -> tuple[Boot, ...]:
    """The plan without the arms that are given up."""
    return without_arms(ordered, lost_arms(done))


def split_blocks(ordered: Sequence[Boot], done: Sequence[BlockRecord]) -> dict[int, str]:
    """Blocks that ended well and count nowhere, by index, each with the reason; they are kept on disk.

    Either their segment was cut and run again, or their arm was given up later.
    """
    lost = lost_arms(done)
    cut = {one.index: GIVEN_UP for one in done if one.status == "ok" and one.arm in lost}
    for segment in (segment for boot in _kept(ordered, done) for segment in boot.segments):
        wanted = {_cell_key(cell) for cell in segment.cells}
        by_boot: dict[int, dict[tuple[str, int, str, int], int]] = {}
        for one in done:
            if one.status == "ok" and _key(one) in wanted:
                by_boot.setdefault(one.boot, {})[_key(one)] = one.index
        whole = [boot for boot, cells in by_boot.items() if set(cells) == wanted]
        kept = whole[-1] if whole else None
        cut |= {index: CUT for boot, cells in by_boot.items() if boot != kept for index in cells.values()}
    return cut


def _key(block: BlockRecord) -> tuple[str, int, str, int]:
    return block.arm, block.concurrency, block.group, block.replicate


def _cell_key(cell: Cell) -> tuple[str, int, str, int]:
    return cell.arm.name, cell.concurrency, cell.group, cell.replicate
