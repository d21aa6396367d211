"""What of a Vietnamese page is out of date: its blocks, each under the comment that says what it was translated from.

Knows texts only; which verdicts the data give is told by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from specwiki.core.page_blocks import Block, scan
from specwiki.core.page_text import HASH_DIGITS, after_line, line_of
from specwiki.errors import InputError, SpecwikiError, raise_all

State = Literal["current", "changed", "flipped", "unrecorded", "missing", "left-over"]
"""`changed`: the English text; `flipped`: a verdict only; `unrecorded`: no comment says what it was translated from;
`missing`: there is no Vietnamese block; `left-over`: there is no English block."""

Verdict = Callable[[str], str | None]
"""What the published result says of a claim or an outcome; None where nothing is published."""

_HASH = rf"[0-9a-f]{{{HASH_DIGITS}}}"
_RECORD = re.compile(rf"@\{{# en: (\S+) ({_HASH})(?: vi: ({_HASH}))?((?: [^\s=]+=[^\s=]+)*) #\}}")
_FORM = "@{# en: ID HASH vi: HASH NAME=VERDICT … #}"


@dataclass(frozen=True)
class Record:
    """The comment above a Vietnamese block.

    Attributes:
        id: Of the English block when it was recorded.
        digest: Of the English text that it was translated from.
        own: Hash of the Vietnamese text at that time; None: not recorded.
        verdicts: Of the claims and outcomes that the block prints, at that time.
    """

    id: str
    digest: str
    own: str | None = None
    verdicts: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        own = f" vi: {self.own}" if self.own else ""
        return f"@{{# en: {self.id} {self.digest}{own}{''.join(f' {k}={v}' for k, v in self.verdicts.items())} #}}"


@dataclass(frozen=True)
class Flip:
    """A claim or an outcome whose verdict is another than when the block was translated; None: there was none."""

    name: str
    then: str | None
    now: str


@dataclass(frozen=True)
class Passage:
    """An English block and the Vietnamese one that translates it; one of the two may be absent.

    Attributes:
        id: Of the English block; of a left-over block, of the one that it was translated from.
        state: Whether the translation is in date, and if not, why.
        english: None: left over.
        vietnamese: None: missing.
        record: What the comment says; None: there is none.
        flips: Verdicts that changed since, also when the text changed as well.
    """

    id: str
    state: State
    english: Block | None = None
    vietnamese: Block | None = None
    record: Record | None = None
    flips: tuple[Flip, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether the Vietnamese text is known to be the one of the last record."""
        return bool(self.record and self.vietnamese and self.record.own == self.vietnamese.digest)


def parse_record(text: str) -> Record | None:
    """Read a comment; None: it does not have the form."""
    found = _RECORD.fullmatch(text)
    if found is None:
        return None
    pairs = [pair.split("=") for pair in found[4].split()]
    verdicts = dict(pairs)
    return Record(found[1], found[2], found[3], verdicts) if len(verdicts) == len(pairs) else None


def compare(name: str, english: str, vietnamese: str, verdict: Verdict) -> tuple[Passage, ...]:
    """Pair the blocks of a page's two languages, and say which translations are out of date.

    Within a section a Vietnamese block belongs to the English one whose text it was translated from, wherever that now
    stands; else to the one with the id of its comment; without a comment, to the next one that nobody translates.

    Args:
        name: Of the page, for messages.
        english: Source of the English page.
        vietnamese: Source of the Vietnamese page.
        verdict: By the name of a claim or an outcome.

    Returns:
        In the order of the English page, those left over last.

    Raises:
        InputError: For each comment that cannot be read, stands before no block, or stands twice.
    """
    originals = scan(english).blocks
    records = _records(f"docs/vi/{name}.md", vietnamese)
    translations = [block for block, _ in records]
    recorded = {block.id: record for block, record in records if record}
    partner: dict[str, str] = {}
    for section in dict.fromkeys(block.section for block in translations):
        theirs = [block for block in originals if block.section == section]
        mine = [block for block in translations if block.section == section]
        partner |= _pairs(theirs, mine, recorded)
    of = {there: here for here, there in partner.items()}
    by_id = {block.id: block for block in translations}
    found = [
        _judged(block, by_id[of[block.id]], recorded.get(of[block.id]), verdict)
        if block.id in of
        else Passage(block.id, "missing", english=block)
        for block in originals
    ]
    found += [
        Passage(record.id if record else block.id, "left-over", vietnamese=block, record=record)
        for block, record in records
        if block.id not in partner
    ]
    return tuple(found)


