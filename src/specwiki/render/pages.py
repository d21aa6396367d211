"""A page's source, in one language, with what was measured, to plain Markdown. Knows no clock, no host, no file."""

from __future__ import annotations

import datetime as dt
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import yaml  # type: ignore[import-untyped]
from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment

from specwiki.core.claims import evaluate
from specwiki.core.keys import nearest
from specwiki.errors import InputError, SpecwikiError
from specwiki.render.evidence import Evidence, find_named
from specwiki.render.figures import Figures
from specwiki.render.findings import Findings, Render
from specwiki.render.news import WhatChanged
from specwiki.render.origins import Origins, folder_name
from specwiki.render.outdated import note_function, with_marks
from specwiki.units import LANGS, Lang

DEFAULT_EXPERIMENT = "depth"


@dataclass(frozen=True)
class PageSource:
    """A page as somebody wrote it: `docs/<lang>/<name>.md`."""

    name: str
    lang: Lang
    front: Mapping[str, Any]
    body: str

    @property
    def where(self) -> str:
        """The file, for messages."""
        return f"docs/{self.lang}/{self.name}.md"

    @property
    def experiment(self) -> str:
        """The experiment whose results the page shows."""
        return str(self.front.get("experiment", DEFAULT_EXPERIMENT))

    @property
    def profiles(self) -> tuple[str, ...]:
        """Profiles that the page shows by name, apart from the one that leads."""
        return tuple(one.strip() for one in str(self.front.get("profiles", "")).split(",") if one.strip())

    @property
    def title(self) -> str:
        """As the front matter has it; else its name."""
        return str(self.front.get("title", self.name))

    @property
    def description(self) -> str:
        """One sentence; empty if there is none."""
        return str(self.front.get("description", ""))

    @property
    def address(self) -> str:
        """Of the built page below its language's root; empty, or ends with a slash."""
        return "" if self.name == "index" else f"{self.name}/"

    @property
    def root(self) -> str:
        """The language's root as seen from the built page."""
        return "../" * self.address.count("/")

    @property
    def text(self) -> str:
        """The file's content."""
        front = "".join(f"{key}: {_as_yaml(content)}\n" for key, content in self.front.items())
        return (f"---\n{front}---\n" if front else "") + self.body


def profiles_apart(pages: Iterable[PageSource]) -> dict[str, tuple[str, ...]]:
    """Experiment → profiles that its pages show by name; their results never lead."""
    found: dict[str, dict[str, None]] = {}
    for page in pages:
        found.setdefault(page.experiment, {}).update(dict.fromkeys(page.profiles))
    return {experiment: tuple(profiles) for experiment, profiles in found.items()}


def parse_page(name: str, lang: Lang, text: str) -> PageSource:
    """Split a page into front matter and body.

    Raises:
        InputError: If the front matter is not closed, or is no YAML of keys and values.
    """
    where = f"docs/{lang}/{name}.md"
    if not text.startswith("---\n"):
        return PageSource(name, lang, {}, text)
    head, closed, body = text.removeprefix("---\n").partition("\n---\n")
    if not closed:
        raise InputError(where, "the front matter has no end, expected a line '---'", "Close it")
    try:
        front = yaml.safe_load(head) or {}
    except yaml.YAMLError as problem:
        line = (
            problem.problem_mark.line + 2 if isinstance(problem, yaml.MarkedYAMLError) and problem.problem_mark else 1
        )
        raise InputError(where, f"the front matter is no YAML, line {line}", "Put that text into quotes") from None
    if not isinstance(front, dict):
        raise InputError(where, f"'{head[:40]}' in the front matter is no 'key: value'", "Correct that line")
    return PageSource(name, lang, {str(key): _plain(content) for key, content in front.items()}, body)


def _plain(content: Any) -> Any:
    """A date as it is written; nothing as an empty text."""
    if isinstance(content, dt.date):
        return content.isoformat()
    return "" if content is None else content


def _as_yaml(content: Any) -> str:
    """JSON is YAML, but for the line ends that only YAML knows."""
    text = json.dumps(content, ensure_ascii=False)
    return re.sub("[\x85\u2028\u2029]", lambda end: f"\\u{ord(end[0]):04x}", text)


