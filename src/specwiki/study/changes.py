"""Compare the published results of the work tree, or of a commit, with those of an earlier commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from specwiki.core.changes import deciding_values, named_values, outcome_changes, value_changes, verdict_changes
from specwiki.core.claims import Claim
from specwiki.core.current import Key, current, current_of
from specwiki.core.keys import nearest
from specwiki.core.layout import Layout, Store
from specwiki.core.page_blocks import call_lines
from specwiki.core.recomputed import quoted_values
from specwiki.core.result import Result, Value
from specwiki.edges import git
from specwiki.edges import pages as page_files
from specwiki.edges.store import read_results
from specwiki.errors import InputError, SpecwikiError, raise_all
from specwiki.render.change_report import Report, Section, Touched
from specwiki.render.pages import parse_page, profiles_apart
from specwiki.study.translation import Part, parts
from specwiki.units import LANGS, Lang

HERE = "HEAD"
"""What is compared with where nothing is said: what is not committed, against what is."""
_RANGE = ".."
_ALL_OF_IT = ("mkdocs.yml", "docs", "data/results", "data/quoted")


def changes(layout: Layout, experiment: str | None = None, since: str = HERE) -> Report:
    """What publishing changed since a commit.

    Claims, wordings and pages are taken as they are written on the later side, for both: only data flip them.

    Args:
        layout: Of the project.
        experiment: Its slug; None: all.
        since: A commit by any name that git knows; or `A..B`, to compare two commits and not the work tree.

    Raises:
        InputError: If git knows no such commit; if there is no published result on either side.
        SpecwikiError: If something that is compared cannot be read.
    """
    first, ranged, last = since.partition(_RANGE)
    if last.startswith("."):
        raise InputError("--since", f"'{since}' has three dots, expected a commit, or A..B", "Name both ends as A..B")
    before = git.commit_of(layout.root, first or HERE)
    with TemporaryDirectory() as folder:
        old_root, new_root = Path(folder) / "old", Path(folder) / "new"
        old = _at(layout, before, old_root, ["data/results"])
        if not ranged:
            return _compared(old, layout, experiment, f"the work tree against {_short(first or HERE, before)}")
        after = git.commit_of(layout.root, last or HERE)
        with _told_of(new_root, after):
            new = Layout(new_root, Store(new_root / "none"))
            git.extract(layout.root, after, _ALL_OF_IT, new_root)
            span = f"{_short(last or HERE, after)} against {_short(first or HERE, before)}"
            return _compared(old, new, experiment, span)


def _at(layout: Layout, commit: str, folder: Path, names: Sequence[str]) -> list[Result]:
    """The published results as they stood in a commit."""
    with _told_of(folder, commit):
        git.extract(layout.root, commit, names, folder)
        return read_results(Store(folder / "data"))


@contextmanager
def _told_of(folder: Path, commit: str) -> Iterator[None]:
    """Errors about a copy of a commit's files, told as of that commit."""
    try:
        yield
    except SpecwikiError as failure:
        copy = f"{folder}/"
        raise_all([
            type(one)(one.where.replace(copy, f"{commit[:12]}:"), one.what.replace(copy, ""),
                      "Compare with a commit whose files can be read" if copy in one.where else one.hint)
            for one in getattr(failure, "problems", [failure])
        ])  # fmt: skip


def _short(ref: str, commit: str) -> str:
    return commit[:12] if commit.startswith(ref) else f"{ref}, {commit[:12]}"


@dataclass(frozen=True)
class _Page:
    """A page on the later side.

    Attributes:
        part: Its blocks in both languages.
        sources: Its text in each language, front matter included.
        printed: For each language, claims and outcomes with the lines where they are printed.
    """

    part: Part
    sources: Mapping[Lang, str]
    printed: Mapping[Lang, Mapping[str, Sequence[int]]]

    @property
    def names(self) -> set[str]:
        """Claims and outcomes that it prints in either language, as `call_lines` names them."""
        return {name for printed in self.printed.values() for name in printed}

    def touched(self, name: str) -> Touched:
        """Where it prints a claim or an outcome."""
        around = [one for one in self.part.passages if one.english and name in one.english.calls]
        lines = {lang: tuple(self.printed[lang].get(name, ())) for lang in LANGS}
        return Touched(
            self.part.name, name, lines["en"], lines["vi"],
            tuple(one.id for one in around), tuple(one.id for one in around if one.state != "current"),
        )  # fmt: skip


