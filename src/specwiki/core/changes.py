"""What changed between two results of one profile, machine and experiment: values, decisions, verdicts of claims."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from specwiki.core import keys
from specwiki.core.claims import Claim
from specwiki.core.current import key_of
from specwiki.core.interleaving import comparable
from specwiki.core.plan import OFF
from specwiki.core.result import Outcome, Result, Value
from specwiki.core.wordings import verdicts_under

_NAMED = re.compile(r"""\b(?:value|interval|estimate|v|highest|lowest)\(\s*(["'])([^"']+)\1\s*\)""")
_DECIDING = {"ratio", "output_tok_s"}
"""Metrics that decisions rest on."""


@dataclass(frozen=True)
class Change:
    """One value before and after.

    Attributes:
        key: Of the value.
        old: None: the earlier result has none of that key, or there is no earlier result.
        new: None: the later result has none.
    """

    key: str
    old: Value | None
    new: Value | None

    @property
    def overlap(self) -> bool | None:
        """Whether the two 95 % intervals have a point in common; False: the change is told apart from noise.

        None: one of them is not there, so nothing tells. Two intervals that overlap a little may still differ: this
        is stricter than a test of the difference, which would need the replicates of both.
        """
        if self.old is None or self.new is None:
            return None
        bounds = (self.old.low, self.old.high, self.new.low, self.new.high)
        if any(bound is None for bound in bounds):
            return None
        old_low, old_high, new_low, new_high = (bound for bound in bounds if bound is not None)
        return old_low <= new_high and new_low <= old_high


@dataclass(frozen=True)
class OutcomeChange:
    """One decision before and after.

    Attributes:
        key: As in `Result.outcomes`.
        old: None: it was not decided.
        new: None: it is no longer decided.
    """

    key: str
    old: Outcome | None
    new: Outcome | None

    @property
    def decides(self) -> bool:
        """Whether something else is chosen; else only its ties, or the replicates still needed, are others."""
        return _choice(self.old) != _choice(self.new)


@dataclass(frozen=True)
class VerdictChange:
    """A claim whose verdict flipped: `holds`, `fails` or `open`; None: there was nothing to evaluate it on."""

    name: str
    old: str | None
    new: str | None


def value_changes(old: Result | None, new: Result) -> tuple[Change, ...]:
    """Values that are not the same in both, by key, as pages state them: what did not run in turns has no ratio.

    Args:
        old: The result that `new` follows; None: there was none, and every value is new.
        new: Of the same profile, machine and experiment.

    Raises:
        ValueError: If the two are of different ones: there such a change means nothing.
    """
    if old is not None and key_of(old) != key_of(new):
        msg = f"results of {key_of(old)} and {key_of(new)}, expected the same profile, machine and experiment"
        raise ValueError(msg)
    before, after = (comparable(one).values if one else {} for one in (old, new))
    pairs = (Change(key, before.get(key), after.get(key)) for key in sorted({*before, *after}))
    return tuple(one for one in pairs if one.old != one.new)


def outcome_changes(old: Result | None, new: Result | None) -> tuple[OutcomeChange, ...]:
    """Decisions that are not the same in both, by key; None: there is no such result."""
    before, after = (comparable(one).outcomes if one else {} for one in (old, new))
    pairs = (OutcomeChange(key, before.get(key), after.get(key)) for key in sorted({*before, *after}))
    return tuple(one for one in pairs if one.old != one.new)


def verdict_changes(
    claims: Mapping[str, Claim], old: Result | None, new: Result | None, quoted: Mapping[str, Value]
) -> tuple[VerdictChange, ...]:
    """Claims that flipped, in their order; only data flip them, as the same claims are evaluated on both.

    Args:
        claims: By name, as they are written now: those that pages of this experiment print.
        old: The earlier result; None: there was none.
        new: The later one; None: there is none any more.
        quoted: Quoted figures by key.

    Raises:
        ClaimError: If a claim cannot be evaluated.
    """
    before, after = (verdicts_under(claims, one, quoted) for one in (old, new))
    found = (VerdictChange(name, before(name), after(name)) for name in claims)
    return tuple(one for one in found if one.old != one.new)


def named_values(texts: Iterable[str], present: Iterable[str]) -> set[str]:
    """Keys that pages, wordings and expressions name, of those that are there.

    Args:
        texts: Sources of pages, wordings, and expressions of claims.
        present: Keys of values.
    """
    everything = sorted(present)
    patterns = {found[2] for text in texts for found in _NAMED.finditer(text)}
    return {key for pattern in patterns for key in keys.matching(pattern, everything)}


def deciding_values(result: Result) -> set[str]:
    """Keys of the values that the decisions of a result rest on: of what was chosen, and of `off`."""
    chosen = {f"d{one.depth}" for one in result.outcomes.values() if one.depth is not None}
    arms = chosen | {one.arm for one in result.outcomes.values() if one.arm is not None} | {OFF}
    parts = ((key, key.split(".")) for key in result.values)
    return {key for key, (metric, *rest) in parts if metric in _DECIDING and rest[1:2] and rest[1] in arms}


def _choice(outcome: Outcome | None) -> object:
    return None if outcome is None else (outcome.verdict, outcome.depth, outcome.arm)