def environment() -> SandboxedEnvironment:
    """Jinja with delimiters that Markdown, heading ids and mathematics do not use."""
    return SandboxedEnvironment(
        variable_start_string="@{{",
        variable_end_string="}}",
        block_start_string="@{%",
        block_end_string="%}",
        comment_start_string="@{#",
        comment_end_string="#}",
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        keep_trailing_newline=True,
    )


def render_page(page: PageSource, evidence: Evidence, others: Mapping[str, Evidence] | None = None) -> PageSource:
    """A page as plain Markdown, with the front matter that is MkDocs'.

    Args:
        page: The source.
        evidence: The results, quoted figures and claims that it may show.
        others: The same for each profile that it names; `of("NAME").value(…)` and the like work on the page.

    Raises:
        SpecwikiError: If the page names something that is not there, with the nearest name; if its Jinja is wrong;
            if a claim cannot be evaluated.
    """
    jinja = environment()

    def render(text: str, names: Mapping[str, Any]) -> str:
        return _rendered(jinja, text, dict(names), page.where)

    names = _names(page, evidence, render) | {"lang": page.lang, "outdated": note_function(page.name)}
    named = {name: SimpleNamespace(**_names(page, other, render, name)) for name, other in (others or {}).items()}

    def of(profile: str) -> SimpleNamespace:
        find_named(profile, named, "profile in the front matter's 'profiles'", page.where)
        return named[profile]

    front = {key: content for key, content in page.front.items() if key not in {"experiment", "profiles"}}
    body = render(page.body, {**names, "of": of})
    return replace(page, front={key: _composed(content) for key, content in front.items()}, body=_composed(body))


def _composed(content: Any) -> Any:
    """A text with its diacritics in NFC, however they were typed."""
    return unicodedata.normalize("NFC", content) if isinstance(content, str) else content


def _names(page: PageSource, evidence: Evidence, render: Render, profile: str = "") -> dict[str, Any]:
    """What a page may ask and call; with a profile, of its results."""
    evidence = evidence.seen_from(page.root, folder_name(page.experiment, profile))
    findings = Findings(evidence, page.lang, page.where, render)
    found = with_marks(findings.functions(), evidence) if page.lang == "vi" else findings.functions()
    found |= WhatChanged(evidence, page.lang, findings).functions()
    found |= Figures(evidence, page.lang, page.where, profile).functions()
    found |= Origins(evidence, page.lang, page.where, page.experiment, profile).functions()
    return found | {
        "measured": evidence.main is not None,
        "measured_here": evidence.main is not None and evidence.main.origin == "local",
        "scheduled": any(one.result.schedule is not None for one in evidence.results),
    }


def wording_problems(evidence: Evidence) -> list[SpecwikiError]:
    """Every wording of every claim and outcome that could not be printed, whatever the data come to say.

    A page shows one wording of each; a mistake in another would be found on the day that a verdict changes.
    """
    jinja = environment()
    problems: list[SpecwikiError] = []
    for lang in LANGS:
        for where, text in _wordings(evidence, lang):

            def render(wording: str, names: Mapping[str, Any], place: str = where) -> str:
                return _rendered(jinja, wording, dict(names), place)

            try:
                Findings(evidence, lang, where, render).try_wording(text)
            except SpecwikiError as problem:
                problems.append(problem)
    for name, claim in evidence.claims.items():
        try:
            evaluate(name, claim.expression, {}, evidence.quoted_values)
        except SpecwikiError as problem:
            problems.append(problem)
    return problems


def _wordings(evidence: Evidence, lang: Lang) -> Iterator[tuple[str, str]]:
    for name, claim in evidence.claims.items():
        for state, text in getattr(claim, lang).model_dump().items():
            yield f"claim '{name}', {lang}.{state}", text
    for name, outcome in evidence.outcomes.items():
        for verdict, text in getattr(outcome, lang).items():
            yield f"outcome '{name}', {lang}.{verdict}", text


def _rendered(jinja: SandboxedEnvironment, text: str, names: dict[str, Any], where: str) -> str:
    try:
        return jinja.from_string(text).render(names)
    except TemplateSyntaxError as failure:
        raise InputError(where, f"line {failure.lineno} of its text: {failure.message}", "Correct the page") from None
    except TemplateError as failure:
        missing = str(failure.message).split("'")
        hint = nearest(missing[1], names) if len(missing) > 1 else "Correct the page"
        raise InputError(where, str(failure.message), hint) from None
