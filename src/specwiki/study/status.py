"""Which results there are, and what has changed since they were measured."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from specwiki.core.current import current
from specwiki.core.layout import Layout
from specwiki.core.result import Result
from specwiki.edges.engine import installed_version
from specwiki.edges.store import read_results
from specwiki.errors import EngineError, InputError, SpecwikiError
from specwiki.study.fingerprint import measured_under
from specwiki.study.project import Experiment, load_experiment

EFFORTS = ("tiny", "quick", "full")
"""From least to most."""


@dataclass(frozen=True)
class State:
    """One current result, and whether it still says what would be measured now.

    Attributes:
        store: `local` or `published`.
        changed: Parts whose hash differs now: plan, prompts, code, engine. Another machine is another result, not
            a stale one. `run`: of a reading, whose experiment has a newer run.
        unknown: Parts that cannot be told here, as the engine's where none is installed.
        expired: Past its `good_until`.
        problem: Why nothing can be told, e.g. its profile is gone; None: all could be read.
    """

    store: str
    experiment: str
    profile: str
    machine: str
    effort: str
    as_of: dt.date
    good_until: dt.date
    changed: tuple[str, ...]
    unknown: tuple[str, ...]
    expired: bool
    problem: str | None

    def text(self) -> str:
        """One line for people."""
        said = f"{self.effort}, measured {self.as_of}"
        if self.problem:
            return f"{said}; cannot be compared: {self.problem}"
        reasons = [f"{part} changed" for part in self.changed]
        reasons += [f"good until {self.good_until}"] if self.expired else []
        return f"{said}; " + (f"stale: {', '.join(reasons)}" if reasons else "nothing changed since")

    def as_dict(self) -> dict[str, object]:
        """The same for programs; dates as ISO 8601."""
        return {key: value.isoformat() if isinstance(value, dt.date) else value for key, value in vars(self).items()}


def states(layout: Layout, today: dt.date | None = None) -> list[State]:
    """The state of every current result of both stores."""
    now = today or dt.datetime.now(dt.UTC).date()
    stores = (("local", layout.local), ("published", layout.published))
    found = []
    for name, store in stores:
        results = read_results(store)
        found += [_state(layout, name, result, now, results) for result in current(results).values()]
    return found


def _state(layout: Layout, store: str, result: Result, now: dt.date, same_store: Sequence[Result]) -> State:
    unknown = unknown_parts()
    changed: tuple[str, ...] = ()
    problem = None
    try:
        changed = changed_since(layout, result, same_store, unknown)
    except SpecwikiError as failure:
        problem = str(failure)
    return State(
        store, result.experiment, result.profile, result.machine, result.effort, result.as_of, result.good_until,
        changed, unknown, now > result.good_until, problem,
    )  # fmt: skip


def changed_since(
    layout: Layout, result: Result, same_store: Iterable[Result], without: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Parts under which a result was measured that are others now: plan, prompts, code, engine; `run` of a reading.

    Args:
        layout: The project as it stands.
        result: Compared at its own effort and profile.
        same_store: All results of its store.
        without: Parts to leave out.

    Raises:
        SpecwikiError: If its experiment or profile can no longer be read, or the engine is asked for and not there.
    """
    experiment = load_experiment(layout, result.experiment, result.profile, result.effort)
    return _changed(result, experiment, without) + _read_again(result, same_store)


def unknown_parts() -> tuple[str, ...]:
    """Parts that cannot be compared here: the engine, where none is installed."""
    try:
        installed_version()
    except EngineError:
        return ("engine",)
    return ()


def _changed(result: Result, experiment: Experiment, unknown: tuple[str, ...]) -> tuple[str, ...]:
    now = measured_under(experiment, without=unknown)
    return tuple(part for part, value in now.items() if part != "machine" and value != result.measured_under.get(part))


def _read_again(result: Result, same_store: Iterable[Result]) -> tuple[str, ...]:
    """`run`, if a reading was derived from another run than the current one of the experiment that it reads."""
    if result.run_of is None:
        return ()
    measured = current(same_store).get((result.profile, result.machine, result.run_of))
    return ("run",) if measured is not None and measured.run_id != result.run_id else ()


def fresh_result(experiment: Experiment) -> Result | None:
    """This machine's current result, if measuring it again, at its own effort, would be measuring the same.

    Args:
        experiment: With the least effort that will do.
    """
    layout = experiment.layout
    key = (experiment.profile.name, experiment.machine, experiment.slug)
    results = read_results(layout.local)
    result = current(results).get(key)
    if result is None or EFFORTS.index(result.effort) < EFFORTS.index(experiment.effort_name):
        return None
    same = load_experiment(layout, result.experiment, result.profile, result.effort)
    return None if _changed(result, same, ()) or _read_again(result, results) else result


def newest_result(layout: Layout, experiment: str, profile: str, run_id: str | None) -> Result:
    """A result of a run whose blocks are stored: the named one, or the newest.

    Raises:
        InputError: If there is none.
    """
    stores = (layout.local, layout.published)
    found = [
        result
        for store in stores
        for result in read_results(store)
        if (result.experiment, result.profile) == (experiment, profile)
        and run_id in {None, result.run_id}
        and _has_blocks(store.blocks_folder(result))
    ]
    if not found:
        raise InputError(
            f"experiment '{experiment}'",
            f"no stored run of profile '{profile}'" + (f" is called '{run_id}'" if run_id else ""),
            f"Run 'specwiki run {experiment}' first",
        )
    return max(found, key=lambda one: (one.as_of, one.run_id, one.derivation))


def _has_blocks(folder: Path) -> bool:
    return (folder / "blocks.csv").exists()
