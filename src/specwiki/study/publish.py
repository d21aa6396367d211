"""Copy a full result of this machine into `data/`, and say what that changes."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from specwiki.core.current import current
from specwiki.core.layout import Layout
from specwiki.core.result import Result, Value
from specwiki.edges.machine import machine_label
from specwiki.edges.store import copy_run, read_results, write_result
from specwiki.errors import InputError
from specwiki.study.project import load_profile

PUBLISHED_EFFORT = "full"


@dataclass(frozen=True)
class Change:
    """One value before and after."""

    key: str
    old: Value | None
    new: Value | None

    def text(self) -> str:
        """`key: old [low, high] → new [low, high] unit`."""
        unit = (self.new or self.old or Value(number=0, unit="count")).unit
        return f"{self.key}: {_shown(self.old)} → {_shown(self.new)} {unit}"


@dataclass(frozen=True)
class Publication:
    """What was published.

    Attributes:
        result: Now the current one of its key.
        changes: Values that differ from the result it follows; all of them when there was none.
        outcomes: Decisions that changed: key → (before, after).
    """

    result: Result
    changes: tuple[Change, ...]
    outcomes: dict[str, tuple[str | None, str | None]]

    def text(self) -> str:
        """The value diff, for people."""
        head = f"published {self.result.experiment} of {self.result.as_of} ({self.result.run_id})"
        decided = [f"{key}: {old} → {new}" for key, (old, new) in self.outcomes.items()]
        return "\n".join([head, *decided, *(change.text() for change in self.changes)])

    def as_dict(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "run_id": self.result.run_id,
            "outcomes": self.outcomes,
            "changes": [
                {"key": one.key, "old": one.old and one.old.model_dump(), "new": one.new and one.new.model_dump()}
                for one in self.changes
            ],
        }


def publish(layout: Layout, slug: str, profile_name: str) -> Publication:
    """Publish this machine's newest full result of an experiment.

    Raises:
        InputError: If there is none in the local store.
    """
    machine = machine_label(layout.local.root.parent, load_profile(layout, profile_name).machine)
    key = (profile_name, machine, slug)
    full = [result for result in read_results(layout.local) if result.effort == PUBLISHED_EFFORT]
    result = current(full).get(key)
    if result is None:
        raise InputError(
            f"experiment '{slug}'", f"no full result of profile '{profile_name}' on {machine} is in the local store",
            f"Run 'specwiki run {slug} --effort full' first",
        )  # fmt: skip
    if not result.run_of or layout.published.blocks_folder(result).exists():
        return _publish(layout, result, key)
    raise InputError(
        f"experiment '{slug}'", f"it reads run {result.run_id} of '{result.run_of}', which is not published",
        f"Run 'specwiki publish {result.run_of}' first",
    )  # fmt: skip


def _publish(layout: Layout, result: Result, key: tuple[str, str, str]) -> Publication:
    before = current(read_results(layout.published)).get(key)
    copy_run(layout.local.run_folder(result), layout.published.run_folder(result))
    write_result(layout.published, result)
    _prune(layout, result)
    return _publication(before, result)


def _prune(layout: Layout, result: Result) -> None:
    """Raw files are kept for the current result only; the values of earlier ones stay."""
    kept = layout.published.run_folder(result)
    for folder in kept.parent.iterdir():
        if folder != kept:
            shutil.rmtree(folder)


def _publication(before: Result | None, after: Result) -> Publication:
    old = before.values if before else {}
    keys = sorted({*old, *after.values})
    changes = [
        Change(key, old.get(key), after.values.get(key)) for key in keys if old.get(key) != after.values.get(key)
    ]
    decided = {} if before is None else {key: one.verdict for key, one in before.outcomes.items()}
    verdicts = {key: one.verdict for key, one in after.outcomes.items()}
    outcomes = {
        key: (decided.get(key), verdicts.get(key))
        for key in sorted({*decided, *verdicts})
        if decided.get(key) != verdicts.get(key)
    }
    return Publication(after, tuple(changes), outcomes)


def _shown(value: Value | None) -> str:
    if value is None or value.number is None:
        return "none"
    interval = "" if value.low is None else f" [{value.low:.4g}, {value.high:.4g}]"
    return f"{value.number:.4g}{interval}"
