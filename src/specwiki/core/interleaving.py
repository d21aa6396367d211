"""Whether arms that are compared ran in turns: where one ran after the other, nothing is said to be faster.

A machine's speed drifts over minutes. Two arms of which one ran before the other, in every replicate, differ by that
drift too, and no interval over replicates shows it.
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
        strip: Blocks in the order in which they ran; warm-ups and void ones do not count.
    """
    ran: dict[tuple[int, str], list[int]] = {}
    for place, block in enumerate(strip):
        if block.status in {"ok", "split"}:
            ran.setdefault((block.concurrency, block.arm), []).append(place)
    found = set()
    for (load, arm), places in ran.items():
        control = ran.get((load, OFF))
        if arm != OFF and control and (places[-1] < control[0] or places[0] > control[-1]):
            found.add((load, arm))
    return found


def comparable_values(result: Result) -> dict[str, Value]:
    """A result's values as claims may use them: comparisons of arms that did not run in turns are missing."""
    without = {f"c{load}.{arm}" for load, arm in apart(result.strip)}
    if not without:
        return dict(result.values)
    return {
        key: Value(number=None, unit=value.unit, kind=value.kind, missing=REASON) if _compares(key, without) else value
        for key, value in result.values.items()
    }


def comparable_outcome(result: Result, key: str) -> Outcome | None:
    """A decision as a page may state it: undecided under a load at which an arm did not run in turns with `off`.

    Args:
        result: That decided.
        key: As in `Result.outcomes`, with its load: `best.c4`. A decision over all loads is as good as any of them.

    Returns:
        None: the result has no such decision.
    """
    decided = result.outcomes.get(key)
    loads = {f"c{load}" for load, _ in apart(result.strip)}
    named = {part for part in key.split(".") if part[:1] == "c" and part[1:].isdigit()}
    if decided is None or not loads or (named and not named & loads):
        return decided
    return Outcome(verdict="undecided" if named else "not-offered")


def _compares(key: str, without: set[str]) -> bool:
    metric, _, rest = key.partition(".")
    return metric in _COMPARED and ".".join(rest.split(".")[:2]) in without
