"""Copy a full result of this machine into `data/`, and say what that changes."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from specwiki.core.changes import Change, OutcomeChange, outcome_changes, value_changes
from specwiki.core.current import current
from specwiki.core.layout import Layout
from specwiki.core.result import Result, Value
from specwiki.edges.machine import machine_label
from specwiki.edges.store import copy_run, read_results, write_result
from specwiki.errors import InputError
from specwiki.render.change_report import change_dict, outcome_dict, outcome_text
from specwiki.study.project import load_profile

PUBLISHED_EFFORT = "full"


@dataclass(frozen=True)
class Publication:
    """What was published.

    Attributes:
        result: Now the current one of its key.
        changes: Values that differ from the result it follows; all of them when there was none.
        outcomes: Decisions that changed.
    """

    result: Result
    changes: tuple[Change, ...]
    outcomes: tuple[OutcomeChange, ...]

    def text(self) -> str:
        """The value diff, for people."""
        head = f"published {self.result.experiment} of {self.result.as_of} ({self.result.run_id})"
        decided = [f"{one.key}: {outcome_text(one.old)} → {outcome_text(one.new)}" for one in self.outcomes]
        return "\n".join([head, *decided, *(_changed(one) for one in self.changes)])

    def as_dict(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "run_id": self.result.run_id,
            "outcomes": [outcome_dict(one) for one in self.outcomes],
            "changes": [change_dict(one) for one in self.changes],
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
    return Publication(result, value_changes(before, result), outcome_changes(before, result))


def _prune(layout: Layout, result: Result) -> None:
    """Raw files are kept for the current result only; the values of earlier ones stay."""
    kept = layout.published.run_folder(result)
    for folder in kept.parent.iterdir():
        if folder != kept:
            shutil.rmtree(folder)


def _changed(change: Change) -> str:
    """`key: old [low, high] → new [low, high] unit`."""
    units = [one.unit for one in (change.new, change.old) if one is not None]
    return f"{change.key}: {_shown(change.old)} → {_shown(change.new)} {units[0]}"


def _shown(value: Value | None) -> str:
    if value is None or value.number is None:
        return "none"
    interval = "" if value.low is None else f" [{value.low:.4g}, {value.high:.4g}]"
    return f"{value.number:.4g}{interval}"
