"""What changed in the published results, as Markdown for whoever reviews it: decisions first, noise last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from specwiki.core.changes import Change, OutcomeChange, VerdictChange
from specwiki.core.current import Key
from specwiki.core.keys import is_key
from specwiki.core.result import Outcome, Result, Value
from specwiki.render.escaping import inert
from specwiki.render.labels import has_label, label
from specwiki.render.values import estimate_text
from specwiki.units import date_text

_NONE = "none"


@dataclass(frozen=True)
class Section:
    """What changed for one profile, machine and experiment.

    Attributes:
        key: Profile, machine, experiment.
        old: The result that counted then; None: there was none.
        new: The one that counts now; None: it was withdrawn or removed.
        outcomes: Decisions that changed.
        verdicts: Claims that flipped.
        values: Values that changed.
        first: Keys of values to show first: those that decisions rest on, and that pages name.
    """

    key: Key
    old: Result | None
    new: Result | None
    outcomes: tuple[OutcomeChange, ...]
    verdicts: tuple[VerdictChange, ...]
    values: tuple[Change, ...]
    first: frozenset[str]


@dataclass(frozen=True)
class Touched:
    """A claim or an outcome that says something else since, on a page that prints it.

    Attributes:
        page: Its name.
        name: Of the claim or the outcome.
        english: Lines in `docs/en` where it is printed, from 1.
        vietnamese: Lines in `docs/vi`.
        blocks: Ids of the blocks that print it among words of their own, which may not fit any more.
        outdated: Of these, the ids of those whose translation is out of date.
    """

    page: str
    name: str
    english: tuple[int, ...]
    vietnamese: tuple[int, ...]
    blocks: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything that changed.

    Attributes:
        span: What is compared, in words.
        sections: Of each key whose result changed.
        same: Keys whose result is the same.
        touched: Where pages say something else.
    """

    span: str
    sections: tuple[Section, ...]
    same: tuple[Key, ...]
    touched: tuple[Touched, ...]

    def text(self, most: int | None = None) -> str:
        """As Markdown that GitHub shows.

        Args:
            most: Characters; a longer report leaves out the values of least interest, and says how many. What is left
                may still be longer. None: everything.
        """
        whole = self._text(with_rest=True)
        return whole if most is None or len(whole) <= most else self._text(with_rest=False)

    def _text(self, *, with_rest: bool) -> str:
        parts = [f"# Changes in the published results, {inert(self.span)}"]
        parts += [_section(one, with_rest=with_rest) for one in self.sections]
        if not self.sections:
            parts.append("No published result changed.")
        if self.same:
            parts.append("The same as before: " + "; ".join(_named(key) for key in self.same) + ".")
        if self.sections:
            parts.append(_touched(self.touched))
        return "\n\n".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "span": self.span,
            "results": [_as_dict(one) for one in self.sections],
            "same": [list(key) for key in self.same],
            "touched": [vars(one) for one in self.touched],
        }


def outcome_text(outcome: Outcome | None) -> str:
    """A decision in a few English words: `depth 3`, `undecided, 6 more replicates would tell`; without markup."""
    if outcome is None:
        return _NONE
    verdict = outcome.verdict.removeprefix("outcome.")
    chosen = outcome.arm or (None if outcome.depth is None else f"depth {outcome.depth}")
    if chosen is not None and verdict in {"depth", "arm"}:
        text = chosen
    else:
        said = label(f"outcome.{verdict}", "en") if has_label(f"outcome.{verdict}") else verdict
        text = said if chosen is None else f"{said}, best here {chosen}"
    if outcome.ties:
        text += f", not shown to be ahead of {', '.join(outcome.ties)}"
    if outcome.replicates_needed is not None:
        text += f", {outcome.replicates_needed} more replicates would tell"
    return text


def _named(key: Key) -> str:
    profile, machine, experiment = key
    return f"{experiment}, profile {profile}, on {machine}"


def _section(section: Section, *, with_rest: bool) -> str:
    parts = [f"## {_named(section.key)}", f"Before: {_run_text(section.old)}.\nNow: {_run_text(section.new)}."]
    if section.outcomes:
        rows = [(_code(one.key), *_marked(one.decides, outcome_text(one.old), outcome_text(one.new)))
                for one in section.outcomes]  # fmt: skip
        parts += ["### Decisions", _table(("Decision", "Before", "Now"), rows)]
    if section.verdicts:
        rows = [(f"`claims.{one.name}`", _verdict(one.old), f"**{_verdict(one.new)}**") for one in section.verdicts]
        parts += ["### Claims that flipped", _table(("Claim", "Before", "Now"), rows)]
    return "\n\n".join([*parts, *_values(section, with_rest=with_rest)])