def recorded(vietnamese: str, passages: Iterable[Passage], ids: Iterable[str], verdict: Verdict) -> str:
    """The Vietnamese page with its comments brought up to date; nothing else in it changes.

    Args:
        vietnamese: As it was compared.
        passages: Of the page.
        ids: Passages to record as translated; the other comments get at most the ids that their blocks have now.
        verdict: By the name of a claim or an outcome.
    """
    done = set(ids)
    newline = "\r\n" if "\r\n" in vietnamese else "\n"
    edits: list[tuple[int, int, str]] = []
    for passage in passages:
        english, block, record = passage.english, passage.vietnamese, passage.record
        if english is None or block is None:
            continue
        if passage.id in done:
            record = Record(english.id, english.digest, block.digest, _verdicts(english, verdict))
        elif record is not None:
            record = Record(english.id, record.digest, record.own, record.verdicts)
        if record is None:
            continue
        if block.records:
            start, text = block.records[0]
            edits.append((start, start + len(text), str(record)))
        else:
            edits.append((block.start, block.start, str(record) + newline))
    # From the end; of two at one place, the first stays first.
    for _, (start, end, text) in sorted(enumerate(edits), key=lambda one: (one[1][0], one[0]), reverse=True):
        vietnamese = vietnamese[:start] + text + vietnamese[end:]
    return vietnamese


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _records(where: str, vietnamese: str) -> list[tuple[Block, Record | None]]:
    """Each block with what its comment says."""
    found = scan(vietnamese)
    problems: list[SpecwikiError] = []

    def refuse(offset: int, what: str, hint: str) -> None:
        problems.append(InputError(f"{where}, line {line_of(vietnamese, offset)}", what, hint))

    for offset, text in found.stray:
        refuse(offset, f"{_shown(text)} stands before no block of text", "Put it above the block, or delete it")
    pairs: list[tuple[Block, Record | None]] = []
    seen: dict[tuple[str, str], int] = {}
    for block in found.blocks:
        record = None
        for offset, text in block.records:
            line = vietnamese[_line_start(vietnamese, offset) : after_line(vietnamese, offset + len(text))]
            record = parse_record(text)
            if record is None or line.strip("\r\n") != text:
                refuse(offset, f"{_shown(text)} cannot be read, expected a line '{_FORM}'",
                       "Correct it, or delete it and record the block again")  # fmt: skip
            elif (record.id, record.digest) in seen:
                refuse(offset, f"{_shown(text)} stands in line {seen[record.id, record.digest]} too",
                       "Delete the one that was copied")  # fmt: skip
            else:
                seen[record.id, record.digest] = line_of(vietnamese, offset)
        for offset, text in block.records[1:]:
            refuse(offset, f"{_shown(text)} is the second comment of one block", "Delete one of them")
        pairs.append((block, record))
    raise_all(problems)
    return pairs


def _shown(comment: str) -> str:
    first = " ".join(comment.split())
    return f"'{first[:60]}{'…' if len(first) > 60 else ''}'"  # noqa: PLR2004 - enough to find it by


def _pairs(theirs: Sequence[Block], mine: Sequence[Block], recorded: Mapping[str, Record]) -> dict[str, str]:
    """Vietnamese block → English block, within a section."""
    pairs: dict[str, str] = {}

    def take(block: Block, fits: Callable[[Block], bool]) -> None:
        found = next((one for one in theirs if one.id not in pairs.values() and fits(one)), None)
        if found is not None:
            pairs[block.id] = found.id

    known = [(block, recorded[block.id]) for block in mine if block.id in recorded]
    for block, record in known:
        take(block, lambda one, record=record: (one.digest, one.id) == (record.digest, record.id))  # type: ignore[misc]
    for block, record in known:
        if block.id not in pairs:
            take(block, lambda one, record=record: one.digest == record.digest)  # type: ignore[misc]
    for block, record in known:
        if block.id not in pairs:
            take(block, lambda one, record=record: one.id == record.id)  # type: ignore[misc]
    place = {block.id: at for at, block in enumerate(theirs)}
    for at, block in enumerate(mine):
        if block.id not in recorded:
            above = max((place[pairs[one.id]] for one in mine[:at] if one.id in pairs), default=-1)
            below = min((place[pairs[one.id]] for one in mine[at:] if one.id in pairs), default=len(theirs))
            take(block, lambda one, above=above, below=below: above < place[one.id] < below)  # type: ignore[misc]
    return pairs


def _judged(english: Block, vietnamese: Block, record: Record | None, verdict: Verdict) -> Passage:
    if record is None:
        return Passage(english.id, "unrecorded", english, vietnamese)
    changed = record.digest != english.digest
    flips = tuple(
        Flip(name, then, now)
        for name, now in _verdicts(english, verdict).items()
        for then in (record.verdicts.get(name),)
        if then != now and not (changed and then is None)
    )
    state: State = "changed" if changed else ("flipped" if flips else "current")
    return Passage(english.id, state, english, vietnamese, record, flips)


def _verdicts(english: Block, verdict: Verdict) -> dict[str, str]:
    said = {name: verdict(name) for name in english.calls}
    return {name: one for name, one in said.items() if one is not None}
