"""Acceptance of the depth experiment's arms as named values: ratios of sums, with intervals over prompts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from specwiki.core.acceptance import decode_steps, position_trials
from specwiki.core.blocks import BlockRecord, RequestRecord
from specwiki.core.counters import Absence, RequestSteps
from specwiki.core.geometric import acceptance_from_rate
from specwiki.core.judge import steps_of
from specwiki.core.result import Unit, Value
from specwiki.core.stats import Interval, bootstrap_ratio

BOOTSTRAP_SEED = 20261129
"""Of the resampling of prompts: the same blocks give the same interval."""

Series = dict[int, BlockRecord]
"""Replicate → block, of one arm at one load."""


def acceptance(name: str, series: Series) -> dict[str, Value]:
    """Acceptance of one arm at one load, over all replicates; intervals over prompts."""
    requests = [request for block in series.values() for request in block.requests]
    depth = next(iter(series.values())).depth
    absence = next((block.absence for block in series.values() if block.counters is None), None)
    if depth is None or absence is not None:
        reason = absence or Absence.SPECULATION_OFF
        return {f"{metric}.{name}": Value(number=None, unit=unit, missing=reason) for metric, unit in NOTHING_DRAFTED}
    found = acceptance_of(name, requests, depth)
    for stratum in strata_of(series):
        found |= acceptance_of(name, [one for one in requests if one.stratum == stratum], depth, f".{stratum}")
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


def acceptance_of(name: str, requests: Sequence[RequestRecord], depth: int, suffix: str = "") -> dict[str, Value]:
    """Ratios of sums over requests, with a bootstrap over prompts."""
    steps = _by_prompt(requests)
    drafts = [sum(len(one.drafted) for one in many) for many in steps]
    drafted = [sum(sum(one.drafted) for one in many) for many in steps]
    accepted = [sum(sum(one.accepted) for one in many) for many in steps]
    decode = [decode_steps(many) for many in steps]
    all_steps = [one.drafted + one.undrafted for one in decode]
    beyond_first = [one.committed_tokens - steps for one, steps in zip(decode, all_steps, strict=True)]
    repeats = len(requests) / len(steps)
    return {
        f"acceptance_rate.{name}{suffix}": _ratio(accepted, drafted, repeats, "fraction"),
        f"acceptance_length.{name}{suffix}": _ratio(accepted, drafts, repeats, "tokens", most=depth, plus=1.0),
        f"tokens_per_step.{name}{suffix}": _ratio(beyond_first, all_steps, repeats, "tokens", most=depth, plus=1.0),
        f"coverage.{name}{suffix}": _ratio(drafts, all_steps, repeats, "fraction"),
    }


def _positions(name: str, requests: Sequence[RequestRecord], depth: int) -> dict[str, Value]:
    """Acceptance at each position: of all drafts, and from the second on of those drafts that were right before it."""
    steps = _by_prompt(requests)
    drafts = [sum(len(one.drafted) for one in many) for many in steps]
    repeats = len(requests) / len(steps)
    trials = [position_trials(many, depth) for many in steps]
    accepted, tested = ([[one[side][p] for one in trials] for p in range(depth)] for side in (0, 1))
    of_all = {
        f"position_acceptance.{name}.p{p}": _ratio(accepted[p], drafts, repeats, "fraction") for p in range(depth)
    }
    never = Value(number=None, unit="fraction", missing=Absence.NOTHING_ACCEPTED)
    return of_all | {
        f"conditional_acceptance.{name}.p{p}": never
        if sum(drafts) and not sum(tested[p])
        else _ratio(accepted[p], tested[p], repeats, "fraction")
        for p in range(1, depth)
    }


def _by_prompt(requests: Sequence[RequestRecord]) -> list[list[RequestSteps]]:
    """The steps of each prompt's answers, one a replicate."""
    prompts = list(dict.fromkeys(request.prompt_id for request in requests))
    return [[steps_of(one) for one in requests if one.prompt_id == prompt] for prompt in prompts]


def _ratio(
    parts: Sequence[float], wholes: Sequence[float], repeats: float, unit: Unit, most: float = 1.0, plus: float = 0.0
) -> Value:
    """Ratio of sums over prompts, `plus` what each whole has besides, at most `most` + `plus`."""
    if not sum(wholes):
        return Value(number=None, unit=unit, missing=Absence.DRAFTER_DID_NOT_RUN)
    if np.count_nonzero(wholes) < 2:  # noqa: PLR2004 - one prompt has no scatter
        return Value(number=plus + sum(parts) / sum(wholes), unit=unit)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    return value_of(bootstrap_ratio([(parts, wholes)], rng, most=most, plus=plus, repeats=repeats), unit)


def strata_of(series: Series) -> list[str]:
    """Strata of an arm's blocks, in the order of their first prompt."""
    first = series[min(series)]
    return list(dict.fromkeys(request.stratum for request in first.requests))


def value_of(interval: Interval, unit: Unit) -> Value:
    """An interval as a stored value."""
    return Value(number=interval.point, unit=unit, low=interval.low, high=interval.high, n=interval.n)
