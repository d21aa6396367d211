"""Run an experiment's notebook from a scratch copy, and store what it said when all of it ended well."""

from __future__ import annotations

import datetime as dt
import getpass
import os
import secrets
import shutil
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from specwiki.core.blocks import BlockRecord
from specwiki.core.current import key_of
from specwiki.core.layout import Layout
from specwiki.core.model import parse
from specwiki.core.redact import redact, redactions
from specwiki.core.result import Registration, Result, StripBlock
from specwiki.edges import engine, git, lock, machine, model_cache, notebooks, store
from specwiki.edges.progress import PROGRESS_VARIABLE, Progress, look
from specwiki.edges.run_tables import read_run_tables, write_run_tables
from specwiki.errors import DataError
from specwiki.study.facts import run_facts
from specwiki.study.fingerprint import derived_under, measured_under, short_hash
from specwiki.study.lab import RUN_VARIABLE, read_derived, stored_run
from specwiki.study.measure import can_go_on, recorded_blocks
from specwiki.study.project import Experiment, load_experiment
from specwiki.study.starts import dtype_here
from specwiki.study.status import fresh_result

Show = Callable[[Progress], None]
RUN_FILE = "run.json"
LOOK_EVERY_S = 0.5


def run(experiment: Experiment, parameters: Mapping[str, object], show: Show) -> Result:
    """Measure an experiment and store its result in the local store.

    A run that was cut, and was made under what would be measured now, goes on.

    Args:
        experiment: What to measure.
        parameters: Further parameters of the notebook.
        show: Called with the state of the run, about twice a second.

    Raises:
        SpecwikiError: What went wrong; the last good result is untouched, and what was measured is kept.
    """
    if experiment.is_reading:
        return _read(experiment, parameters, show)
    under = measured_under(experiment)
    lock.check_free(model_cache.cache_folder())
    folder = _unfinished(experiment, under) or _new_folder(experiment, under)
    _execute(experiment, folder, {**parameters, "run_id": ""}, show)
    return _store(experiment, folder, recorded_blocks(experiment, folder))


def _read(experiment: Experiment, parameters: Mapping[str, object], show: Show) -> Result:
    """Derive a reading from this machine's run of the experiment that it uses; measure one if there is none."""
    measured = load_experiment(experiment.layout, experiment.plan.slug, experiment.profile.name, experiment.effort_name)
    source = fresh_result(measured) or run(measured, {}, show)
    again = replace(experiment, effort_name=source.effort)
    return derive(again, source.run_id, parameters, show)


def derive(experiment: Experiment, run_id: str, parameters: Mapping[str, object], show: Show) -> Result:
    """Derive values again from a stored run, without an engine, into the local store.

    Raises:
        SpecwikiError: What went wrong; nothing is changed then.
    """
    source = stored_run(experiment, run_id)
    folder = experiment.layout.scratch / experiment.slug / f"derive-{run_id}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(source / RUN_FILE, folder / RUN_FILE)
    _execute(experiment, folder, {**parameters, "run_id": run_id}, show)
    return _store(experiment, folder, read_run_tables(source))


def _unfinished(experiment: Experiment, under: Mapping[str, str]) -> Path | None:
    for path in sorted((experiment.layout.scratch / experiment.plan.slug).glob(f"*/{RUN_FILE}"), reverse=True):
        if path.parent.name.startswith("derive-"):
            continue
        known = store.read_json(path)
        same = known["measured_under"] == under and known["effort"] == experiment.effort_name
        if same and can_go_on(experiment, path.parent):
            return path.parent
    return None


def _new_folder(experiment: Experiment, under: Mapping[str, str]) -> Path:
    now = dt.datetime.now(dt.UTC)
    run_id = f"{now:%H%M%S}-{secrets.token_hex(2)}"
    plan_file = experiment.folder / "plan.toml"
    committed, commit = git.committed_state(plan_file)
    known = {
        "run_id": run_id,
        "experiment": experiment.plan.slug,
        "profile": experiment.profile.name,
        "machine": experiment.machine,
        "effort": experiment.effort_name,
        "started_utc": now.isoformat(timespec="seconds"),
        "measured_under": under,
        "registration": {
            "plan_sha256": short_hash(plan_file.read_text(encoding="utf-8")),
            "committed_before": committed,
            "commit": commit,
        },
        "engine": engine.version(experiment.profile),
        "cpu": machine.cpu_model(),
        "cores": machine.core_count(),
        "memory_gib": machine.memory_gib(),
        **({} if (dtype := dtype_here(experiment.profile)) is None else {"dtype": dtype}),
    }
    folder = experiment.layout.scratch / experiment.plan.slug / run_id
    store.write_atomic(folder / RUN_FILE, store.to_json(known))
    return folder


