"""What the pages of each experiment show: the results of both stores that lead, with their files and their past."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from specwiki.core.current import current_of, earlier, key_of
from specwiki.core.interleaving import comparable
from specwiki.core.layout import Layout, Store
from specwiki.core.result import Result
from specwiki.core.translation import Verdict
from specwiki.core.wordings import verdicts_by_profile, verdicts_under
from specwiki.edges.store import read_blocks_csv, read_notebook
from specwiki.errors import SpecwikiError
from specwiki.render.downloads import LABELS, chart_files, result_json, values_csv
from specwiki.render.evidence import Evidence
from specwiki.render.figures import chart_figure
from specwiki.render.notebooks import notebook_page
from specwiki.render.origins import folder_name
from specwiki.render.pages import PageSource
from specwiki.render.values import Origin, Sourced
from specwiki.study.status import changed_since, unknown_parts
from specwiki.units import Lang, date_text

LEADING = ""
"""In place of a profile's name: the results that lead, of whatever profile."""


@dataclass(frozen=True)
class Stored:
    """All results of a project, read once."""

    layout: Layout
    published: tuple[Result, ...]
    local: tuple[Result, ...]

    def store(self, origin: Origin) -> Store:
        """Where results of an origin lie."""
        return self.layout.local if origin == "local" else self.layout.published

    def results(self, origin: Origin) -> tuple[Result, ...]:
        """The results of an origin."""
        return self.local if origin == "local" else self.published


@dataclass(frozen=True)
class Shown:
    """What the pages of one experiment show.

    Attributes:
        experiment: Its slug.
        by_profile: What each profile shows that a page shows by name; with an empty name, what leads.
        runs: The runs behind it, by the same name.
        verdict: What the published results say of claims and outcomes.
    """

    experiment: str
    by_profile: Mapping[str, Evidence]
    runs: Mapping[str, Sequence[_Run]]
    verdict: Verdict

    @property
    def evidence(self) -> Evidence:
        """What leads."""
        return self.by_profile[LEADING]

    @property
    def others(self) -> dict[str, Evidence]:
        """What each profile shows that a page shows by name."""
        return {profile: evidence for profile, evidence in self.by_profile.items() if profile != LEADING}

    def name(self, profile: str) -> str:
        """What a profile's files are called by."""
        return folder_name(self.experiment, profile)

    def downloads(self, lang: Lang) -> dict[str, str]:
        """Path below the language's root → content of each file to download."""
        return {
            f"data/{self.name(profile)}/{run.sourced.origin}/{file}": content
            for profile, runs in self.runs.items()
            for run in runs
            for file, content in (run.downloads() | chart_files(run.sourced.result, lang)).items()
        }

    def notebooks(self, lang: Lang) -> list[PageSource]:
        """The executed notebooks as pages."""
        return [
            _notebook(run, self.name(profile), lang)
            for profile, runs in self.runs.items()
            for run in runs
            if run.notebook is not None
        ]


@dataclass(frozen=True)
class _Run:
    """A result that pages show, and its run's raw files, where they are."""

    stored: Result
    sourced: Sourced
    notebook: dict[str, Any] | None
    blocks: str | None

    def downloads(self) -> dict[str, str]:
        """File name → content; the whole result as it is stored."""
        found = {"values.csv": values_csv(self.sourced.result), "result.json": result_json(self.stored)}
        if self.blocks is not None:
            found["blocks.csv"] = self.blocks
        if self.notebook is not None:
            found["notebook.ipynb"] = json.dumps(self.notebook, ensure_ascii=False, indent=1) + "\n"
        return found


def shown_of(stored: Stored, experiment: str, apart: Sequence[str], shared: Evidence) -> Shown:
    """What the pages of an experiment show.

    Args:
        stored: All results.
        experiment: Its slug.
        apart: Profiles that its pages show by name; their results never lead.
        shared: Quoted sources, claims and outcomes.
    """
    runs = {LEADING: _runs(stored, experiment, None, apart)}
    runs |= {profile: _runs(stored, experiment, profile, ()) for profile in apart}

    def judged(of: str | None, without: Sequence[str]) -> Verdict:
        newest = next(iter(current_of(stored.published, experiment, of=of, apart=without)), None)
        return verdicts_under(shared.claims, newest, shared.quoted_values)

    return Shown(
        experiment,
        {profile: _evidence(mine, shared) for profile, mine in runs.items()},
        runs,
        verdicts_by_profile(judged(None, apart), {profile: judged(profile, ()) for profile in apart}),
    )


def _runs(stored: Stored, experiment: str, of: str | None, apart: Sequence[str]) -> list[_Run]:
    """This machine's newest result, and the published one to stand beside it: of the same key if there is one.

    A result of this machine that was published since is shown once, as published.
    """
    mine = current_of(stored.local, experiment, of=of, apart=apart)
    theirs = current_of(stored.published, experiment, of=of, apart=apart)
    if mine:
        theirs.sort(key=lambda one: key_of(one) != key_of(mine[0]))
    found = [_run(stored, one, "published") for one in theirs[:1]]
    if mine and not any(_of_one_run(run.stored, mine[0]) for run in found):
        found.insert(0, _run(stored, mine[0], "local"))
    return found


def _of_one_run(published: Result, local: Result) -> bool:
    """Whether a result of this machine was published, and nothing was derived from its run since."""
    return published.run_id == local.run_id and published.derivation >= local.derivation


def _run(stored: Stored, result: Result, origin: Origin) -> _Run:
    store, known = stored.store(origin), stored.results(origin)
    # A published result is compared without the engine: which one is installed where the site is built says nothing.
    without = unknown_parts() if origin == "local" else ("engine",)
    try:
        changed: tuple[str, ...] | None = changed_since(stored.layout, result, known, without)
    except SpecwikiError:
        changed = None
    before = tuple(comparable(one) for one in earlier(known, result))
    sourced = Sourced(comparable(result), origin, changed=changed, earlier=before)
    return _Run(result, sourced, read_notebook(store, result), read_blocks_csv(store, result))


def _evidence(runs: Sequence[_Run], shared: Evidence) -> Evidence:
    files: Mapping[Origin, Mapping[str, str]] = {
        run.sourced.origin: {name: text for name, text in LABELS.items() if name in run.downloads()} for run in runs
    }
    return replace(shared, results=tuple(run.sourced for run in runs), files=files)


def _notebook(run: _Run, name: str, lang: Lang) -> PageSource:
    result = run.sourced.result
    shown = run.sourced.seen_from("../../", name)
    title = f"{name}, {result.machine}, {date_text(result.as_of, lang)}"
    back = {"en": "Back to", "vi": "Về trang"}[lang]
    return notebook_page(
        f"notebooks/{name}-{run.sourced.origin}",
        run.notebook or {},
        lang,
        title=title,
        chart=lambda chart_id: chart_figure(shown, chart_id, title, lang),
        back=f"[{back} {result.experiment}](../{result.experiment}.md)",
    )
