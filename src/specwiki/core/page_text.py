"""A page's source as text: its template tags, its lines, whether a piece has words to translate, and its hash."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

HASH_DIGITS = 12

JINJA = re.compile(r"@\{\{.*?\}\}|@\{%.*?%\}|@\{#.*?#\}", re.DOTALL)
COMMENT = re.compile(r"@\{#.*?#\}", re.DOTALL)
FENCE = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?![^\r\n]*`)|~{3,})")

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LITERAL = re.compile(r""""[^"]*"|'[^']*'""")
_NO_WORDS = re.compile(r"`[^`\n]+`|<math.*?</math>|<!--.*?-->|\{[:#.][^}\n]*\}|\]\([^)\n]*\)|https?://\S+", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_SPOKEN = re.compile(r"""\b(?:alt|title|aria-label)=("[^"]*"|'[^']*')""")


@dataclass(frozen=True)
class Line:
    """A line of a page, with its end; a template tag over several lines lies in one.

    Attributes:
        start: Offset in the page.
        text: With what ends it.
    """

    start: int
    text: str

    @property
    def end(self) -> int:
        """Offset of what follows."""
        return self.start + len(self.text)

    @property
    def bare(self) -> str:
        """Without what ends it."""
        return self.text.rstrip("\r\n")

    @property
    def indent(self) -> str:
        """White space that it begins with."""
        return self.text[: len(self.text) - len(self.text.lstrip())]


def lines(page: str, start: int = 0) -> Iterator[Line]:
    """The lines of a page from an offset on, whatever ends them."""
    masked = JINJA.sub(lambda one: re.sub(r"[\r\n]", "\0", one[0]), page)
    while start < len(page):
        end = after_line(masked, start)
        yield Line(start, page[start:end])
        start = end


def after_line(text: str, start: int) -> int:
    """Offset behind the line that an offset lies in."""
    found = _LINE.match(text, start)
    return found.end() if found else len(text)


def line_of(page: str, offset: int) -> int:
    """The line, from 1, that an offset lies in."""
    return len(re.findall(r"\r\n|\r|\n", page[:offset])) + 1


def text_hash(text: str) -> str:
    """The first digits of SHA-256 over text without template comments, composed, each white space one blank."""
    words = " ".join(COMMENT.sub(" ", unicodedata.normalize("NFC", text)).split())
    return hashlib.sha256(words.encode()).hexdigest()[:HASH_DIGITS]


def has_words(text: str) -> bool:
    """Whether there is anything to translate in a piece of a page.

    Code, mathematics, addresses and template calls are no words, apart from texts of several words inside a call.
    """
    prose = _NO_WORDS.sub(" ", _without_fences(JINJA.sub(_said_in, text)))
    prose = _TAG.sub(lambda one: " ".join(_SPOKEN.findall(one[0])), prose)
    return re.search(r"[^\W\d_]{2,}", prose) is not None


def _said_in(tag: re.Match[str]) -> str:
    if tag[0].startswith("@{#"):
        return ""
    return " ".join(one for one in _LITERAL.findall(tag[0]) if " " in one)


def _without_fences(text: str) -> str:
    kept, fence = [], ""
    for line in text.splitlines():
        opened = FENCE.match(line)
        if fence:
            fence = "" if closes(line, fence) else fence
        elif opened:
            fence = opened[1]
        else:
            kept.append(line)
    return "\n".join(kept)


def closes(line: str, fence: str) -> bool:
    """Whether a line ends fenced code that was opened by these characters."""
    found = line.strip()
    return found.startswith(fence) and set(found) == {fence[0]}
