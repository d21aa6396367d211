"""One run's two sets of prompts, written and synthetic, side by side; at the lowest load, where both were measured.

Keys are those of `depth_values`; a value of the synthetic set ends with `.synthetic`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specwiki.core import depth_findings, depth_values
from specwiki.core.blocks import SYNTHETIC, BlockRecord
from specwiki.core.depth import Choice, DepthChoice
from specwiki.core.depth_values import DepthBlocks, shared
from specwiki.core.plan import OFF
from specwiki.core.plan_file import Rule
from specwiki.core.result import Cell, Outcome, Table, Value
from specwiki.core.stats import log_ratios, ratio_interval
from specwiki.errors import MeasurementError

METRICS = ("ratio", "acceptance_rate", "acceptance_length", "tokens_per_step", "coverage")
COLUMNS = ("ratio", "acceptance_rate", "tokens_per_step")
"""Metrics of the table: each once for either set."""
_DEPTH = re.compile(r"ratio\.c\d+\.d([1-9]\d*)")


@dataclass(frozen=True)
class Sets:
    """The same arms on both sets of prompts."""

    written: DepthBlocks
    synthetic: DepthBlocks

    @property
    def load(self) -> int:
        """Streams at which both were measured."""
        return min(self.synthetic.pooled)


def arrange(blocks: Sequence[BlockRecord], history: Sequence[Sequence[BlockRecord]] = ()) -> Sets:
    """Split the blocks that count by set.

    Args:
        blocks: Of a run of the depth experiment.
        history: Of this machine's earlier runs.

    Raises:
        MeasurementError: If no synthetic set was measured in that run.
    """
    synthetic = depth_values.arrange(blocks, history, SYNTHETIC)
    if not synthetic.pooled:
        raise MeasurementError(
            "run", "it measured no synthetic set", "Run 'specwiki run depth', whose plan names one, first"
        )
    return Sets(depth_values.arrange(blocks, history), synthetic)


def values(sets: Sets) -> dict[str, Value]:
    """Values of both sets at their common load, and what choosing by the synthetic one costs on the written one."""
    wanted = re.compile(rf"({'|'.join(METRICS)})\.c{sets.load}\.(off|d\d+(-twin)?)")
    written, synthetic = depth_values.values(sets.written), depth_values.values(sets.synthetic)
    found = {key: value for key, value in written.items() if wanted.fullmatch(key)}
    found |= {f"{key}.synthetic": value for key, value in synthetic.items() if wanted.fullmatch(key)}
    found |= {key: value for one in (written, synthetic) for key, value in one.items() if "repeated_4grams" in key}
    return found | {f"regret.c{sets.load}": _regret(sets), "boots": written["boots"]}


def _regret(sets: Sets) -> Value:
    """Throughput on the written set at the depth that the synthetic one chose, over the choice of the written one.

    Without a depth chosen on the written set, over `off`.
    """
    by_synthetic, by_written = (_choice(one, sets.load) for one in (sets.synthetic, sets.written))
    if by_synthetic is None or by_synthetic.choice is not Choice.DEPTH:
        return Value(number=None, unit="ratio", missing="nothing-chosen")
    chosen = f"d{by_synthetic.depth}"
    better = OFF if by_written is None or by_written.choice is not Choice.DEPTH else f"d{by_written.depth}"
    if chosen == better:
        return Value(number=None, unit="ratio", missing="same-depth")
    arms = sets.written.pooled[sets.load]
    if chosen not in arms:
        return Value(number=None, unit="ratio", missing="crashed")
    both = shared(arms[chosen], arms[better])
    ratios = log_ratios(
        [arms[chosen][one].output_tok_s for one in both], [arms[better][one].output_tok_s for one in both]
    )
    boots = sets.written.boots(sets.load, chosen) if better == OFF else None
    interval = ratio_interval(ratios, boots)
    return Value(number=interval.point, unit="ratio", low=interval.low, high=interval.high, n=interval.n)


def _choice(blocks: DepthBlocks, load: int) -> DepthChoice | None:
    return depth_findings.choices(blocks).get(load)


def outcomes(sets: Sets, rule: Rule) -> dict[str, Outcome]:
    """The best depth by each set, keys `best.written` and `best.synthetic`; the latter decides nothing."""
    found = {}
    for name, blocks in (("written", sets.written), ("synthetic", sets.synthetic)):
        choice = _choice(blocks, sets.load)
        if choice is not None:
            found[f"best.{name}"] = depth_findings.outcomes(blocks, {sets.load: choice}, rule, None)[
                f"best.c{sets.load}"
            ]
    return found


def tables(found: Mapping[str, Value]) -> dict[str, Table]:
    """One row a depth, each metric for both sets."""
    columns = [(metric, suffix) for metric in COLUMNS for suffix in ("", ".synthetic")]
    rows = [
        (Cell(label=f"arm.d{depth}"),
         *(Cell(value=key) if key in found else Cell() for metric, suffix in columns
           for key in (f"{metric}.c{load}.d{depth}{suffix}",)))
        for load, depth in _measured(found)
    ]  # fmt: skip
    labels = [f"column.{metric}.{'synthetic' if suffix else 'written'}" for metric, suffix in columns]
    return {"kinds": Table(columns=("column.arm", *labels), rows=tuple(rows))}


def rows(found: Mapping[str, Value], metric: str) -> list[dict[str, Any]]:
    """Rows of the chart of a metric by depth: `depth`, `kind`, `number`, `low`, `high`; without what is missing."""
    return [
        {"depth": depth, "kind": kind, "number": value.number, "low": value.low, "high": value.high}
        for kind, suffix in (("written", ""), ("synthetic", ".synthetic"))
        for load, depth in _measured(found)
        for value in (found.get(f"{metric}.c{load}.d{depth}{suffix}"),)
        if value is not None and value.number is not None
    ]


def _measured(found: Iterable[str]) -> list[tuple[int, int]]:
    """Load and depth of every depth above 0 that has a ratio on the written set."""
    keys = [match for key in found if (match := _DEPTH.fullmatch(key))]
    return sorted((int(match[0].split(".")[1].removeprefix("c")), int(match[1])) for match in keys)
