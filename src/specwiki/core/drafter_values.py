"""The comparison of drafters as named values and decisions; each drafter is an arm, in boots of its own.

Keys are those of `depth_values`, with a drafter's slug as the arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from specwiki.core import depth_values
from specwiki.core.blocks import POOLED, BlockRecord
from specwiki.core.depth import Choice, DepthChoice, adopt, choose_depth, replicates_needed
from specwiki.core.depth_acceptance import strata_of
from specwiki.core.depth_findings import cell_of, shared_by_all
from specwiki.core.depth_values import LOST, DepthBlocks, shared
from specwiki.core.model import Drafter
from specwiki.core.plan import OFF, TWIN
from specwiki.core.plan_file import BaseRule
from specwiki.core.rates import stream_tok_s
from specwiki.core.result import Cell, Outcome, Table, Value
from specwiki.core.stats import log_ratios

COLUMNS = ("output_tok_s", "ratio", "tokens_per_step", "acceptance_rate", "coverage", "cycle_ratio")
"""Metrics of the table of drafters, one row an arm."""
CHARTED = ("ratio", "acceptance_rate")
"""Metrics that are shown by kind of prompt."""

Speed = Callable[[BlockRecord], float]


def values(run: DepthBlocks, drafters: Sequence[Drafter]) -> dict[str, Value]:
    """Every value of the run, by key; of a drafter that was not measured, why it has none.

    Args:
        run: Blocks as `depth_values.arrange` orders them.
        drafters: Those that the plan asks for.
    """
    found = depth_values.values(run)
    for load, arms in run.pooled.items():
        for one in drafters:
            if one.slug not in arms and one.slug not in run.lost:
                reason = "not-measured" if one.needs is None else "not-built"
                found |= {f"{key}.c{load}.{one.slug}": Value(number=None, unit=unit, missing=reason)
                          for key, unit in LOST}  # fmt: skip
    return found


def outcomes(run: DepthBlocks, drafters: Sequence[Drafter], rule: BaseRule) -> dict[str, Outcome]:
    """The best drafter, pooled and for each kind of prompt, and what the rule says of it against the one in use.

    Args:
        run: Blocks as `depth_values.arrange` orders them.
        drafters: Those that the plan asks for, the one in use first.
        rule: Fixed before the run.
    """
    found: dict[str, Outcome] = {}
    for load, arms in run.pooled.items():
        measured = [one.slug for one in drafters if one.slug in arms]
        if not measured or OFF not in arms:
            continue
        pooled = _choice(run, load, measured, _throughput)
        found[f"winner.c{load}"] = _winner(run, load, measured, pooled, _throughput)
        for stratum in strata_of(arms[OFF]):
            speed = _stratum_speed(stratum)
            choice = _choice(run, load, measured, speed)
            found[f"winner.c{load}.{stratum}"] = _winner(run, load, measured, choice, speed)
        if drafters[0].slug in arms:
            found[f"adopt.c{load}"] = _adoption(run, load, measured, pooled, rule)
    return found


def _throughput(block: BlockRecord) -> float:
    return block.output_tok_s


def _stratum_speed(stratum: str) -> Speed:
    return lambda block: stream_tok_s([one for one in block.requests if one.stratum == stratum])


def _choice(run: DepthBlocks, load: int, measured: Sequence[str], speed: Speed) -> DepthChoice:
    """The choice of depth, over drafters in place of depths: it asks which is best, and whether that beats `off`."""
    arms = run.pooled[load]
    replicates = shared_by_all([arms[arm] for arm in (*measured, OFF)])
    logs = {arm: [math.log(speed(arms[arm][one])) for one in replicates] for arm in (*measured, OFF)}
    return choose_depth({i: logs[arm] for i, arm in enumerate(measured)}, logs[OFF], run.boots(load, measured[0]))


def _winner(run: DepthBlocks, load: int, measured: Sequence[str], choice: DepthChoice, speed: Speed) -> Outcome:
    best = measured[choice.best]
    if choice.choice is Choice.DEPTH:
        ties = tuple(measured[i] for i, one in choice.to_best.items() if i != choice.best and one.high >= 1)
        return Outcome(verdict="arm", arm=best, ties=ties)
    if choice.choice is Choice.OFF:
        return Outcome(verdict="off")
    arms = run.pooled[load]
    both = shared(arms[best], arms[OFF])
    logs = [math.log(speed(arms[best][one]) / speed(arms[OFF][one])) for one in both]
    needed = replicates_needed(float(np.mean(logs)), float(np.std(logs, ddof=1)))
    more = None if needed is None else max(needed - len(logs), 1)
    return Outcome(verdict="undecided", arm=best, replicates_needed=more)


def _adoption(run: DepthBlocks, load: int, measured: Sequence[str], choice: DepthChoice, rule: BaseRule) -> Outcome:
    """The rule applied to what is best here, `off` included, against the drafter in use, the first of them."""
    arms = run.pooled[load]
    candidate = measured[choice.best] if choice.choice is Choice.DEPTH else OFF
    current = measured[0]
    if candidate == current:
        return Outcome(verdict="keep", arm=current)
    both = shared(arms[candidate], arms[current])
    ratios = log_ratios(
        [arms[candidate][one].output_tok_s for one in both], [arms[current][one].output_tok_s for one in both]
    )
    decided = adopt(ratios, rule.variant, 1 + rule.threshold, run.boots(load, current))
    return Outcome(verdict=decided.verdict.value, arm=candidate, replicates_needed=decided.replicates_needed)


def tables(run: DepthBlocks, found: Mapping[str, Value], drafters: Sequence[Drafter]) -> dict[str, Table]:
    """The arms in a table, and two metrics of each by kind of prompt."""
    (load,) = run.pooled
    slugs = [one.slug for one in drafters]
    rows = [
        (Cell(label=f"arm.{arm}"), *(cell_of(found, f"{metric}.c{load}.{arm}") for metric in COLUMNS))
        for arm in (OFF, *slugs)
    ]
    tables = {"drafters": Table(columns=("column.drafter", *(f"column.{one}" for one in COLUMNS)), rows=tuple(rows))}
    groups = ("", *(f".{one}" for one in strata_of(run.pooled[load][OFF])))
    columns = ("column.drafter", *(f"stratum.{group.removeprefix('.') or POOLED}" for group in groups))
    for name, metric in (("drafter-strata", "ratio"), ("drafter-acceptance", "acceptance_rate")):
        by_kind = [
            (Cell(label=f"arm.{arm}"), *(cell_of(found, f"{metric}.c{load}.{arm}{group}") for group in groups))
            for arm in slugs
        ]
        tables[name] = Table(columns=columns, rows=tuple(by_kind))
    return tables


def rows(run: DepthBlocks, found: Mapping[str, Value], metric: str) -> list[dict[str, Any]]:
    """Rows of the chart of a metric: `stratum` (`pooled` first), `drafter`, `number`, `low`, `high`.

    Without what is missing.
    """
    (load,) = run.pooled
    drafters = [arm for arm in run.pooled[load] if arm.removesuffix(TWIN) != OFF]
    return [
        {"stratum": stratum, "drafter": drafter, "number": value.number, "low": value.low, "high": value.high}
        for stratum in (POOLED, *strata_of(run.pooled[load][OFF]))
        for drafter in drafters
        for value in (found.get(f"{metric}.c{load}.{drafter}" + ("" if stratum == POOLED else f".{stratum}")),)
        if value is not None and value.number is not None
    ]
