"""Whether arms that are compared ran in turns: where one ran after the other, nothing is said to be faster.

A machine's speed drifts over minutes. Two arms of which one ran only after the other differ by that drift too, and no
interval over replicates shows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from specwiki.core.plan import OFF
from specwiki.core.result import Outcome, Result, StripBlock, Value

REASON = "not-interleaved"
"""Why a ratio is not there."""

_COMPARED = ("ratio", "cycle_ratio", "rest")
"""Metrics that are over `off`."""


def apart(strip: Sequence[StripBlock]) -> set[tuple[int, str]]:
    """(Load, arm) whose measured blocks all ran before the first, or after the last, of `off` under that load.

    Args:
        strip: Blocks in the order in which they ran; only those that count are looked at.
    """
    ran: dict[tuple[int, str], list[int]] = {}
    for place, block in enumerate(strip):
        if block.status == "ok":
            ran.setdefault((block.concurrency, block.arm), []).append(place)
    found = set()
    for (load, arm), places in ran.items():
        control = ran.get((load, OFF))
        if arm != OFF and control and (places[-1] < control[0] or places[0] > control[-1]):
            found.add((load, arm))
    return found


def comparable(result: Result) -> Result:
    """A result as pages, claims and files for programs state it: without comparisons of arms that did not run in turns.

    Ratios to `off` of such an arm are missing, decisions under its load are undecided, as are those that name no load,
    and neither a schedule nor a chart of ratios is there. Where all ran in turns, it is the result itself.
    """
    lost = apart(result.strip)
    if not lost:
        return result
    arms = {f"c{load}.{arm}" for load, arm in lost}
    values = {
        key: Value(number=None, unit=value.unit, kind=value.kind, missing=REASON) if _compares(key, arms) else value
        for key, value in result.values.items()
    }
    loads = {f"c{load}" for load, _ in lost}
    outcomes = {key: _undecided(one) if _rests_on(key, loads) else one for key, one in result.outcomes.items()}
    charts = {key: spec for key, spec in result.charts.items() if "ratio" not in key.split("-")}
    return result.model_copy(update={"values": values, "outcomes": outcomes, "charts": charts, "schedule": None})


def _undecided(outcome: Outcome) -> Outcome:
    return Outcome(verdict="not-offered" if outcome.verdict in {"offered", "not-offered"} else "undecided")


def _rests_on(key: str, loads: set[str]) -> bool:
    """Whether a decision is over one of the loads: the one that its key names, as in `best.c4`, or all of them."""
    named = {part for part in key.split(".") if part[:1] == "c" and part[1:].isdigit()}
    return not named or bool(named & loads)


def _compares(key: str, arms: set[str]) -> bool:
    metric, _, rest = key.partition(".")
    return metric in _COMPARED and ".".join(rest.split(".")[:2]) in arms
