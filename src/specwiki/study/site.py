"""From stored results to the built site: reads both stores and the pages' sources, renders, builds."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import specwiki
from specwiki.core.addresses import Addresses
from specwiki.core.layout import Layout
from specwiki.core.page_blocks import call_lines
from specwiki.core.translation import Verdict, compare
from specwiki.edges import pages as page_files
from specwiki.edges import site as mkdocs
from specwiki.edges import watch
from specwiki.edges.engine import installed_version
from specwiki.edges.store import read_results
from specwiki.errors import EngineError, InputError, SpecwikiError, raise_all
from specwiki.render.evidence import Evidence, News
from specwiki.render.numbers import linked_keys, numbers_page, quoted_page
from specwiki.render.outdated import marked
from specwiki.render.pages import PageSource, parse_page, profiles_apart, render_page, wording_problems
from specwiki.render.programs import BESIDE, VALUES, for_programs, with_dataset
from specwiki.render.values_json import values_json
from specwiki.study.fingerprint import short_hash
from specwiki.study.links import addresses, check_inside
from specwiki.study.shown import Shown, Stored, shown_of
from specwiki.units import LANGS, Lang


def render_site(layout: Layout) -> list[Path]:
    """Render every page in both languages to plain Markdown, with its downloads, into `build/pages`.

    Raises:
        SpecwikiError: Every problem of every page; the pages of the last good rendering stay.
    """
    at = addresses()
    texts = page_files.read_sources(layout.docs)
    sources = [parse_page(name, lang, text) for (name, lang), text in texts.items()]
    _require_pages(sources)
    claims, outcomes = page_files.read_claims(layout.docs)
    shared = Evidence((), page_files.read_quoted(layout.quoted), claims, outcomes)
    stored = Stored(layout, tuple(read_results(layout.published)), tuple(read_results(layout.local)))
    apart = profiles_apart(sources)
    shown = {name: shown_of(stored, name, apart[name], shared) for name in sorted(apart)}
    news = _news(shown, sources)
    pages: list[PageSource] = []
    problems = wording_problems(shared)
    for source in sources:
        mine = shown[source.experiment]
        try:
            page = render_page(_noted(source, texts, mine.verdict), replace(mine.evidence, news=news), mine.others)
            pages.append(with_dataset(page, mine.evidence, source.experiment, at.of(source.lang)))
        except SpecwikiError as problem:
            problems.extend(getattr(problem, "problems", [problem]))
    raise_all(problems)
    pages += _numbers(pages, shown, shared)
    pages += [page for lang in LANGS for mine in shown.values() for page in mine.notebooks(lang)]
    files = {f"{page.lang}/{page.name}.md": page.text for page in pages}
    named = {mine.name(profile): one for mine in shown.values() for profile, one in mine.by_profile.items()}
    for lang in LANGS:
        for mine in shown.values():
            files |= {f"{lang}/{name}": content for name, content in mine.downloads(lang).items()}
        files[f"{lang}/{VALUES}"] = values_json(named)
    beside = for_programs(pages, {lang: at.of(lang) for lang in LANGS})
    return page_files.write_pages(layout.pages, files | {f"{BESIDE}/{name}": text for name, text in beside.items()})


def _require_pages(sources: Sequence[PageSource]) -> None:
    """Refuse an experiment that pages show and that no page is called after: its numbers would lead nowhere."""
    names = {source.name for source in sources}
    shown = {source.experiment: source for source in sources}
    raise_all(
        [
            InputError(source.where, f"it shows the experiment '{experiment}', and there is no page of that name",
                       f"Call a page '{experiment}.md', in each language")
            for experiment, source in sorted(shown.items()) if experiment not in names
        ]
    )  # fmt: skip


def _news(shown: Mapping[str, Shown], sources: Sequence[PageSource]) -> tuple[News, ...]:
    """The published results that pages show, with the titles of the pages that are about their experiments."""
    titles: dict[str, dict[Lang, str]] = {}
    printed: dict[str, set[str]] = {}
    for source in sources:
        titles.setdefault(source.name, {})[source.lang] = source.title
        printed.setdefault(source.experiment, set()).update(call_lines(source.body))
    return tuple(
        News(one, mine.name(profile), titles[experiment], _bare(printed[experiment], profile))
        for experiment, mine in shown.items()
        for profile, evidence in mine.by_profile.items()
        for one in evidence.results
        if one.origin == "published"
    )


def _bare(calls: Iterable[str], profile: str) -> frozenset[str]:
    """Claims and outcomes that are printed of a profile by name; with an empty one, of the result that leads."""
    pairs = (call.rpartition(":") for call in calls)
    return frozenset(name for of, _, name in pairs if of == profile)


def _numbers(pages: Sequence[PageSource], shown: Mapping[str, Shown], shared: Evidence) -> list[PageSource]:
    """The pages that list the numbers that `pages` link to, in both languages."""
    linked = set().union(*(linked_keys(page.text) for page in pages))
    found = [quoted_page(shared, lang) for lang in LANGS]
    for page in pages:
        if page.name in shown:
            mine = shown[page.name]
            for profile, evidence in mine.by_profile.items():
                keys = {(origin, key) for of, origin, key in linked if of == mine.name(profile)}
                found.append(numbers_page(page, evidence, mine.name(profile), keys))
    return found


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

    Raises:
        SpecwikiError: Every problem that stopped it, a link within the site that leads nowhere among them; the site
            that stood stays.
    """
    inputs = _fingerprint(layout)
    render_site(layout)
    at = addresses()
    site = mkdocs.build(layout.root, layout.docs, layout.site, layout.pages / BESIDE, at,
                        lambda fresh: check_inside(fresh, at))  # fmt: skip
    page_files.write_text(_stamp(layout), inputs)
    return site


