"""What a notebook works with: it measures, or reads a stored run back, and saves what it derived."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specwiki.core.blocks import BlockRecord
from specwiki.core.layout import Layout
from specwiki.core.result import Outcome, Table, Value
from specwiki.edges.run_tables import read_run_tables
from specwiki.edges.store import to_json, write_atomic
from specwiki.errors import InputError
from specwiki.study.measure import measure
from specwiki.study.project import Experiment, find_layout, load_experiment

RUN_VARIABLE = "SPECWIKI_RUN"
"""Environment variable with the scratch folder that `specwiki run` made for this run."""
DERIVED = "derived.json"
CHART_MIME = "application/vnd.specwiki.chart+json"


@dataclass(frozen=True)
class Lab:
    """A run's blocks, and the place for what is derived from them.

    Attributes:
        experiment: Plan, effort, profile, prompts and machine.
        blocks: All of the run's blocks, in their order.
        history: Blocks of this machine's earlier runs of the same experiment; for what only many boots tell.
        folder: Where `save` writes.
    """

    experiment: Experiment
    blocks: list[BlockRecord]
    history: list[list[BlockRecord]]
    folder: Path

    def save(
        self,
        values: Mapping[str, Value],
        tables: Mapping[str, Table],
        charts: Mapping[str, dict[str, Any]],
        outcomes: Mapping[str, Outcome],
        schedule: list[tuple[int, int, int]] | None,
    ) -> None:
        """Hand over what was derived; it becomes a result when the whole notebook has ended well."""
        derived = {
            "values": {key: value.model_dump(mode="json") for key, value in values.items()},
            "tables": {key: table.model_dump(mode="json") for key, table in tables.items()},
            "charts": dict(charts),
            "outcomes": {key: outcome.model_dump(mode="json") for key, outcome in outcomes.items()},
            "schedule": schedule,
        }
        write_atomic(self.folder / DERIVED, to_json(derived))


def open_lab(slug: str, *, profile: str, effort: str, run_id: str = "") -> Lab:
    """Measure, or read the run `run_id` back.

    Args:
        slug: The experiment.
        profile: Name of a profile.
        effort: `tiny`, `quick` or `full`.
        run_id: Empty: measure, going on with a run that was cut. Otherwise a stored run, and no engine is needed.

    Raises:
        InputError: If the notebook was not started by `specwiki`, or there is no such run.
        SpecwikiError: As `measure`.
    """
    experiment = load_experiment(find_layout(Path.cwd()), slug, profile, effort)
    started = os.environ.get(RUN_VARIABLE)
    if not started:
        raise InputError(
            "notebook", "it was not started by specwiki, so there is no place for what it measures",
            f"Run 'specwiki run {slug}', or 'specwiki derive {slug} --run-id …' for a stored run",
        )  # fmt: skip
    if experiment.is_reading and not run_id:
        raise InputError(
            "notebook", f"it reads runs of '{experiment.plan.slug}', and no run_id was given",
            f"Run 'specwiki run {slug}', which measures one if there is none",
        )  # fmt: skip
    folder = Path(started)
    blocks = read_run_tables(stored_run(experiment, run_id)) if run_id else measure(experiment, folder)
    return Lab(experiment, blocks, _history(experiment, run_id or folder.name), folder)


def show_chart(chart_id: str) -> None:
    """Mark the place of a saved chart in the executed notebook; the page draws it there, in its own language."""
    from IPython.display import display  # noqa: PLC0415 - only in a kernel

    display({CHART_MIME: {"id": chart_id}, "text/plain": f"chart: {chart_id}"}, raw=True)


def stored_run(experiment: Experiment, run_id: str) -> Path:
    """The folder of a stored run, in either store.

    Raises:
        InputError: If neither has it.
    """
    found = [path for path in _run_folders(experiment.layout, experiment) if path.name == run_id]
    if not found:
        known = sorted({path.name for path in _run_folders(experiment.layout, experiment)})
        raise InputError(f"run '{run_id}'", f"no store has it, expected one of {known}", "Name one of these")
    return found[0]


def _run_folders(layout: Layout, experiment: Experiment) -> list[Path]:
    pattern = f"runs/{experiment.profile.name}/*/{experiment.plan.slug}/*/blocks.csv"
    return [path.parent for store in (layout.local, layout.published) for path in sorted(store.root.glob(pattern))]


def _history(experiment: Experiment, run_id: str) -> list[list[BlockRecord]]:
    folders = _run_folders(experiment.layout, experiment)
    earlier = {
        path.name: path for path in folders if path.parent.parent.name == experiment.machine and path.name != run_id
    }
    return [read_run_tables(path) for _, path in sorted(earlier.items())]


def read_derived(folder: Path) -> dict[str, Any]:
    """What `save` wrote.

    Raises:
        InputError: If the notebook ended without saving.
    """
    path = folder / DERIVED
    if not path.exists():
        raise InputError("notebook", "it ended without lab.save(…)", "Call it in the last cell")
    derived: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return derived
