"""Every problem in the stored data and the pages, at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from specwiki.core.impossible import in_blocks
from specwiki.core.layout import Layout, Store
from specwiki.edges.run_tables import read_run_tables
from specwiki.edges.store import read_results
from specwiki.errors import DataError, ProblemsError, SpecwikiError, raise_all
from specwiki.study.project import load_experiment
from specwiki.study.site import render_site

MAX_RUN_BYTES = 2_000_000
MAX_DATA_BYTES = 40_000_000


def problems(layout: Layout) -> list[SpecwikiError]:
    """Read all that is stored and written, and collect what is wrong with it."""
    found: list[SpecwikiError] = []
    for plan_file in sorted(layout.experiments.glob("*/plan.toml")):
        found += _collect(lambda slug=plan_file.parent.name: _check_experiment(layout, slug))  # type: ignore[misc]
    for store in (layout.published, layout.local):
        found += _collect(lambda store=store: _check_store(store))  # type: ignore[misc]
    found += _collect(lambda: _check_size(layout.published))
    return found or _collect(lambda: render_site(layout))


def _collect(work: Callable[[], object]) -> list[SpecwikiError]:
    try:
        work()
    except ProblemsError as several:
        return several.problems
    except SpecwikiError as one:
        return [one]
    return []


def _check_experiment(layout: Layout, slug: str) -> None:
    for profile in sorted(layout.profiles.glob("*.toml")):
        for effort in load_experiment(layout, slug, profile.stem, "quick").plan.efforts:
            _ = load_experiment(layout, slug, profile.stem, effort).groups


def _check_store(store: Store) -> None:
    for result in read_results(store):
        folder = store.run_folder(result)
        if folder.exists():
            _check_run(folder)


def _check_run(folder: Path) -> None:
    found = in_blocks(read_run_tables(folder))
    raise_all([DataError(str(folder), str(one), "Withdraw the result and measure again") for one in found])


def _check_size(store: Store) -> None:
    sizes = {path: path.stat().st_size for path in store.root.rglob("*") if path.is_file()}
    if sum(sizes.values()) > MAX_DATA_BYTES:
        raise DataError(
            str(store.root), f"{sum(sizes.values())} bytes, expected at most {MAX_DATA_BYTES}", "Prune old runs"
        )
    for folder in store.root.glob("runs/*/*/*/*"):
        size = sum(bytes_ for path, bytes_ in sizes.items() if path.is_relative_to(folder))
        if size > MAX_RUN_BYTES:
            raise DataError(str(folder), f"{size} bytes, expected at most {MAX_RUN_BYTES} in a run", "Store less in it")
