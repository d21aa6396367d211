"""The depth experiment's blocks as named values. What is decided from them stands in `depth_findings`.

Keys: `metric.c<streams>.<arm>[.<stratum>]`; arms are `off`, `d<depth>` and the twin `d<depth>-twin`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from specwiki.core.blocks import POOLED, SYNTHETIC, BlockRecord
from specwiki.core.cycle import decompose
from specwiki.core.depth_acceptance import NOTHING_DRAFTED, Series, acceptance, acceptance_of, strata_of, value_of
from specwiki.core.plan import OFF, TWIN
from specwiki.core.rates import cycle_ms, stream_tok_s, tokens_per_step, tpot_ms
from specwiki.core.result import Unit, Value
from specwiki.core.stats import (
    Boots,
    BootSd,
    Floats,
    boot_sd,
    floor_from_twins,
    log_ratios,
    mean_interval,
    ratio_interval,
)

CRASHED = "crashed"
LOST: tuple[tuple[str, Unit], ...] = (("output_tok_s", "tok_s"), ("ratio", "ratio"), *NOTHING_DRAFTED)
"""Metrics, with units, of which an arm that was given up says why it has no number."""


@dataclass(frozen=True)
class DepthBlocks:
    """The blocks of a run that count, ordered for comparison.

    Attributes:
        pooled: Load → arm → replicate → block, on the pooled strata.
        others: Load → arm → blocks on strata outside the pooled value.
        boot_sd: Boot-to-boot sd of this machine, from this run and the earlier ones.
        twins: Load → for each run, this one first, its log ratios of the twin over its arm.
        lost: Arms in which the engine crashed until they were given up: gaps, of which nothing is made up.
    """

    pooled: Mapping[int, Mapping[str, Series]]
    others: Mapping[int, Mapping[str, list[BlockRecord]]]
    boot_sd: BootSd
    twins: Mapping[int, list[list[float]]] = field(default_factory=dict)
    lost: tuple[str, ...] = ()

    def boots(self, load: int, arm: str) -> Boots:
        """Which boots an arm and `off` were measured in, replicate by replicate."""
        arms = self.pooled[load]
        replicates = shared(arms[arm], arms[OFF])
        return Boots(
            self.boot_sd,
            tuple(arms[arm][one].boot for one in replicates),
            tuple(arms[OFF][one].boot for one in replicates),
        )


def arrange(
    blocks: Sequence[BlockRecord], history: Sequence[Sequence[BlockRecord]] = (), group: str = POOLED
) -> DepthBlocks:
    """Take the blocks that count: ended well, not a warm-up, not of a replicate that was cut.

    Args:
        blocks: Of the run.
        history: Of this machine's earlier runs; they tell how much boots differ, and how much twins do.
        group: The prompts that are looked at: the pooled strata, with the others beside them, or the synthetic set
            alone.
    """
    pooled: dict[int, dict[str, Series]] = {}
    others: dict[int, dict[str, list[BlockRecord]]] = {}
    for block in _counting(blocks):
        if block.group == group:
            pooled.setdefault(block.concurrency, {}).setdefault(block.arm, {})[block.replicate] = block
        elif group == POOLED and block.group != SYNTHETIC:
            others.setdefault(block.concurrency, {}).setdefault(block.arm, []).append(block)
    runs = [list(_counting(run)) for run in (blocks, *history)]
    twins = {load: [_twin_ratios(run, load, group) for run in runs] for load in pooled}
    counted = {arm for arms in pooled.values() for arm in arms}
    lost = sorted({block.arm for block in blocks if block.status == "crashed"} - counted)
    return DepthBlocks(pooled, others, boot_sd([_boots_of_off(run) for run in runs]), twins, tuple(lost))


def _counting(blocks: Iterable[BlockRecord]) -> Iterable[BlockRecord]:
    return (block for block in blocks if block.status == "ok")


def _boots_of_off(blocks: Sequence[BlockRecord]) -> list[list[float]]:
    """The boots of `off`, each with the log throughputs of its blocks at the lowest load; a boot counts once."""
    mine = [block for block in blocks if block.arm == OFF and block.group == POOLED]
    lowest = min((block.concurrency for block in mine), default=None)
    boots: dict[int, list[float]] = {}
    for block in mine:
        if block.concurrency == lowest:
            boots.setdefault(block.boot, []).append(math.log(block.output_tok_s))
    return list(boots.values())


def _twin_ratios(blocks: Sequence[BlockRecord], load: int, group: str) -> list[float]:
    mine = [block for block in blocks if block.concurrency == load and block.group == group]
    twins = {block.replicate: block for block in mine if block.arm.endswith("-twin")}
    arms = {block.replicate: block for block in mine if f"{block.arm}-twin" in {one.arm for one in twins.values()}}
    return [math.log(twins[one].output_tok_s / arms[one].output_tok_s) for one in shared(twins, arms)]


def shared(one: Mapping[int, object], other: Mapping[int, object]) -> list[int]:
    """Replicates that both arms have, in order."""
    return sorted(set(one) & set(other))


def values(run: DepthBlocks) -> dict[str, Value]:
    """Every value of the run, by key."""
    found: dict[str, Value] = {}
    for load, arms in run.pooled.items():
        for arm, series in arms.items():
            name = f"c{load}.{arm}"
            found |= _speeds(name, series)
            found |= acceptance(name, series)
            if arm != OFF:
                found |= _over_off(run, load, arm)
        for arm in run.lost:
            found |= {f"{key}.c{load}.{arm}": Value(number=None, unit=unit, missing=CRASHED) for key, unit in LOST}
        found |= _control_of_itself(run, load)
    return found | _other_strata(run) | _repetition(run) | {"boots": _count(_num_boots(run))}


def _speeds(name: str, series: Series) -> dict[str, Value]:
    blocks = [series[one] for one in sorted(series)]
    measured: dict[str, tuple[Callable[[BlockRecord], float], Unit]] = {
        "output_tok_s": (lambda block: block.output_tok_s, "tok_s"),
        "stream_tok_s": (lambda block: stream_tok_s(block.requests), "tok_s"),
        "ttft_ms": (lambda block: float(np.mean([one.ttft_ms for one in block.requests])), "ms"),
        "tpot_ms": (lambda block: tpot_ms(block.requests), "ms"),
    }
    return {
        f"{metric}.{name}": value_of(mean_interval([of(block) for block in blocks]), unit)
        for metric, (of, unit) in measured.items()
    }


def _over_off(run: DepthBlocks, load: int, arm: str) -> dict[str, Value]:
    """Ratios to `off`, replicate by replicate, with the boot-to-boot component."""
    arms = run.pooled[load]
    replicates = shared(arms[arm], arms[OFF])
    boots = run.boots(load, arm)

    def ratio(of: Callable[[BlockRecord], float]) -> Value:
        ratios = log_ratios([of(arms[arm][one]) for one in replicates], [of(arms[OFF][one]) for one in replicates])
        return value_of(ratio_interval(ratios, boots), "ratio")

    found = {f"ratio.c{load}.{arm}": ratio(lambda block: block.output_tok_s)}
    if load == 1:
        found |= _parts(f"c{load}.{arm}", [(arms[arm][one], arms[OFF][one]) for one in replicates], boots)
    for stratum in strata_of(arms[arm]):
        found[f"ratio.c{load}.{arm}.{stratum}"] = ratio(
            lambda block, wanted=stratum: stream_tok_s([one for one in block.requests if one.stratum == wanted])  # type: ignore[misc]
        )
    return found


def _parts(name: str, pairs: Sequence[tuple[BlockRecord, BlockRecord]], boots: Boots) -> dict[str, Value]:
    """What a ratio over `off` is made of; at one stream only.

    With several streams a step of one waits for the prompts of the others: its time is not that of a cycle.
    """

    def ratios(of: Callable[[BlockRecord], float]) -> Floats:
        return log_ratios([of(arm) for arm, _ in pairs], [of(off) for _, off in pairs])

    made = decompose(
        ratios(lambda block: block.output_tok_s),
        ratios(lambda block: tokens_per_step(block.requests)),
        ratios(lambda block: cycle_ms(block.requests)),
        boots,
    )
    return {
        f"cycle_ratio.{name}": value_of(made.cycle_time, "ratio"),
        f"rest.{name}": value_of(made.rest, "ratio"),
    }


def _control_of_itself(run: DepthBlocks, load: int) -> dict[str, Value]:
    ratios = run.twins[load][0]
    lost = any(arm.endswith(TWIN) or f"{arm}{TWIN}" in run.pooled[load] for arm in run.lost)
    absent = Value(number=None, unit="ratio", missing=CRASHED if lost else "not-measured")
    twin = value_of(ratio_interval(ratios), "ratio") if ratios else absent
    floor = Value(number=floor_from_twins(run.twins[load]), unit="fraction", n=len(ratios) or None)
    return {f"aa.c{load}": twin, f"floor.c{load}": floor}


def _other_strata(run: DepthBlocks) -> dict[str, Value]:
    """Strata outside the pooled value: their stream rates over `off`, and their acceptance."""
    found: dict[str, Value] = {}
    for load, arms in run.others.items():
        for arm, blocks in arms.items():
            for stratum in sorted({block.group for block in blocks}):
                mine = {block.replicate: block for block in blocks if block.group == stratum}
                off = {block.replicate: block for block in arms[OFF] if block.group == stratum}
                if arm == OFF:
                    continue
                both = shared(mine, off)
                boots = Boots(run.boot_sd, tuple(mine[i].boot for i in both), tuple(off[i].boot for i in both))
                ratios = log_ratios(
                    [stream_tok_s(mine[i].requests) for i in both], [stream_tok_s(off[i].requests) for i in both]
                )
                found[f"ratio.c{load}.{arm}.{stratum}"] = value_of(ratio_interval(ratios, boots), "ratio")
                depth = next(iter(mine.values())).depth
                if depth and all(block.counters for block in mine.values()):
                    requests = [request for block in mine.values() for request in block.requests]
                    found |= acceptance_of(f"c{load}.{arm}", requests, depth, f".{stratum}")
    return found


def _repetition(run: DepthBlocks) -> dict[str, Value]:
    """Share of repeated 4-grams in the answers of `off`: a text that repeats itself is easy to draft."""
    blocks = [block for arms in run.pooled.values() for block in arms[OFF].values()]
    blocks += [block for arms in run.others.values() for block in arms[OFF]]
    by_stratum: dict[str, list[float]] = {}
    for request in (request for block in blocks for request in block.requests):
        if request.repeated_4grams is not None:
            by_stratum.setdefault(request.stratum, []).append(request.repeated_4grams)
    return {
        f"repeated_4grams.{stratum}": Value(number=float(np.mean(shares)), unit="fraction")
        for stratum, shares in sorted(by_stratum.items())
    }


def _num_boots(run: DepthBlocks) -> int:
    return len({block.boot for arms in run.pooled.values() for series in arms.values() for block in series.values()})


def _count(number: int) -> Value:
    return Value(number=number, unit="count")
