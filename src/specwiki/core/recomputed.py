"""Figures computed again from quoted ones: what a source's own numbers come to.

Keys end with `.computed`. What rests on figures that are not quoted is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from specwiki.core.cycle import coefficient_interval, cycle_ms, fit_line, line_errors
from specwiki.core.quoted import QuotedSource, by_key
from specwiki.core.result import Unit, Value

LINE_DEPTHS = range(1, 8)
"""Depths of the line through cycle time in source 001: its ± are the standard errors of these seven (facts.spread)."""
SHORT_LINES = ((1, 2), (1, 3))
"""First and last depth of the two shorter lines of that source."""


def quoted_values(sources: Iterable[QuotedSource]) -> dict[str, Value]:
    """Quoted figures, and what is computed from them, by key."""
    quoted = {key: value.as_value() for key, (_, value) in by_key(sources).items()}
    return quoted | recomputed(quoted)


def recomputed(quoted: Mapping[str, Value]) -> dict[str, Value]:
    """What quoted figures come to when they are computed again; kind `computed`.

    Of source 001: cycle time at each depth whose throughput it has; what the drafter takes by lines through the lowest
    depths, which is how far their intercept lies above the cycle without drafts; the interval of the whole line's slope
    and intercept, from the scatter about it, with Student's t; the share of drafts that each position keeps.

    Args:
        quoted: Figures by key.
    """
    numbers = {key: value.number for key, value in quoted.items() if value.number is not None}
    return _cycles(numbers) | _line(numbers) | _kept(numbers)


def _cycles(numbers: Mapping[str, float]) -> dict[str, Value]:
    cycles = {
        depth: cycle_ms(numbers[f"001.tokens-k{depth}"], numbers[f"001.rate-k{depth}"])
        for depth in (0, *LINE_DEPTHS)
        if f"001.tokens-k{depth}" in numbers and f"001.rate-k{depth}" in numbers
    }
    found = {f"001.cycle-k{depth}.computed": _value(cycle, "ms") for depth, cycle in cycles.items()}
    for first, last in SHORT_LINES:
        depths = range(first, last + 1)
        if {0, *depths} <= set(cycles):
            line = fit_line(list(depths), [cycles[depth] for depth in depths])
            found[f"001.t-draft-k{first}-{last}.computed"] = _value(line.intercept - cycles[0], "ms")
    return found


def _line(numbers: Mapping[str, float]) -> dict[str, Value]:
    if not {"001.scatter", "001.slope", "001.t-draft"} <= set(numbers):
        return {}
    depths = list(LINE_DEPTHS)
    errors = dict(zip(("t-draft", "slope"), line_errors(depths, numbers["001.scatter"]), strict=True))
    found = {}
    for name, se in errors.items():
        interval = coefficient_interval(numbers[f"001.{name}"], se, len(depths) - 2)
        found[f"001.{name}.computed"] = Value(
            number=interval.point, unit="ms", kind="computed", low=interval.low, high=interval.high, n=interval.n
        )
    return found


def _kept(numbers: Mapping[str, float]) -> dict[str, Value]:
    """Of the drafts that were accepted at a position, the share that was accepted at the next one too."""
    positions = [f"001.position-k3-p{position}" for position in range(3)]
    return {
        f"001.kept-p{i}.computed": _value(numbers[now] / numbers[before], "fraction")
        for i, (before, now) in enumerate(pairwise(positions), start=1)
        if before in numbers and now in numbers
    }


def _value(number: float, unit: Unit) -> Value:
    return Value(number=number, unit=unit, kind="computed")