def _execute(experiment: Experiment, folder: Path, parameters: Mapping[str, object], show: Show) -> None:
    source = folder / "source.ipynb"
    known = notebooks.convert(experiment.folder / "notebook.py", source)
    given = {"profile": experiment.profile.name, "effort": experiment.effort_name, **parameters}
    notebooks.check_parameters(given, known)
    progress_file = folder / "progress.json"
    progress_file.unlink(missing_ok=True)
    with (
        _environment({RUN_VARIABLE: str(folder), PROGRESS_VARIABLE: str(progress_file)}),
        _watched(progress_file, show),
    ):
        notebooks.execute(source, folder / "notebook.ipynb", given, experiment.layout.root)


@contextmanager
def _environment(added: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _watched(progress_file: Path, show: Show) -> Iterator[None]:
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(LOOK_EVERY_S):
            state = look(progress_file)
            if state is not None:
                show(state)

    watcher = threading.Thread(target=watch, name="specwiki-progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _store(experiment: Experiment, folder: Path, blocks: list[BlockRecord]) -> Result:
    """Make the result, validate it, and move the run into the local store: all or nothing."""
    known = store.read_json(folder / RUN_FILE)
    redacted = _redactions(experiment)
    blocks = [_redacted(block, redacted) for block in blocks]
    result = _result(experiment, known, blocks, read_derived(folder))
    local = experiment.layout.local
    result = _next_derivation(experiment.layout, result)
    finished = folder / "finished"
    shutil.rmtree(finished, ignore_errors=True)
    finished.mkdir()
    shutil.copy(folder / RUN_FILE, finished / RUN_FILE)
    store.write_atomic(finished / "notebook.ipynb", notebooks.storable(folder / "notebook.ipynb", redacted))
    if not experiment.is_reading:
        _write_tables(finished, blocks)
    store.copy_run(finished, local.run_folder(result))
    store.write_result(local, result)
    # First, so that a folder that was removed by half is never taken for a run that can go on.
    (folder / RUN_FILE).unlink()
    shutil.rmtree(folder)
    return result


def _write_tables(folder: Path, blocks: list[BlockRecord]) -> None:
    write_run_tables(folder, blocks)
    if read_run_tables(folder) != blocks:
        raise DataError(str(folder), "the tables do not give back the blocks they were made from", "Report this run")


def _redacted(block: BlockRecord, replaced: Mapping[str, str]) -> BlockRecord:
    """A crashed block's reason has lines of the engine's log."""
    return block if block.reason is None else block.model_copy(update={"reason": redact(block.reason, replaced)})


def _next_derivation(layout: Layout, result: Result) -> Result:
    """Numbered after all of the same run, published ones too: derived again elsewhere, it must not rank below them."""
    known = [*store.read_results(layout.local), *store.read_results(layout.published)]
    same = [one.derivation for one in known if one.run_id == result.run_id and key_of(one) == key_of(result)]
    return result.model_copy(update={"derivation": max(same, default=0) + 1})


def _result(
    experiment: Experiment, known: dict[str, Any], blocks: list[BlockRecord], derived: dict[str, Any]
) -> Result:
    started = dt.datetime.fromisoformat(known["started_utc"])
    data = {
        "experiment": experiment.slug,
        "run_of": experiment.plan.slug if experiment.is_reading else None,
        "profile": known["profile"],
        "machine": known["machine"],
        "run_id": known["run_id"],
        "as_of": started.date(),
        "good_until": started.date() + dt.timedelta(days=experiment.plan.good_for_days),
        "effort": known["effort"],
        "prompt_kind": experiment.prompt_set.kind,
        "measured_under": known["measured_under"],
        "derived_under": derived_under(experiment),
        "registration": Registration(**known["registration"]),
        "facts": run_facts(experiment, known, blocks),
        "strip": [_strip_block(block) for block in blocks],
        **derived,
    }
    return parse(Result, data, where=f"run {known['run_id']}", error=DataError)


def _strip_block(block: BlockRecord) -> StripBlock:
    return StripBlock(
        boot=block.boot, arm=block.arm, concurrency=block.concurrency, replicate=block.replicate, status=block.status,
        reason=block.reason if block.status in ("void", "crashed") else None,
    )  # fmt: skip


def _redactions(experiment: Experiment) -> dict[str, str]:
    places = {
        str(experiment.layout.root): "$REPO",
        str(experiment.layout.local.root.parent): "$LOCAL",
        str(model_cache.cache_folder()): "$CACHE",
        str(Path.home()): "~",
    }
    return redactions(places, socket.gethostname(), getpass.getuser())
