"""Which of several results counts: a rule over what is there, never a file that names one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable

from specwiki.core.result import Result

Key = tuple[str, str, str]
"""Profile, machine, experiment."""


def key_of(result: Result) -> Key:
    """What a result may replace: an older one of the same profile, machine and experiment, and no other."""
    return result.profile, result.machine, result.experiment


def current(results: Iterable[Result]) -> dict[Key, Result]:
    """The newest result of each key that is not withdrawn; of one day, the last run's last derivation."""
    newest: dict[Key, Result] = {}
    for result in sorted(results, key=_order):
        if result.withdrawn is None:
            newest[key_of(result)] = result
    return dict(sorted(newest.items()))


def current_of(
    results: Iterable[Result], experiment: str, *, of: str | None = None, apart: Collection[str] = ()
) -> list[Result]:
    """The current results of one experiment on every profile and machine, newest first.

    Args:
        results: Of one store.
        experiment: Its slug.
        of: Of this profile only; None: of all.
        apart: Profiles to leave out.
    """
    mine = [
        result
        for (profile, _, slug), result in current(results).items()
        if slug == experiment and of in {None, profile} and profile not in apart
    ]
    return sorted(mine, key=_order, reverse=True)


def earlier(results: Iterable[Result], newest: Result) -> list[Result]:
    """Results of other runs that `newest` took the place of, of its effort, newest first; of each the last derivation.

    Args:
        results: Of one store.
        newest: A result in it, or not yet in it.
    """
    by_run: dict[str, Result] = {}
    for result in sorted(results, key=_order):
        same = key_of(result) == key_of(newest) and result.effort == newest.effort
        if result.withdrawn is None and same and result.run_id != newest.run_id:
            by_run[result.run_id] = result
    return sorted((one for one in by_run.values() if _order(one) < _order(newest)), key=_order, reverse=True)


def _order(result: Result) -> tuple[dt.date, str, int]:
    """Newer results sort later."""
    return result.as_of, result.run_id, result.derivation
