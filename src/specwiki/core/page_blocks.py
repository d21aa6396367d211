"""A page's source as blocks with words to translate, each with its id, its hash and the place of a note. Text only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from specwiki.core.page_text import (
    COMMENT,
    FENCE,
    JINJA,
    Line,
    after_line,
    closes,
    has_words,
    line_of,
    lines,
    text_hash,
)

Form = Literal["before", "item", "after"]
"""Where a note about a block goes: a paragraph before it, inside its first list item, or after its heading."""

FRONT = "front"
"""Id of the front matter."""
TOP = "top"
"""Section of the blocks above the first heading that has an id."""

_CONTROL = re.compile(r"@\{%-?\s*(\w+)(.*?)%\}", re.DOTALL)
_CALL = re.compile(
    r"""(?:\bof\(\s*["'](?P<profile>[^"']+)["']\s*\)\s*\.\s*)?\b(?:claim|outcome)\(\s*(["'])(?P<name>[^"']+)\2"""
)
_RECORD = re.compile(r"@\{#-?\s*en:.*?(?:#\}|\Z)", re.DOTALL)
_FRONT_RECORD = re.compile(rf"@\{{#-?\s*en:\s*{FRONT}\s.*?(?:#\}}|\Z)", re.DOTALL)
_LEAD = re.compile(
    r"\s*(?:@\{%(?:(?!%\}).)*%\}|@\{#(?:(?!#\}).)*#\}|</?(?:div|section|details)\b[^>]*>|\s)+", re.DOTALL
)
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_HEADING_ID = re.compile(r"\{[^}]*#([^\s}]+)[^}]*\}\s*$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True)
class Note:
    """Where a note may stand in the source: at an offset, inside the line that is there."""

    at: int
    form: Form
    indent: str = ""


@dataclass(frozen=True)
class Block:
    """A stretch of a page between blank lines that has words in it; a heading is one of its own.

    Attributes:
        id: Its section and its ordinal there, from 1; `front` for the front matter.
        section: Id of the heading that it stands below, or is.
        text: As it is written, without lines around it that only control what is shown.
        start: Where its comment belongs: the offset of `text`, or, of the front matter, of what follows it.
        line: Of its first words, from 1.
        calls: Claims and outcomes that it prints, each once, as `call_lines` names them.
        notes: Where a note about it goes; one place for each branch of a condition.
        records: Comments that stand directly before it, as (offset, text).
    """

    id: str
    section: str
    text: str
    start: int
    line: int
    calls: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    records: tuple[tuple[int, str], ...] = ()

    @property
    def digest(self) -> str:
        """Hash of the text; white space and comments do not count."""
        return text_hash(self.text)


@dataclass(frozen=True)
class Scan:
    """A page's blocks, and the comments that stand before none of them, as (offset, text)."""

    blocks: tuple[Block, ...]
    stray: tuple[tuple[int, str], ...]


@dataclass
class _State:
    """What the scan has come to."""

    section: str = TOP
    counts: dict[str, int] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    waiting: list[tuple[int, str]] = field(default_factory=list)
    stray: list[tuple[int, str]] = field(default_factory=list)


def scan(page: str) -> Scan:
    """Find the blocks of a page that have words to translate.

    Fenced code, template calls and template comments are never split by blank lines inside them. What has no words
    (calls without texts, mathematics, code, lines that control what is shown) is no block.

    Args:
        page: The whole source, front matter included, in either convention of line ends.
    """
    found = _State()
    sets = list(_open_sets(page))
    start = _front(page, found)
    for stretch in _stretches(page, start):
        _add(page, stretch, found, sets)
    found.stray += found.waiting
    return Scan(tuple(found.blocks), tuple(sorted(found.stray)))


def call_lines(page: str) -> dict[str, tuple[int, ...]]:
    """Claims and outcomes that a page prints, in the order in which it first does, with the lines, from 1.

    One that is of a profile by name, `of("PROFILE").claim("NAME")`, is called `PROFILE:NAME`.
    """
    silent = COMMENT.sub(lambda one: re.sub(r"[^\r\n]", " ", one[0]), page)
    found: dict[str, list[int]] = {}
    for tag in JINJA.finditer(silent):
        for call in _CALL.finditer(tag[0]):
            name = f"{call['profile']}:{call['name']}" if call["profile"] else call["name"]
            found.setdefault(name, []).append(line_of(page, tag.start() + call.start()))
    return {name: tuple(dict.fromkeys(lines)) for name, lines in found.items()}


def _front(page: str, found: _State) -> int:
    """Take the front matter as a block, with the comment below it; where the body starts."""
    head = list(lines(page))
    closing = next((at for at, line in enumerate(head[1:], 1) if line.bare == "---"), None)
    if closing is None or head[0].bare != "---":
        return 0
    body = head[closing].end
    text = page[head[1].start : head[closing].start]
    if not has_words(text):
        return body
    below = _FRONT_RECORD.match(page, body)
    at = after_line(page, body + len(below[0])) if below else body
    records = ((body, below[0]),) if below else ()
    found.blocks.append(Block(FRONT, FRONT, text, body, 1, notes=(Note(at, "before"),), records=records))
    return at


def _stretches(page: str, start: int) -> Iterator[list[Line]]:
    """Lines between blank ones; headings apart, fenced code whole."""
    stretch: list[Line] = []
    fence = ""
    for line in lines(page, start):
        opened = FENCE.match(line.text)
        if fence:
            stretch.append(line)
            fence = "" if closes(line.text, fence) else fence
            continue
        if opened:
            fence = opened[1]
        if not line.text.strip() or _HEADING.match(line.text):
            if stretch and not (line.text.strip() and all(map(_is_lead, stretch))):
                yield stretch
                stretch = []
            if line.text.strip():
                yield [*stretch, line]
                stretch = []
            continue
        stretch.append(line)
    if stretch:
        yield stretch


def _is_lead(line: Line) -> bool:
    """Whether a line only controls what is shown, or opens or closes a box."""
    return _LEAD.fullmatch(line.text) is not None and not has_words(line.text)


def _add(page: str, stretch: list[Line], found: _State, sets: list[tuple[int, int]]) -> None:
    """Take a stretch as a block if it has words; comments before it go with it."""
    core = list(stretch)
    while core and _is_lead(core[0]):
        found.waiting += _records(core.pop(0))
    if not core:
        return
    below: list[tuple[int, str]] = []
    while _is_lead(core[-1]):
        below[:0] = _records(core.pop())
    for line in core:
        found.stray += _records(line)
    heading = _HEADING.match(core[0].text)
    explicit = _HEADING_ID.search(core[0].bare) if heading else None
    if explicit:
        found.section = explicit[1]
    text = page[core[0].start : core[-1].end].rstrip()
    records, found.waiting = tuple(found.waiting), below
    if not has_words(text):
        found.stray += records
        return
    found.counts[found.section] = ordinal = found.counts.get(found.section, 0) + 1
    start = core[0].start
    calls = tuple(call_lines(text))
    outer = next((opened for opened, closed in sets if opened < start < closed), None)
    notes = (Note(outer, "before"),) if outer is not None else tuple(_notes(stretch, core))
    found.blocks.append(
        Block(f"{found.section}-{ordinal}", found.section, text, start, line_of(page, start), calls, notes, records)
    )


def _records(line: Line) -> list[tuple[int, str]]:
    return [(line.start + one.start(), one[0]) for one in _RECORD.finditer(line.text)]


def _open_sets(page: str) -> Iterator[tuple[int, int]]:
    """Texts that the page keeps under a name, from their opening tag to their end: no note can stand in them."""
    opened: list[int] = []
    for tag in _CONTROL.finditer(COMMENT.sub(lambda one: " " * len(one[0]), page)):
        if tag[1] == "macro" or (tag[1] == "set" and "=" not in tag[2]):
            opened.append(tag.start())
        elif tag[1] in {"endmacro", "endset"} and opened:
            first = opened.pop()
            if not opened:
                yield first, tag.end()


def _notes(stretch: list[Line], core: list[Line]) -> Iterator[Note]:
    """Before the first words, and again in every other branch that a condition around them has."""
    depth = 0
    places = [core[0]]
    for at, line in enumerate(core):
        for tag in _CONTROL.finditer(line.text):
            depth += {"if": 1, "for": 1, "endif": -1, "endfor": -1}.get(tag[1], 0)
            if tag[1] in {"else", "elif"} and depth == 0 and at + 1 < len(core):
                places.append(core[at + 1])
        if depth < 0:
            # Words follow that stand outside of the condition: one note before all of them.
            yield Note(stretch[0].start, "before")
            return
    yield from (_place(line) for line in places)


def _place(line: Line) -> Note:
    if _HEADING.match(line.text):
        return Note(line.start + len(line.bare.rstrip()), "after")
    item = _ITEM.match(line.text)
    if item:
        return Note(line.start + item.end(), "item")
    return Note(line.start + len(line.indent), "before", line.indent)
