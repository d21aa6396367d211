"""The state of the Vietnamese pages and wordings: what is out of date, and recording what was translated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specwiki.core import wordings
from specwiki.core.claims import ClaimFile
from specwiki.core.current import current_of
from specwiki.core.keys import nearest
from specwiki.core.layout import Layout
from specwiki.core.recomputed import quoted_values
from specwiki.core.result import Result
from specwiki.core.translation import Flip, Passage, Verdict, compare, recorded
from specwiki.core.wordings import Wording
from specwiki.edges import pages as page_files
from specwiki.edges.store import read_results, write_atomic
from specwiki.errors import InputError, SpecwikiError, StaleError, raise_all
from specwiki.render.pages import parse_page, profiles_apart

ALL = "all"
"""In place of ids: everything that is out of date."""

_REASONS = {
    "changed": "its English text changed after it was translated",
    "unrecorded": "nothing says which English text it translates",
    "missing": "nobody translated it",
    "left-over": "the English text that it translates is gone",
}


@dataclass(frozen=True)
class Entry:
    """A block of a page, or the wordings of a claim or an outcome, whose translation is out of date.

    Attributes:
        page: Name to give to the command.
        id: Of the block; `claims.NAME` or `outcomes.NAME` of wordings.
        state: As of `Passage`.
        where: File, and line where there is one.
        english: Text now; None: left over.
        vietnamese: Text now; None: missing.
        flips: Verdicts that changed.
    """

    page: str
    id: str
    state: str
    where: str
    english: str | None
    vietnamese: str | None
    flips: tuple[Flip, ...] = ()

    @property
    def reason(self) -> str:
        """Why it is out of date, in words."""
        flips = [
            f"the verdict of '{one.name}' went from {one.then} to {one.now}" if one.then
            else f"'{one.name}' has a published verdict since, {one.now}"
            for one in self.flips
        ]  # fmt: skip
        return "; ".join([*([_REASONS[self.state]] if self.state in _REASONS else []), *flips])

    def text(self) -> str:
        """For people: what, why, and both texts."""
        parts = [f"{self.id} ({self.where}): {self.reason}"]
        for title, said in (("English now", self.english), ("Vietnamese now", self.vietnamese)):
            parts += [f"  {title}:", *(f"    {line}".rstrip() for line in (said or "(none)").splitlines())]
        return "\n".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        flips = [{"name": one.name, "then": one.then, "now": one.now} for one in self.flips]
        return {"page": self.page, "id": self.id, "state": self.state, "where": self.where, "reason": self.reason,
                "english": self.english, "vietnamese": self.vietnamese, "verdicts": flips}  # fmt: skip

    def problem(self) -> StaleError:
        """For the check."""
        done = f"'specwiki translate {self.page} --done {self.id}'"
        hint = {
            "missing": f"Translate it in docs/vi/{self.page}.md, then run {done}",
            "left-over": f"Delete it; 'specwiki translate {self.page}' shows it",
        }.get(self.state, f"'specwiki translate {self.page}' shows both texts; mend the Vietnamese, then run {done}")
        return StaleError(self.where, f"'{self.id}': {self.reason}", hint)


@dataclass(frozen=True)
class Recorded:
    """What was recorded.

    Attributes:
        files: That were written.
        ids: Recorded as translated, by name of the page.
        unchanged: Of these, blocks whose English text changed and whose Vietnamese text did not.
        left: What is still out of date and cannot be recorded: missing, or left over.
    """

    files: tuple[Path, ...]
    ids: tuple[tuple[str, str], ...]
    unchanged: tuple[tuple[str, str], ...]
    left: tuple[Entry, ...]

    def text(self) -> str:
        """For people."""
        same: dict[str, list[str]] = {}
        for page, id_ in self.unchanged:
            same.setdefault(page, []).append(id_)
        lines = [one.text() for one in self.left]
        lines += [f"{page}: the English text changed, the Vietnamese did not: {', '.join(ids)}"
                  for page, ids in same.items()]  # fmt: skip
        return "\n".join([*lines, f"{len(self.ids)} recorded in {len(self.files)} files"])

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        pairs = {"recorded": self.ids, "unchanged": self.unchanged}
        named = {key: [{"page": page, "id": id_} for page, id_ in ids] for key, ids in pairs.items()}
        return {**named, "left": [one.as_dict() for one in self.left]}


def _nothing(_name: str) -> None:
    """The verdicts of what is no page."""


@dataclass(frozen=True)
class Part:
    """What has one name: a page, a claims file, or both.

    Attributes:
        name: Of the page, and of the file in `docs/claims`.
        vietnamese: Source of the page; empty: there is no page.
        experiment: Whose results the page shows; empty: there is no page.
        passages: Blocks of the page in both languages.
        verdict: What the published results say of claims and outcomes.
        wordings: Of the claims file.
    """

    name: str
    vietnamese: str = ""
    experiment: str = ""
    passages: tuple[Passage, ...] = ()
    verdict: Verdict = _nothing
    wordings: tuple[Wording, ...] = ()

    def entries(self) -> list[Entry]:
        """What of it is out of date."""
        blocks = [_block_entry(self.name, one) for one in self.passages if one.state != "current"]
        said = [_wording_entry(self.name, one) for one in self.wordings if one.state != "current"]
        return blocks + said

    def chosen(self, ids: Sequence[str]) -> set[str]:
        """Ids to record.

        Raises:
            InputError: For each id that is not there, or that has a text in one language only.
        """
        both = {one.id for one in self.passages if one.english and one.vietnamese} | {one.id for one in self.wordings}
        if ALL in ids:
            return {one.id for one in self.entries() if one.english is not None and one.vietnamese is not None}
        alone = {one.id: one for one in self.entries() if one.id not in both}
        problems: list[SpecwikiError] = []
        for id_ in ids:
            if id_ in alone:
                hint = alone[id_].problem().hint.partition(", then run")[0]
                problems.append(InputError(f"--done {id_}", _REASONS[alone[id_].state], hint))
            elif id_ not in both:
                problems.append(InputError(f"--done {id_}", f"'{self.name}' has no such id", nearest(id_, both)))
        raise_all(problems)
        return set(ids)


def outdated(layout: Layout, page: str | None = None) -> list[Entry]:
    """Everything whose translation is out of date, in one page and the claims file of that name, or in all.

    Raises:
        SpecwikiError: If there is neither of that name; for each comment that cannot be read.
    """
    return [entry for part in parts(layout, page) for entry in part.entries()]


def record(layout: Layout, page: str | None, ids: Sequence[str]) -> Recorded:
    """Write down that blocks and wordings are translated as they stand; only comments and `of` keys are written.

    Args:
        layout: Of the project.
        page: A page, a claims file, or both of one name; None: all.
        ids: As listed; or `all`.

    Raises:
        SpecwikiError: If anything is wrong; then nothing was written.
    """
    if page is None and list(ids) != [ALL]:
        raise InputError("--done", f"ids without a page: {', '.join(ids)}", "Name the page before --done")
    files: dict[Path, str] = {}
    done: list[tuple[str, str]] = []
    unchanged: list[tuple[str, str]] = []
    left: list[Entry] = []
    for part in parts(layout, page):
        chosen = part.chosen(ids)
        done += [(part.name, one) for one in sorted(chosen)]
        unchanged += [(part.name, one.id) for one in part.passages
                      if one.id in chosen and one.state == "changed" and one.unchanged]  # fmt: skip
        left += [one for one in part.entries() if ALL in ids and None in (one.english, one.vietnamese)]
        if part.passages:
            path = _vietnamese(layout, part.name)
            files[path] = recorded(part.vietnamese, part.passages, chosen, part.verdict)
        hashes = {one.id: one.digest for one in part.wordings if one.id in chosen}
        if hashes:
            path = _claims(layout, part.name)
            files[path] = wordings.recorded(str(path), page_files.read_raw(path), hashes)
    changed = {path: text for path, text in files.items() if page_files.read_raw(path) != text}
    for path, text in changed.items():
        write_atomic(path.resolve(), text.encode())
    return Recorded(tuple(changed), tuple(done), tuple(unchanged), tuple(left))


def parts(layout: Layout, page: str | None = None) -> list[Part]:
    """Pages and claims files, as they stand; all of them, or those of one name.

    Raises:
        SpecwikiError: If there is neither of that name; for each comment that cannot be read.
    """
    sources = page_files.read_sources(layout.docs)
    files = page_files.read_claim_files(layout.docs)
    names = sorted({name for name, _ in sources} | set(files))
    if page is not None and page not in names:
        raise InputError(f"page '{page}'", "there is neither a page nor a file in docs/claims of that name",
                         nearest(page, names))  # fmt: skip
    pages = [parse_page(name, lang, re.sub(r"\r\n?", "\n", text)) for (name, lang), text in sources.items()]
    judge = _judge(layout, files.values(), profiles_apart(pages))
    found: list[Part] = []
    problems: list[SpecwikiError] = []
    for name in names if page is None else [page]:
        said = wordings.wordings_in(files[name]) if name in files else ()
        try:
            found.append(_page(layout, name, judge, said) if (name, "vi") in sources else Part(name, wordings=said))
        except SpecwikiError as problem:
            problems += getattr(problem, "problems", [problem])
    raise_all(problems)
    return found


def _judge(layout: Layout, claims: Iterable[ClaimFile], apart: Mapping[str, Sequence[str]]) -> Callable[[str], Verdict]:
    """Experiment → what its newest published result and the quoted figures say; never a result of this machine.

    Results of profiles that pages show by name, `apart`, never lead.
    """
    quoted = quoted_values(page_files.read_quoted(layout.quoted))
    known = {name: claim for file in claims for name, claim in file.claims.items()}
    published = read_results(layout.published)

    def of_newest(results: Sequence[Result]) -> Verdict:
        return wordings.verdicts_under(known, next(iter(results), None), quoted)

    def judge(experiment: str) -> Verdict:
        profiles = apart[experiment]
        named = {profile: of_newest(current_of(published, experiment, of=profile)) for profile in profiles}
        return wordings.verdicts_by_profile(of_newest(current_of(published, experiment, apart=profiles)), named)

    return judge


def _page(layout: Layout, name: str, judge: Callable[[str], Verdict], said: tuple[Wording, ...]) -> Part:
    english = page_files.read_raw(layout.docs / "en" / f"{name}.md")
    vietnamese = page_files.read_raw(_vietnamese(layout, name))
    experiment = parse_page(name, "vi", re.sub(r"\r\n?", "\n", vietnamese)).experiment
    verdict = judge(experiment)
    return Part(name, vietnamese, experiment, compare(name, english, vietnamese, verdict), verdict, said)


def _vietnamese(layout: Layout, name: str) -> Path:
    return layout.docs / "vi" / f"{name}.md"


def _claims(layout: Layout, name: str) -> Path:
    return layout.docs / "claims" / f"{name}.toml"


def _block_entry(page: str, passage: Passage) -> Entry:
    english, vietnamese = passage.english, passage.vietnamese
    where = f"docs/vi/{page}.md, line {vietnamese.line}" if vietnamese else ""
    if english is not None and not where:
        where = f"docs/en/{page}.md, line {english.line}"
    texts = [None if block is None else block.text for block in (english, vietnamese)]
    return Entry(page, passage.id, passage.state, where, texts[0], texts[1], passage.flips)


def _wording_entry(page: str, wording: Wording) -> Entry:
    said = ["\n".join(f"{state} = {text}" for state, text in texts.items())
            for texts in (wording.english, wording.vietnamese)]  # fmt: skip
    return Entry(page, wording.id, wording.state, f"docs/claims/{page}.toml", said[0], said[1])
