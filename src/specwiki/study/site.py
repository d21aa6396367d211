"""From stored results to the built site: reads both stores and the pages' sources, renders, builds."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from specwiki.core.current import current_of, key_of
from specwiki.core.layout import Layout, Store
from specwiki.core.result import Result
from specwiki.core.translation import Verdict, compare
from specwiki.core.wordings import verdicts_under
from specwiki.edges import pages as page_files
from specwiki.edges import site as mkdocs
from specwiki.edges import watch
from specwiki.edges.store import read_blocks_csv, read_notebook, read_results
from specwiki.errors import SpecwikiError, raise_all
from specwiki.render.downloads import LABELS, result_json, values_csv
from specwiki.render.evidence import Evidence, evidence_of
from specwiki.render.figures import chart_figure
from specwiki.render.notebooks import notebook_markdown
from specwiki.render.origins import folder_name
from specwiki.render.outdated import marked
from specwiki.render.pages import PageSource, parse_page, profiles_apart, render_page, wording_problems
from specwiki.render.programs import BESIDE, VALUES, for_programs, with_dataset
from specwiki.render.values import Origin, Sourced
from specwiki.render.values_json import values_json
from specwiki.units import LANGS, Lang, date_text


@dataclass(frozen=True)
class _Run:
    """A result that pages show, and its run's raw files, where they are."""

    sourced: Sourced
    notebook: dict[str, Any] | None
    blocks: str | None

    def downloads(self) -> dict[str, str]:
        """File name → content."""
        found = {"values.csv": values_csv(self.sourced.result), "result.json": result_json(self.sourced.result)}
        if self.blocks is not None:
            found["blocks.csv"] = self.blocks
        if self.notebook is not None:
            found["notebook.ipynb"] = json.dumps(self.notebook, ensure_ascii=False, indent=1) + "\n"
        return found


def render_site(layout: Layout) -> list[Path]:
    """Render every page in both languages to plain Markdown, with its downloads, into `build/pages`.

    Raises:
        SpecwikiError: Every problem of every page; the pages of the last good rendering stay.
    """
    texts = page_files.read_sources(layout.docs)
    sources = [parse_page(name, lang, text) for (name, lang), text in texts.items()]
    claims, outcomes = page_files.read_claims(layout.docs)
    shared = Evidence((), page_files.read_quoted(layout.quoted), claims, outcomes)
    published, local = read_results(layout.published), read_results(layout.local)
    apart = profiles_apart(sources)
    shown = {
        experiment: _shown(layout, experiment, apart[experiment], published, local, shared)
        for experiment in sorted({source.experiment for source in sources})
    }
    rendered: dict[tuple[str, Lang], str] = {}
    problems = wording_problems(shared)
    for source in sources:
        mine = shown[source.experiment]
        try:
            page = render_page(_noted(source, texts, mine.verdict), mine.evidence, mine.others)
            rendered[source.name, source.lang] = page
        except SpecwikiError as problem:
            problems.extend(getattr(problem, "problems", [problem]))
    raise_all(problems)
    pages = [
        with_dataset(parse_page(source.name, source.lang, rendered[source.name, source.lang]),
                     shown[source.experiment].evidence, source.experiment, _base(source.lang))
        for source in sources
    ]  # fmt: skip
    files = {f"{page.lang}/{page.name}.md": page.text for page in pages}
    for lang in LANGS:
        for mine in shown.values():
            files |= {f"{lang}/{name}": content for name, content in mine.files(lang).items()}
        files[f"{lang}/{VALUES}"] = values_json({name: mine.evidence for name, mine in shown.items()})
    beside = for_programs(pages, {lang: _base(lang) for lang in LANGS})
    return page_files.write_pages(layout.pages, files | {f"{BESIDE}/{name}": text for name, text in beside.items()})


@dataclass(frozen=True)
class _Shown:
    """What the pages of one experiment show.

    Attributes:
        evidence: What leads.
        others: For each profile that a page shows by name, the same.
        verdict: What the published result says of claims and outcomes.
        runs: The runs behind it, by the name of their folder.
    """

    evidence: Evidence
    others: Mapping[str, Evidence]
    verdict: Verdict
    runs: Mapping[str, Sequence[_Run]]

    def files(self, lang: Lang) -> dict[str, str]:
        """Downloads, and the executed notebooks as pages."""
        return {name: text for folder, runs in self.runs.items() for name, text in _extra(runs, folder, lang).items()}


def _shown(
    layout: Layout, experiment: str, apart: Sequence[str], published: Sequence[Result], local: Sequence[Result],
    shared: Evidence,
) -> _Shown:  # fmt: skip
    leading = _runs(layout, current_of(published, experiment, apart=apart), current_of(local, experiment, apart=apart))
    by_profile = {
        profile: _runs(layout, current_of(published, experiment, of=profile), current_of(local, experiment, of=profile))
        for profile in apart
    }
    newest = next(iter(current_of(published, experiment, apart=apart)), None)
    return _Shown(
        _evidence(leading, shared),
        {profile: _evidence(runs, shared) for profile, runs in by_profile.items()},
        verdicts_under(shared.claims, newest, shared.quoted_values),
        {experiment: leading, **{folder_name(experiment, profile): runs for profile, runs in by_profile.items()}},
    )


def _base(lang: Lang) -> str:
    """Address of a language's root: where the site will stand, or, where nobody said, below the host's root."""
    return os.environ.get(f"SPECWIKI_SITE_{lang.upper()}") or f"/{lang}/"