def site_is_current(layout: Layout) -> bool:
    """Whether the site stands, and nothing that it is made from changed since it was built."""
    stamp = _stamp(layout)
    if not (layout.site / "index.html").exists() or not stamp.exists():
        return False
    return stamp.read_text(encoding="utf-8") == _fingerprint(layout)


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
        seen = _fingerprint(layout)
        say(f"serving {address} (Ctrl-C ends it)")
        for _ in itertools.count() if turns is None else range(turns):
            time.sleep(0.5)
            now = _fingerprint(layout)
            if now != seen:
                seen = now
                say(_rebuilt(layout))


def _rebuilt(layout: Layout) -> str:
    try:
        build_site(layout)
    except SpecwikiError as problem:
        return "\n".join(f"error: {one}" for one in getattr(problem, "problems", [problem]))
    return "built again; reload the page"


def built_for(layout: Layout) -> Addresses:
    """Where the site that was built last will stand; where that is not known, what the environment says now."""
    stamp = _stamp(layout)
    _, said, above = (stamp.read_text(encoding="utf-8") if stamp.exists() else "").partition(" ")
    return Addresses(above) if said else addresses()


def _fingerprint(layout: Layout) -> str:
    """Changes with anything that the site is made from, and with where it will stand."""
    return f"{watch.fingerprint(_inputs(layout))}{_engine()} {addresses().above}"


def _engine() -> str:
    """The engine that is installed, as a result of this machine is compared with it; nothing where none is."""
    try:
        return f"-{short_hash(installed_version())}"
    except EngineError:
        return ""


def _stamp(layout: Layout) -> Path:
    return layout.pages.parent / "site.sha256"


def _inputs(layout: Layout) -> list[Path]:
    """Everything that the site is made from: pages, results, raw files that pages show, and our code for it."""
    stores = (layout.published, layout.local)
    shown = [path for store in stores for name in ("notebook.ipynb", "blocks.csv")
             for path in sorted(store.root.glob(f"runs/*/*/*/*/{name}"))]  # fmt: skip
    results = [store.results for store in stores]
    measured = [layout.experiments, layout.profiles, layout.prompts, layout.local.prompts]
    return [
        layout.docs,
        layout.root / "mkdocs.yml",
        layout.quoted,
        *measured,
        *results,
        *shown,
        Path(specwiki.__file__).parent,
    ]
