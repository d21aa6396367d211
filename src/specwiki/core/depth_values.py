"""The depth experiment's blocks as named values. What is decided from them stands in `depth_findings`.

Keys: `metric.c<streams>.<arm>[.<stratum>]`; arms are `off`, `d<depth>` and the twin `d<depth>-twin`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from specwiki.core.acceptance import decode_steps
from specwiki.core.blocks import POOLED, BlockRecord, RequestRecord
from specwiki.core.counters import Absence
from specwiki.core.geometric import acceptance_from_rate
from specwiki.core.judge import steps_of
from specwiki.core.plan import OFF
from specwiki.core.rates import cycle_ms, stream_tok_s, tpot_ms
from specwiki.core.result import Unit, Value
from specwiki.core.stats import (
    Boots,
    BootSd,
    Interval,
    boot_sd,
    bootstrap_ratio,
    floor_from_twins,
    log_ratios,
    mean_interval,
    ratio_interval,
)

BOOTSTRAP_SEED = 20261129
"""Of the resampling of prompts: the same blocks give the same interval."""

Series = dict[int, BlockRecord]
"""Replicate → block, of one arm at one load."""


@dataclass(frozen=True)
class DepthBlocks:
    """The blocks of a run that count, ordered for comparison.

    Attributes:
        pooled: Load → arm → replicate → block, on the pooled strata.
        others: Load → arm → blocks on strata outside the pooled value.
        boot_sd: Boot-to-boot sd of this machine, from this run and the earlier ones.
        twins: Load → for each run, this one first, its log ratios of the twin over its arm.
    """

    pooled: Mapping[int, Mapping[str, Series]]
    others: Mapping[int, Mapping[str, list[BlockRecord]]]
    boot_sd: BootSd
    twins: Mapping[int, list[list[float]]] = field(default_factory=dict)

    def boots(self, load: int, arm: str) -> Boots:
        """Which boots an arm and `off` were measured in, replicate by replicate."""
        arms = self.pooled[load]
        replicates = shared(arms[arm], arms[OFF])
        return Boots(
            self.boot_sd,
            tuple(arms[arm][one].boot for one in replicates),
            tuple(arms[OFF][one].boot for one in replicates),
        )


def arrange(blocks: Sequence[BlockRecord], history: Sequence[Sequence[BlockRecord]] = ()) -> DepthBlocks:
    """Take the blocks that count: ended well, not a warm-up, not of a replicate that was cut.

    Args:
        blocks: Of the run.
        history: Of this machine's earlier runs; they tell how much boots differ, and how much twins do.
    """
    pooled: dict[int, dict[str, Series]] = {}
    others: dict[int, dict[str, list[BlockRecord]]] = {}
    for block in _counting(blocks):
        if block.group == POOLED:
            pooled.setdefault(block.concurrency, {}).setdefault(block.arm, {})[block.replicate] = block
        else:
            others.setdefault(block.concurrency, {}).setdefault(block.arm, []).append(block)
    runs = [list(_counting(run)) for run in (blocks, *history)]
    twins = {load: [_twin_ratios(run, load) for run in runs] for load in pooled}
    return DepthBlocks(pooled, others, boot_sd([_boots_of_off(run) for run in runs]), twins)


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


def _twin_ratios(blocks: Sequence[BlockRecord], load: int) -> list[float]:
    mine = [block for block in blocks if block.concurrency == load and block.group == POOLED]
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
            found |= _acceptance(name, series)
            if arm != OFF:
                found |= _over_off(run, load, arm)
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
        f"{metric}.{name}": _value(mean_interval([of(block) for block in blocks]), unit)
        for metric, (of, unit) in measured.items()
    }


def _over_off(run: DepthBlocks, load: int, arm: str) -> dict[str, Value]:
    """Ratios to `off`, replicate by replicate, with the boot-to-boot component."""
    arms = run.pooled[load]
    replicates = shared(arms[arm], arms[OFF])
    boots = run.boots(load, arm)

    def ratio(of: Callable[[BlockRecord], float]) -> Value:
        ratios = log_ratios([of(arms[arm][one]) for one in replicates], [of(arms[OFF][one]) for one in replicates])
        return _value(ratio_interval(ratios, boots), "ratio")

    found = {f"ratio.c{load}.{arm}": ratio(lambda block: block.output_tok_s)}
    if load == 1:
        # With several streams a step of one waits for the prompts of the others: its time is not that of a cycle.
        found[f"cycle_ratio.c{load}.{arm}"] = ratio(lambda block: cycle_ms(block.requests))
    for stratum in strata_of(arms[arm]):
        found[f"ratio.c{load}.{arm}.{stratum}"] = ratio(
            lambda block, wanted=stratum: stream_tok_s([one for one in block.requests if one.stratum == wanted])  # type: ignore[misc]
        )
    return found


def _control_of_itself(run: DepthBlocks, load: int) -> dict[str, Value]:
    ratios = run.twins[load][0]
    return {
        f"aa.c{load}": _value(ratio_interval(ratios), "ratio"),
        f"floor.c{load}": Value(number=floor_from_twins(run.twins[load]), unit="fraction", n=len(ratios)),
    }


def _acceptance(name: str, series: Series) -> dict[str, Value]:
    """Acceptance of one arm at one load, over all replicates; intervals over prompts."""
    requests = [request for block in series.values() for request in block.requests]
    depth = next(iter(series.values())).depth
    absence = next((block.absence for block in series.values() if block.counters is None), None)
    if depth is None or absence is not None:
        reason = absence or Absence.SPECULATION_OFF
        return {f"{metric}.{name}": Value(number=None, unit=unit, missing=reason) for metric, unit in NOTHING_DRAFTED}
    found = _acceptance_of(name, requests, depth)
    for stratum in strata_of(series):
        found |= _acceptance_of(name, [one for one in requests if one.stratum == stratum], depth, f".{stratum}")
    found |= _positions(name, requests, depth)
    rate = found[f"acceptance_rate.{name}"].number
    if rate is not None:
        found[f"geometric_a.{name}"] = Value(number=acceptance_from_rate(rate, depth), unit="fraction")
    return found


NOTHING_DRAFTED: tuple[tuple[str, Unit], ...] = (
    ("acceptance_rate", "fraction"),
    ("acceptance_length", "tokens"),
    ("tokens_per_step", "tokens"),
    ("coverage", "fraction"),
)
"""Metrics, with units, that an arm without drafts has no number for."""


def _acceptance_of(name: str, requests: Sequence[RequestRecord], depth: int, suffix: str = "") -> dict[str, Value]:
    """Ratios of sums over requests, with a bootstrap over prompts."""
    steps = {prompt: [steps_of(one) for one in requests if one.prompt_id == prompt] for prompt in _prompts(requests)}
    drafts = [sum(len(one.drafted) for one in many) for many in steps.values()]
    drafted = [sum(sum(one.drafted) for one in many) for many in steps.values()]
    accepted = [sum(sum(one.accepted) for one in many) for many in steps.values()]
    decode = [decode_steps(many) for many in steps.values()]
    all_steps = [one.drafted + one.undrafted for one in decode]
    beyond_first = [one.committed_tokens - steps for one, steps in zip(decode, all_steps, strict=True)]
    return {
        f"acceptance_rate.{name}{suffix}": _ratio(accepted, drafted, "fraction"),
        f"acceptance_length.{name}{suffix}": _ratio(accepted, drafts, "tokens", most=depth, plus=1.0),
        f"tokens_per_step.{name}{suffix}": _ratio(beyond_first, all_steps, "tokens", most=depth, plus=1.0),
        f"coverage.{name}{suffix}": _ratio(drafts, all_steps, "fraction"),
    }


def _positions(name: str, requests: Sequence[RequestRecord], depth: int) -> dict[str, Value]:
    prompts = _prompts(requests)
    by_prompt = [[steps_of(one) for one in requests if one.prompt_id == prompt] for prompt in prompts]
    drafts = [sum(len(one.drafted) for one in many) for many in by_prompt]
    return {
        f"position_acceptance.{name}.p{position}": _ratio(
            [sum(j > position for one in many for j in one.accepted) for many in by_prompt], drafts, "fraction"
        )
        for position in range(depth)
    }


def _ratio(parts: Sequence[float], wholes: Sequence[float], unit: Unit, most: float = 1.0, plus: float = 0.0) -> Value:
    """Ratio of sums over prompts, `plus` what each whole has besides, at most `most` + `plus`."""
    if not sum(wholes):
        return Value(number=None, unit=unit, missing=Absence.DRAFTER_DID_NOT_RUN)
    if np.count_nonzero(wholes) < 2:  # noqa: PLR2004 - one prompt has no scatter
        return Value(number=plus + sum(parts) / sum(wholes), unit=unit)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    return _value(bootstrap_ratio([(parts, wholes)], rng, most=most, plus=plus), unit)


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
                found[f"ratio.c{load}.{arm}.{stratum}"] = _value(ratio_interval(ratios, boots), "ratio")
                depth = next(iter(mine.values())).depth
                if depth and all(block.counters for block in mine.values()):
                    requests = [request for block in mine.values() for request in block.requests]
                    found |= _acceptance_of(f"c{load}.{arm}", requests, depth, f".{stratum}")
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


def strata_of(series: Series) -> list[str]:
    """Strata of an arm's blocks, in the order of their first prompt."""
    first = series[min(series)]
    return list(dict.fromkeys(request.stratum for request in first.requests))


def _prompts(requests: Sequence[RequestRecord]) -> list[str]:
    return list(dict.fromkeys(request.prompt_id for request in requests))


def _num_boots(run: DepthBlocks) -> int:
    return len({block.boot for arms in run.pooled.values() for series in arms.values() for block in series.values()})


def _count(number: int) -> Value:
    return Value(number=number, unit="count")


def _value(interval: Interval, unit: Unit) -> Value:
    return Value(number=interval.point, unit=unit, low=interval.low, high=interval.high, n=interval.n)