def _noted(source: PageSource, texts: Mapping[tuple[str, Lang], str], verdict: Verdict) -> PageSource:
    """A Vietnamese page with a note at each block that is out of date; never because of a result of this machine."""
    if source.lang == "en":
        return source
    english, vietnamese = texts[source.name, "en"], texts[source.name, "vi"]
    passages = compare(source.name, english, vietnamese, verdict)
    return replace(source, body=marked(source.body, passages, len(vietnamese) - len(source.body)))


def build_site(layout: Layout) -> Path:
    """Render, then build both languages into `site`.

    Returns:
        The folder of the built site.
    """
    inputs = watch.fingerprint(_inputs(layout))
    render_site(layout)
    site = mkdocs.build(layout.root, layout.docs, layout.site, layout.pages / BESIDE)
    page_files.write_text(_stamp(layout), inputs)
    return site


def site_is_current(layout: Layout) -> bool:
    """Whether the site stands, and nothing that it is made from changed since it was built."""
    stamp = _stamp(layout)
    if not (layout.site / "index.html").exists() or not stamp.exists():
        return False
    return stamp.read_text(encoding="utf-8") == watch.fingerprint(_inputs(layout))


def serve_site(layout: Layout, port: int, say: Callable[[str], object], *, turns: int | None = None) -> None:
    """Serve the site on loopback and build it again when something that it is made from changes, until interrupted.

    Args:
        layout: Of the project.
        port: On loopback; 0: a free one.
        say: Prints a line.
        turns: How often to look for changes, twice a second; None: without end.
    """
    if not site_is_current(layout):
        build_site(layout)
    with watch.served(layout.site, port) as address:
        seen = watch.fingerprint(_inputs(layout))
        say(f"serving {address} (Ctrl-C ends it)")
        for _ in itertools.count() if turns is None else range(turns):
            time.sleep(0.5)
            now = watch.fingerprint(_inputs(layout))
            if now != seen:
                seen = now
                say(_rebuilt(layout))


def _rebuilt(layout: Layout) -> str:
    try:
        build_site(layout)
    except SpecwikiError as problem:
        return "\n".join(f"error: {one}" for one in getattr(problem, "problems", [problem]))
    return "built again; reload the page"


def _stamp(layout: Layout) -> Path:
    return layout.pages.parent / "site.sha256"


def _inputs(layout: Layout) -> list[Path]:
    """Everything that the site is made from: pages, results, raw files that pages show, and our code for it."""
    stores = (layout.published, layout.local)
    shown = [path for store in stores for name in ("notebook.ipynb", "blocks.csv")
             for path in sorted(store.root.glob(f"runs/*/*/*/*/{name}"))]  # fmt: skip
    package = Path(__file__).parents[1]
    code = [
        package / name for name in ("core", "render", "units.py", "edges/pages.py", "edges/site.py", "study/site.py")
    ]
    results = [store.results for store in stores]
    return [layout.docs, layout.root / "mkdocs.yml", layout.quoted, *results, *shown, *code]


def _runs(layout: Layout, published: Sequence[Result], mine: Sequence[Result]) -> list[_Run]:
    """This machine's newest result, and the published one to stand beside it: of the same key if there is one.

    A result of this machine that was published since is shown once, as published.
    """
    theirs = list(published)
    if mine:
        theirs.sort(key=lambda one: key_of(one) != key_of(mine[0]))
    found = [_run(layout.published, one, "published") for one in theirs[:1]]
    if mine and not any(run.sourced.result.run_id == mine[0].run_id for run in found):
        found.insert(0, _run(layout.local, mine[0], "local"))
    return found


def _run(store: Store, result: Result, origin: Origin) -> _Run:
    return _Run(Sourced(result, origin), read_notebook(store, result), read_blocks_csv(store, result))


def _evidence(runs: Sequence[_Run], shared: Evidence) -> Evidence:
    by_origin = {run.sourced.origin: run for run in runs}
    names: Mapping[Origin, Mapping[str, str]] = {
        origin: {name: text for name, text in LABELS.items() if name in run.downloads()}
        for origin, run in by_origin.items()
    }
    published, local = by_origin.get("published"), by_origin.get("local")
    return evidence_of(
        published.sourced.result if published else None,
        local.sourced.result if local else None,
        Evidence((), shared.sources, shared.claims, shared.outcomes, names),
    )


def _extra(runs: Sequence[_Run], name: str, lang: Lang) -> dict[str, str]:
    """Downloads, and the executed notebooks as pages; `name` tells them from those of other experiments."""
    found: dict[str, str] = {}
    for run in runs:
        folder = f"data/{name}/{run.sourced.origin}"
        found |= {f"{folder}/{file}": content for file, content in run.downloads().items()}
        if run.notebook is not None:
            found[f"notebooks/{name}-{run.sourced.origin}.md"] = _notebook(run, name, lang)
    return found


def _notebook(run: _Run, name: str, lang: Lang) -> str:
    result = run.sourced.result
    title = f"{name}, {result.machine}, {date_text(result.as_of, lang)}"
    back = {"en": "Back to", "vi": "Về trang"}[lang]
    return notebook_markdown(
        run.notebook or {},
        lang,
        title=title,
        chart=lambda chart_id: chart_figure(run.sourced, chart_id, title, lang),
        back=f"[{back} {result.experiment}](../{result.experiment}.md)",
    )