def _run_text(result: Result | None) -> str:
    if result is None:
        return "no result"
    again = f", derived {result.derivation} times" if result.derivation > 1 else ""
    return f"{date_text(result.as_of, 'en')}, run {inert(result.run_id)}{again}, effort {result.effort}"


def _values(section: Section, *, with_rest: bool) -> list[str]:
    if not section.values:
        return []
    first = [one for one in section.values if one.key in section.first]
    rest = [one for one in section.values if one.key not in section.first]
    # What is told apart from noise before what is not; within each, by key.
    rest.sort(key=lambda one: one.overlap is not False)
    parts = ["### Values", f"Of those that decide or that pages name: {_counted(first)}."]
    parts += [_value_table(first)] if first else []
    if not rest:
        return parts
    counted = f"All others: {_counted(rest)}"
    if not with_rest:
        return [*parts, f"{counted}. They are left out here, for length."]
    return [*parts, f"<details>\n<summary>{counted}</summary>\n\n{_value_table(rest)}\n\n</details>"]


def _counted(changes: Sequence[Change]) -> str:
    apart = sum(one.overlap is False for one in changes)
    fresh = sum(one.old is None for one in changes)
    gone = sum(one.new is None for one in changes)
    return (f"{len(changes)} changed, of which {apart} with intervals that do not overlap, "
            f"{fresh} new, {gone} gone")  # fmt: skip


def _value_table(changes: Iterable[Change]) -> str:
    rows = [(_code(one.key), _shown(one.old), _shown(one.new), _told(one)) for one in changes]
    return _table(("Value", "Before", "Now", "Intervals"), rows)


def _shown(value: Value | None) -> str:
    return _NONE if value is None else estimate_text(value, "en")


def _told(change: Change) -> str:
    return {True: "overlap", False: "**apart**", None: ""}[change.overlap]


def _verdict(state: str | None) -> str:
    return "nothing measured" if state is None else label(f"claim.{state}", "en")


def _marked(differs: bool, old: str, new: str) -> tuple[str, str]:
    return inert(old), f"**{inert(new)}**" if differs else inert(new)


def _touched(touched: Sequence[Touched]) -> str:
    heading = "## Where pages say something else"
    if not touched:
        return f"{heading}\n\nNowhere: no page prints a claim that flipped, or a decision that changed."
    rows = [
        (_code(one.name), one.page, _lines("en", one.page, one.english), _lines("vi", one.page, one.vietnamese),
         ", ".join(f"`{id_}`{' (translation out of date)' if id_ in one.outdated else ''}" for id_ in one.blocks))
        for one in touched
    ]  # fmt: skip
    head = ("Prints", "Page", "English", "Vietnamese", "Blocks with words around it")
    return f"{heading}\n\n{_table(head, rows)}"


def _lines(lang: str, page: str, lines: Sequence[int]) -> str:
    return f"`docs/{lang}/{page}.md` {', '.join(map(str, lines))}" if lines else _NONE


def _code(name: str) -> str:
    """A name of ours as code; any other text, which a result may hold, as it is and inert."""
    parts = name.replace("-", ".").split(".")
    known = is_key(name) or all(part.isascii() and part.isalnum() for part in parts)
    return f"`{name}`" if known else inert(name)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _as_dict(section: Section) -> dict[str, Any]:
    profile, machine, experiment = section.key
    return {
        "experiment": experiment,
        "profile": profile,
        "machine": machine,
        "runs": [one and {"run_id": one.run_id, "derivation": one.derivation, "as_of": one.as_of.isoformat()}
                 for one in (section.old, section.new)],
        "outcomes": [outcome_dict(one) for one in section.outcomes],
        "claims": [vars(one) for one in section.verdicts],
        "values": [change_dict(one) for one in section.values],
    }  # fmt: skip


def change_dict(change: Change) -> dict[str, Any]:
    """One value's change, for programs."""
    old, new = (one and one.model_dump(mode="json") for one in (change.old, change.new))
    return {"key": change.key, "old": old, "new": new, "overlap": change.overlap}


def outcome_dict(change: OutcomeChange) -> dict[str, Any]:
    """One decision's change, for programs."""
    old, new = (one and one.model_dump(mode="json") for one in (change.old, change.new))
    return {"key": change.key, "old": old, "new": new, "decides": change.decides}
