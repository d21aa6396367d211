"""Every problem in the stored data and the pages, at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

from specwiki.core.current import current
from specwiki.core.impossible import in_blocks
from specwiki.core.layout import Layout, Store
from specwiki.core.recomputed import quoted_values
from specwiki.core.typed_numbers import typed_numbers
from specwiki.core.vacuity import only_state
from specwiki.edges import pages as page_files
from specwiki.edges.run_tables import read_run_tables
from specwiki.edges.store import read_results
from specwiki.errors import ClaimError, DataError, InputError, ProblemsError, SpecwikiError, StaleError, raise_all
from specwiki.study.project import load_experiment
from specwiki.study.site import render_site
from specwiki.study.translation import outdated
from specwiki.units import LANGS

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
    found += _collect(lambda: _check_prose(layout))
    found += _collect(lambda: _check_claims(layout))
    found = found or _collect(lambda: render_site(layout))
    said = {str(one) for one in found}
    return found + [one for one in _collect(lambda: _check_translations(layout)) if str(one) not in said]


def all_problems(
    layout: Layout, max_age_days: int | None = None, *, ask_others: bool = False
) -> tuple[list[SpecwikiError], list[str]]:
    """Everything that `specwiki check` finds, and lines that it says besides.

    Args:
        layout: Of the project.
        max_age_days: As of `too_old`; None: of any age.
        ask_others: Whether to ask others for what the built site links to.
    """
    found, notes = problems(layout), []
    if max_age_days is not None:
        found += _collect(lambda: raise_all(too_old(layout, max_age_days)))
    if ask_others:
        from specwiki.study.outside import check_outside  # noqa: PLC0415 - asks the network, and only here

        def ask() -> None:
            outside = check_outside(layout)
            notes.append(outside.text())
            raise_all(list(outside.problems))

        found += _collect(ask)
    return found, notes


def too_old(layout: Layout, max_age_days: int, today: dt.date | None = None) -> list[SpecwikiError]:
    """Published results that count and are older than so many days, one problem each.

    Args:
        layout: Of the project.
        max_age_days: At least 0; 0 asks for today's.
        today: UTC; None: as the clock says.

    Raises:
        InputError: If there is no published result: then nothing is fresh.
    """
    now = today or dt.datetime.now(dt.UTC).date()
    found = current(read_results(layout.published)).values()
    if not found:
        raise InputError(str(layout.published.results), "there is no published result", "Run 'specwiki publish'")
    return [
        StaleError(
            f"{one.experiment}, profile {one.profile}, on {one.machine}",
            f"the result is of {one.as_of}, {(now - one.as_of).days} days old, expected at most {max_age_days}",
            f"Run 'specwiki run {one.experiment} --profile {one.profile} --effort {one.effort}' there and publish it",
        )
        for one in found
        if (now - one.as_of).days > max_age_days
    ]


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
        if result.run_of is None and folder.exists():
            _check_run(folder)


def _check_run(folder: Path) -> None:
    found = in_blocks(read_run_tables(folder))
    raise_all([DataError(str(folder), str(one), "Withdraw the result and measure again") for one in found])


def _check_prose(layout: Layout) -> None:
    """Refuse figures typed into pages and wordings."""
    allowed = page_files.read_allowed(layout.docs)
    texts = [
        (f"docs/{lang}/{name}.md", name, text) for (name, lang), text in page_files.read_sources(layout.docs).items()
    ]
    claims, outcomes = page_files.read_claims(layout.docs)
    for lang in LANGS:
        for name, claim in claims.items():
            texts += [(f"claim '{name}', {lang}.{state}", "", text) for state, text in getattr(claim, lang)]
        for name, outcome in outcomes.items():
            texts += [
                (f"outcome '{name}', {lang}.{verdict}", "", text) for verdict, text in getattr(outcome, lang).items()
            ]
    raise_all(
        [
            ClaimError(
                f"{where}, line {one.line}", f"'{one.text}' is typed, expected a value",
                "Use @{{ value(…) }} or @{{ quoted(…) }}, or give a reason in docs/allowed.toml",
            )
            for where, page, text in texts
            for one in typed_numbers(text, {**allowed.get("*", {}), **allowed.get(page, {})})
        ]
    )  # fmt: skip


def _check_claims(layout: Layout) -> None:
    """Refuse claims that no values within their domains could flip."""
    claims, _ = page_files.read_claims(layout.docs)
    quoted = quoted_values(page_files.read_quoted(layout.quoted))
    results = [result for store in (layout.published, layout.local) for result in current(read_results(store)).values()]
    vacuous = {
        name: state
        for name, claim in claims.items()
        for measured in [{}, *(result.values for result in results)]
        if (state := only_state(name, claim.expression, measured, quoted)) is not None
    }
    raise_all(
        [
            ClaimError(
                f"claim '{name}'", f"it {'always' if state == 'holds' else 'never'} holds, whatever its values",
                "Compare with something that they could miss",
            )
            for name, state in vacuous.items()
        ]
    )  # fmt: skip


def _check_translations(layout: Layout) -> None:
    """Refuse Vietnamese blocks and wordings that are missing, left over, or of an English text that changed since."""
    raise_all([entry.problem() for entry in outdated(layout)])


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
