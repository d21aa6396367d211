"""What the depth experiment decides, and the tables and chart rows that its page shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from specwiki.core.depth import Choice, DepthChoice, adopt, choose_depth, replicates_needed, schedule
from specwiki.core.depth_acceptance import Series, strata_of
from specwiki.core.depth_values import DepthBlocks, shared
from specwiki.core.plan import OFF
from specwiki.core.plan_file import Rule
from specwiki.core.result import Cell, Outcome, Table, Value
from specwiki.core.stats import log_ratios, ratio_interval

Tiers = list[tuple[int, int, int]]

CURRENT_COLUMNS = ("output_tok_s", "ratio", "tokens_per_step", "acceptance_rate", "coverage", "cycle_ratio", "ttft_ms")
"""Metrics of the table of current values, one row a load and arm."""
PARTS_COLUMNS = ("ratio", "tokens_per_step", "cycle_ratio", "rest")
"""What a ratio over `off` is made of: the first is the second over the third, times the fourth."""
STRATA_COLUMNS = ("ratio", "acceptance_rate", "coverage")


def choices(run: DepthBlocks) -> dict[int, DepthChoice]:
    """The best depth at each load; depth 0 is shown on the page and never chosen: it drafts nothing.

    Loads at which no depth above 0 counts have no choice.
    """
    found = {}
    for load, arms in run.pooled.items():
        candidates = {block.depth: arm for arm, series in arms.items() for block in series.values()
                      if block.depth and not arm.endswith("-twin")}  # fmt: skip
        if not candidates:
            continue
        replicates = shared_by_all([arms[arm] for arm in (*candidates.values(), OFF)])
        throughput = {depth: _logs(arms[arm], replicates) for depth, arm in candidates.items()}
        any_arm = next(iter(candidates.values()))
        found[load] = choose_depth(throughput, _logs(arms[OFF], replicates), run.boots(load, any_arm))
    return found


def shared_by_all(series: Sequence[Series]) -> list[int]:
    """Replicates that every arm has, in order."""
    return sorted(set.intersection(*(set(one) for one in series)))


def _logs(series: Series, replicates: Iterable[int]) -> list[float]:
    return [math.log(series[one].output_tok_s) for one in replicates]


def outcomes(
    run: DepthBlocks, chosen: Mapping[int, DepthChoice], rule: Rule, tiers: Tiers | None
) -> dict[str, Outcome]:
    """Best depth and adoption at each load, and whether a schedule is offered."""
    found = {f"best.c{load}": _best(run, load, one) for load, one in chosen.items()}
    for load, one in chosen.items():
        found[f"adopt.c{load}"] = _adoption(run, load, one, rule)
    return found | {"schedule": Outcome(verdict="offered" if tiers else "not-offered")}


def _best(run: DepthBlocks, load: int, choice: DepthChoice) -> Outcome:
    """The choice; undecided, with the further replicates that would tell the best depth from `off`."""
    if choice.choice is not Choice.UNDECIDED:
        return Outcome(verdict=choice.choice.value, depth=choice.depth)
    arms = run.pooled[load]
    replicates = shared(arms[f"d{choice.best}"], arms[OFF])
    ratios = [math.log(arms[f"d{choice.best}"][one].output_tok_s / arms[OFF][one].output_tok_s) for one in replicates]
    # As if each further replicate had boots of its own: more of them in the same boots would not tell boots apart.
    sd = math.sqrt(float(np.var(ratios, ddof=1)) + 2 * run.boot_sd.sd**2)
    needed = replicates_needed(float(np.mean(ratios)), sd)
    more = None if needed is None else max(needed - len(replicates), 1)
    return Outcome(verdict=choice.choice.value, replicates_needed=more)


def _adoption(run: DepthBlocks, load: int, choice: DepthChoice, rule: Rule) -> Outcome:
    """The rule applied to what is best here, `off` included, against the setting in use.

    The candidate is `off` unless a depth is shown to beat it. Undecided if the engine cannot run the setting in use.
    """
    arms = run.pooled[load]
    current = f"d{rule.current_depth}"
    candidate = OFF if choice.depth is None else f"d{choice.depth}"
    if candidate == current:
        return Outcome(verdict="keep", depth=rule.current_depth)
    if current not in arms:
        return Outcome(verdict="undecided", depth=choice.depth)
    replicates = shared(arms[candidate], arms[current])
    ratios = log_ratios(
        [arms[candidate][one].output_tok_s for one in replicates],
        [arms[current][one].output_tok_s for one in replicates],
    )
    boots = run.boots(load, current) if candidate == OFF else None
    decided = adopt(ratios, rule.variant, 1 + rule.threshold, boots)
    return Outcome(verdict=decided.verdict.value, depth=choice.depth, replicates_needed=decided.replicates_needed)


def tiers(run: DepthBlocks, chosen: Mapping[int, DepthChoice]) -> Tiers | None:
    """A schedule, if every load has a depth shown to beat `off`, and they together beat the best single depth.

    Each tier runs from a measured load to below the next; the last one ends at the last measured load. None: the
    loads agree on a depth, one of them has none, or a load's own depth is not shown to beat every single one.
    """
    depths = {load: one.depth for load, one in chosen.items() if one.choice is Choice.DEPTH and one.depth is not None}
    if set(depths) != set(chosen) or len(set(depths.values())) <= 1:
        return None
    for single in set(depths.values()):
        others = [load for load, depth in depths.items() if depth != single]
        if not any(_beats(run, load, depths[load], single) for load in others):
            return None
    measured = [tier for tier in schedule(depths) if tier.measured]
    return [(tier.first, tier.last or tier.first, depths[tier.first]) for tier in measured]


def _beats(run: DepthBlocks, load: int, depth: int, single: int) -> bool:
    """Whether a depth is shown to beat another at one load; both ran in the same boots."""
    one, other = run.pooled[load][f"d{depth}"], run.pooled[load][f"d{single}"]
    both = shared(one, other)
    return (
        ratio_interval(log_ratios([one[i].output_tok_s for i in both], [other[i].output_tok_s for i in both])).low > 1
    )


def tables(run: DepthBlocks, values: Mapping[str, Value]) -> dict[str, Table]:
    """The tables of the page: current values, what ratios are made of, acceptance by position and by kind of prompt.

    Those that would have no row are left out.
    """
    found = {
        "current": _current(run, values),
        "parts": _parts(run, values),
        "strata": _strata(run, values),
        "acceptance": _acceptance(run, values),
    }
    return {name: table for name, table in found.items() if table.rows}


def _current(run: DepthBlocks, values: Mapping[str, Value]) -> Table:
    rows = [
        (Cell(label=f"arm.{arm}"), Cell(label=f"streams.{load}"), *_cells(values, CURRENT_COLUMNS, f"c{load}.{arm}"))
        for load in sorted(run.pooled)
        for arm in sorted({*run.pooled[load], *run.lost}, key=_arm_order)
    ]
    return Table(
        columns=("column.arm", "column.streams", *(f"column.{one}" for one in CURRENT_COLUMNS)), rows=tuple(rows)
    )


def _parts(run: DepthBlocks, values: Mapping[str, Value]) -> Table:
    depths = _depths(run.pooled[1]) if 1 in run.pooled else []
    rows = [(Cell(label=f"arm.d{depth}"), *_cells(values, PARTS_COLUMNS, f"c1.d{depth}")) for depth in depths if depth]
    return Table(columns=("column.arm", *(f"column.{one}" for one in PARTS_COLUMNS)), rows=tuple(rows))


def _acceptance(run: DepthBlocks, values: Mapping[str, Value]) -> Table:
    load = min(run.pooled)
    deepest = max((block.depth or 0 for series in run.pooled[load].values() for block in series.values()), default=0)
    arms = [f"d{depth}" for depth in range(1, deepest + 1) if f"d{depth}" in run.pooled[load]]
    rows = [
        (
            Cell(label=f"position.{position}"),
            *(cell_of(values, f"position_acceptance.c{load}.{arm}.p{position}") for arm in arms),
        )
        for position in range(deepest)
    ]
    return Table(columns=("column.position", *(f"arm.{arm}" for arm in arms)), rows=tuple(rows))


def _strata(run: DepthBlocks, values: Mapping[str, Value]) -> Table:
    load = min(run.pooled)
    depths = _depths(run.pooled[load])
    arm = "d4" if "d4" in run.pooled[load] or not depths else f"d{depths[-1]}"
    if arm not in run.pooled[load]:
        return Table(columns=("column.stratum",), rows=())
    strata = strata_of(run.pooled[load][arm])
    strata += sorted({block.group for arms in run.others.values() for block in arms.get(arm, [])})
    rows = [
        (
            Cell(label=f"stratum.{stratum}"),
            *(cell_of(values, f"{metric}.c{load}.{arm}.{stratum}") for metric in STRATA_COLUMNS),
            cell_of(values, f"repeated_4grams.{stratum}"),
        )
        for stratum in strata
    ]
    columns = ("column.stratum", *(f"column.{one}" for one in STRATA_COLUMNS), "column.repeated_4grams")
    return Table(columns=columns, rows=tuple(rows))


def _cells(values: Mapping[str, Value], metrics: Sequence[str], name: str) -> list[Cell]:
    return [cell_of(values, f"{metric}.{name}") for metric in metrics]


def cell_of(values: Mapping[str, Value], key: str) -> Cell:
    """The cell of a value; empty where the run has none of that key."""
    return Cell(value=key) if key in values else Cell()


def _arm_order(arm: str) -> tuple[int, str]:
    return (-1, arm) if arm == OFF else (int(arm.removeprefix("d").removesuffix("-twin")), arm)


def ratio_rows(run: DepthBlocks, values: Mapping[str, Value]) -> list[dict[str, Any]]:
    """Rows of the chart of throughput over `off`: `depth`, `concurrency`, `ratio`, `low`, `high`."""
    return [
        {"depth": depth, "concurrency": load, "ratio": one.number, "low": one.low, "high": one.high}
        for load in sorted(run.pooled)
        for depth in _depths(run.pooled[load])
        for one in (values[f"ratio.c{load}.d{depth}"],)
    ]


def position_rows(run: DepthBlocks, values: Mapping[str, Value]) -> list[dict[str, Any]]:
    """Rows of the chart of acceptance by position, at the lowest load: `depth`, `position`, `share`, `low`, `high`."""
    load = min(run.pooled)
    return [
        {"depth": depth, "position": position, "share": one.number, "low": one.low, "high": one.high}
        for depth in _depths(run.pooled[load])
        for position in range(depth)
        for one in (values.get(f"position_acceptance.c{load}.d{depth}.p{position}"),)
        if one is not None and one.number is not None
    ]


def _depths(arms: Mapping[str, Series]) -> list[int]:
    return sorted(int(arm.removeprefix("d")) for arm in arms if arm != OFF and not arm.endswith("-twin"))
