"""Wordings of claims and outcomes in two languages: which Vietnamese ones are out of date. Texts only."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from specwiki.core.claims import Claim, ClaimFile, OutcomeWordings, evaluate
from specwiki.core.interleaving import comparable
from specwiki.core.page_text import text_hash
from specwiki.core.result import Result, Value
from specwiki.core.translation import Verdict
from specwiki.errors import InputError

_KEY = re.compile(r"""([ \t]*of[ \t]*=[ \t]*)(?:"[^"\r\n]*"|'[^'\r\n]*')""")


@dataclass(frozen=True)
class Wording:
    """What is said of one claim or outcome, in both languages.

    Attributes:
        id: `claims.NAME` or `outcomes.NAME`.
        english: Verdict → text.
        vietnamese: Verdict → text.
        of: Hash of the English texts that were translated; None: not recorded.
    """

    id: str
    english: Mapping[str, str]
    vietnamese: Mapping[str, str]
    of: str | None

    @property
    def digest(self) -> str:
        """Hash of the English texts."""
        return wordings_hash(self.english)

    @property
    def state(self) -> Literal["current", "changed", "unrecorded"]:
        """Whether the translation is in date."""
        if self.of is None:
            return "unrecorded"
        return "current" if self.of == self.digest else "changed"


def wordings_hash(texts: Mapping[str, str]) -> str:
    """Hash of what is said under each verdict, in any order of the verdicts."""
    return text_hash("\n".join(f"{state} = {text}" for state, text in sorted(texts.items())))


def wording_of(name: str, entry: Claim | OutcomeWordings) -> Wording:
    """Both languages of a claim or an outcome."""
    if isinstance(entry, Claim):
        return Wording(f"claims.{name}", entry.en.model_dump(), entry.vi.model_dump(), entry.of)
    return Wording(f"outcomes.{name}", entry.en, entry.vi, entry.of)


def wordings_in(file: ClaimFile) -> tuple[Wording, ...]:
    """All that a claims file says, in its order."""
    entries: list[tuple[str, Claim | OutcomeWordings]] = [*file.claims.items(), *file.outcomes.items()]
    return tuple(wording_of(name, entry) for name, entry in entries)


def verdicts_under(claims: Mapping[str, Claim], published: Result | None, quoted: Mapping[str, Value]) -> Verdict:
    """Tells what a published result and the quoted figures say of each claim and outcome.

    Args:
        claims: By name.
        published: Of the page's experiment; None: nothing is published, and only claims over quoted figures have
            a verdict.
        quoted: Quoted figures by key.
    """
    shown = None if published is None else comparable(published)

    def verdict(name: str) -> str | None:
        claim = claims.get(name)
        if claim is not None and (shown is not None or claim.is_quoted):
            return evaluate(name, claim.expression, shown.values if shown else {}, quoted).state
        decided = shown.outcomes.get(name) if shown and claim is None else None
        return decided.verdict.removeprefix("outcome.") if decided else None

    return verdict


def verdicts_by_profile(leading: Verdict, named: Mapping[str, Verdict]) -> Verdict:
    """Tells what the result that leads says of `NAME`, and what that of a profile says of `PROFILE:NAME`.

    Args:
        leading: Of the result that leads.
        named: By profile.
    """

    def verdict(name: str) -> str | None:
        profile, _, bare = name.rpartition(":")
        if not profile:
            return leading(bare)
        return named[profile](bare) if profile in named else None

    return verdict


def recorded(where: str, text: str, hashes: Mapping[str, str]) -> str:
    """A claims file with its `of` keys brought up to date; nothing else in it changes.

    Args:
        where: The file, for messages.
        text: As it was read.
        hashes: `claims.NAME` or `outcomes.NAME` → hash of the English wordings.

    Raises:
        InputError: If the Vietnamese wordings are not a table of their own in the file.
    """
    before = tomllib.loads(text)
    for name, digest in hashes.items():
        kind, _, key = name.partition(".")
        text = _with_key(text, (kind, key, "vi"), digest)
        before[kind][key]["vi"]["of"] = digest
        if _parsed(text) != before:
            raise InputError(
                where, f"'{name}' has no table [{kind}.{_quoted(key)}.vi] to put 'of' into",
                f'Write its wordings as such a table, or put of = "{digest}" beside them yourself',
            )  # fmt: skip
    return text


def _with_key(text: str, path: tuple[str, ...], digest: str) -> str:
    """The text with the key set in the table of that name; without such a table as it is."""
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", text)
    table = next((at for at, line in enumerate(lines) if _table(line) == path), None)
    if table is None:
        return text
    for at in range(table + 1, len(lines)):
        if _table(lines[at]):
            break
        if _KEY.match(lines[at]):
            lines[at] = _KEY.sub(lambda found: f'{found[1]}"{digest}"', lines[at], count=1)
            return "".join(lines)
    end = "\r\n" if lines[table].endswith("\r\n") else "\n"
    lines[table] = lines[table].rstrip("\r\n") + end
    lines.insert(table + 1, f'of = "{digest}"{end}')
    return "".join(lines)


def _table(line: str) -> tuple[str, ...] | None:
    """The name of the table that a line opens; None: it opens none."""
    node = _parsed(line) if line.lstrip().startswith("[") else None
    path: list[str] = []
    while node:
        (name, inner), *_ = node.items()
        path.append(name)
        node = inner if isinstance(inner, dict) else None
    return tuple(path) or None


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else f'"{key}"'


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