@dataclass(frozen=True)
class _Wiki:
    """What is written on the later side.

    Attributes:
        pages: Experiment → pages that show it.
        claims: Experiment → claims that its pages print, by name.
        quoted: Quoted figures by key.
        texts: Experiment → texts in which its values are named.
        apart: Experiment → profiles that its pages show by name.
    """

    pages: Mapping[str, Sequence[_Page]]
    claims: Mapping[str, Mapping[str, Claim]]
    quoted: Mapping[str, Value]
    texts: Mapping[str, Sequence[str]]
    apart: Mapping[str, Sequence[str]]


def _wiki(layout: Layout) -> _Wiki:
    sources = page_files.read_sources(layout.docs)
    pages: dict[str, list[_Page]] = {}
    for part in parts(layout):
        if part.experiment:
            texts = {lang: sources[part.name, lang] for lang in LANGS}
            printed = {lang: call_lines(text) for lang, text in texts.items()}
            pages.setdefault(part.experiment, []).append(_Page(part, texts, printed))
    known, outcomes = page_files.read_claims(layout.docs)
    names = {experiment: {name.rpartition(":")[2] for page in mine for name in page.names}
             for experiment, mine in pages.items()}  # fmt: skip
    claims = {experiment: {name: claim for name, claim in known.items() if name in mine}
              for experiment, mine in names.items()}  # fmt: skip
    named = {
        experiment: [
            *(text for page in mine for text in page.sources.values()),
            *(text for one in claims[experiment].values() for text in (one.expression, *one.en.model_dump().values())),
            *(text for name, one in outcomes.items() if name in names[experiment] for text in one.en.values()),
        ]
        for experiment, mine in pages.items()
    }
    parsed = [parse_page(name, lang, text) for (name, lang), text in sources.items()]
    quoted = quoted_values(page_files.read_quoted(layout.quoted))
    return _Wiki(pages, claims, quoted, named, profiles_apart(parsed))


def _compared(old: Sequence[Result], layout: Layout, experiment: str | None, span: str) -> Report:
    new = read_results(layout.published)
    then, now = current(old), current(new)
    keys = sorted({*then, *now}, key=lambda key: (key[2], *key))
    slugs = {slug for _, _, slug in keys}
    if not keys:
        raise InputError(str(layout.published.results), "there is no published result, and there was none then",
                         "Run 'specwiki publish EXPERIMENT' first, or name an earlier commit with --since")  # fmt: skip
    if experiment is not None and experiment not in slugs:
        raise InputError(f"experiment '{experiment}'", "it has no published result, and had none then",
                         nearest(experiment, slugs))  # fmt: skip
    wiki = _wiki(layout)
    chosen = [key for key in keys if experiment in {None, key[2]}]
    changed = [key for key in chosen if then.get(key) != now.get(key)]
    return Report(
        span,
        tuple(_section(key, then.get(key), now.get(key), wiki) for key in changed),
        tuple(key for key in chosen if key not in changed),
        tuple(one for slug in wiki.pages if experiment in {None, slug} for one in _touched(slug, old, new, wiki)),
    )  # fmt: skip


def _section(key: Key, old: Result | None, new: Result | None, wiki: _Wiki) -> Section:
    sides = [one for one in (old, new) if one is not None]
    present = {name for one in sides for name in one.values}
    first = named_values(wiki.texts.get(key[2], ()), present).union(*(deciding_values(one) for one in sides))
    return Section(
        key, old, new,
        outcome_changes(old, new),
        verdict_changes(wiki.claims.get(key[2], {}), old, new, wiki.quoted),
        () if new is None else value_changes(old, new),
        frozenset(first),
    )  # fmt: skip


def _touched(experiment: str, old: Sequence[Result], new: Sequence[Result], wiki: _Wiki) -> list[Touched]:
    """What pages say differently since, by the results that lead them and by those that they show by name."""
    apart = wiki.apart[experiment]
    differ: set[str] = set()
    for profile in (None, *apart):
        then, now = (_leading(one, experiment, profile, apart) for one in (old, new))
        said = {one.name for one in verdict_changes(wiki.claims[experiment], then, now, wiki.quoted)}
        said |= {one.key for one in outcome_changes(then, now) if one.decides}
        differ |= {name if profile is None else f"{profile}:{name}" for name in said}
    return [page.touched(name) for page in wiki.pages[experiment] for name in sorted(differ & page.names)]


def _leading(results: Sequence[Result], experiment: str, profile: str | None, apart: Sequence[str]) -> Result | None:
    without = apart if profile is None else ()
    return next(iter(current_of(results, experiment, of=profile, apart=without)), None)
