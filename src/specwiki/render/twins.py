"""A page as plain Markdown, for programs: the words and numbers that a reader sees, without markup of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape, unescape
from html.parser import HTMLParser
from textwrap import dedent

from specwiki.render.escaping import inert

_FENCED = re.compile(r"(^(`{3,}|~{3,})[^\n]*\n.*?^\2[^\n]*$)", re.MULTILINE | re.DOTALL)
_TAG_OR_CODE = re.compile(r"(<[a-zA-Z/!](?:\"[^\"]*\"|'[^']*'|[^>\"'])*>)|(`+[^`\n]+`+)")
_ATTRIBUTES = re.compile(r"[ \t]*\{[#:.][^}\n]*\}[ \t]*$", re.MULTILINE)
_BOX = re.compile(r'^(?:!!!|\?\?\?)[+]? \w+ "(?P<title>[^"\n]*)"\n(?P<words>(?:(?: {4}.*|[ \t]*)\n)+)', re.MULTILINE)
"""An admonition, or a folded block: its words are what is indented below it."""
_BLANK = re.compile(r"\n{3,}")
_CODE_OR_LINK = re.compile(
    r"(^(?:`{3,}|~{3,}).*?^(?:`{3,}|~{3,})|^ {4}[^\n]*$|`[^`\n]+`)|\]\(([^)\s]+)\)", re.MULTILINE | re.DOTALL
)
_VOID = {"br", "hr", "img", "input", "link", "meta", "wbr"}
_LINES = {"p", "div", "figure", "figcaption", "li", "ul", "ol", "tr"}
"""Elements that stand in lines of their own."""


def plain_markdown(body: str) -> str:
    """Strip a rendered page's body of its HTML.

    A chart becomes its alternative text, a formula a line of characters; what is hidden, drawn or repeated (the run
    strip, a chart's table of numbers) is left out: it stands in the files to download. Text of others stays inert: what
    could mean something to Markdown or HTML stays an entity, and blocks of it are indented code, which no line can end.

    Args:
        body: As `render_page` gives it, without front matter.
    """
    # Boxes hold fences of their own, which are found once the boxes are open; what looks like a box in a fence is none.
    opened = "".join(part if fenced else _BOX.sub(_unboxed, part) for fenced, part in _fences(body))
    kept = [part if fenced else _BLANK.sub("\n\n", _without_html(part)) for fenced, part in _fences(opened)]
    return "".join(kept).strip("\n") + "\n"


def _fences(text: str) -> Iterator[tuple[bool, str]]:
    """The text in order, as (whether it is fenced code, part)."""
    for i, part in enumerate(_FENCED.split(text)):
        if i % 3 != 2:  # noqa: PLR2004 - every third part is what a fence opened with
            yield i % 3 == 1, part


def _unboxed(found: re.Match[str]) -> str:
    """A folded block or an admonition as a bold title and its words, which are indented no more."""
    return f"**{found['title']}**\n\n{dedent(found['words']).strip()}\n\n"


def _without_html(text: str) -> str:
    reader = _Reader()
    text = _ATTRIBUTES.sub("", text)
    at = 0
    for found in _TAG_OR_CODE.finditer(text):
        reader.feed(text[at : found.start()])
        if found[2] and not reader.skipping:
            reader.said.append(found[2])
        else:
            reader.feed(found[0])
        at = found.end()
    reader.feed(text[at:])
    reader.close()
    return "\n".join(line.rstrip() for line in "".join(reader.said).split("\n"))


class _Reader(HTMLParser):
    """Collects the words of HTML inside Markdown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.said: list[str] = []
        self.block: int | None = None
        """Where in `said` a block of text as it is began; None outside of one."""
        self.skipped: list[str] = []
        self.open: list[tuple[str, str]] = []
        """Elements that something is said at the end of, with what."""
        self.parts: list[tuple[str, int]] = []
        """Two-part formulas, and how many of their parts have ended."""
        self.depths: list[int] = []
        self.depth = 0

    @property
    def skipping(self) -> bool:
        """Whether what is read is not shown."""
        return bool(self.skipped)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.said += ["\n"] if tag == "br" and not self.skipping else []
            return
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        if self.skipping or _is_hidden(tag, given, classes):
            if tag == "svg" and not self.skipping and "sw-wide" in classes:
                self.said.append(f"\n[{escape(given.get('aria-label') or '', quote=False)}]\n")
            self.skipped.append(tag)
            return
        self.depth += 1
        if tag in {"msup", "mfrac"}:
            self.parts.append((tag, 0))
            self.depths.append(self.depth)
            self.said.append("(" if tag == "mfrac" else "")
        before, after = _around(tag, classes)
        self.said.append(before)
        if tag == "pre" and self.block is None:
            self.block = len(self.said)
        self.open.append((tag, after))

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if self.skipping:
            if tag in self.skipped:
                while self.skipped.pop() != tag:
                    pass
            return
        if not self.open or tag not in {name for name, _ in self.open}:
            return
        while self.open:
            name, after = self.open.pop()
            self.said.append(after)
            self._close(name)
            if name == tag:
                break

    def _close(self, tag: str) -> None:
        self.depth -= 1
        if tag == "pre" and self.block is not None:
            lines = "".join(self.said[self.block :]).strip("\n").split("\n")
            self.said[self.block :] = ["\n\n", *(f"    {line}\n" for line in lines), "\n"]
            self.block = None
        if tag in {"msup", "mfrac"} and self.parts:
            self.parts.pop()
            self.depths.pop()
            self.said.append(")" if tag == "mfrac" else "")
        if self.parts and self.depth == self.depths[-1]:
            name, ended = self.parts[-1]
            self.parts[-1] = (name, ended + 1)
            if ended == 0:
                self.said.append("^" if name == "msup" else ")/(")

    def handle_data(self, data: str) -> None:
        if not self.skipping:
            self.said.append(data)

    def handle_entityref(self, name: str) -> None:
        self._entity(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._entity(f"&#{name};")

    def _entity(self, written: str) -> None:
        """The character, unless it could mean something outside of a block of text as it is."""
        char = unescape(written)
        if not self.skipping:
            self.said.append(char if self.block is not None or inert(char) == char or char in "'\"" else written)


def _is_hidden(tag: str, given: dict[str, str | None], classes: Sequence[str]) -> bool:
    return tag in {"svg", "script", "style"} or "hidden" in given or bool({"sw-data", "sw-strip"} & set(classes))


def _around(tag: str, classes: Sequence[str]) -> tuple[str, str]:
    """What is said before and after an element's words."""
    if "sw-kind" in classes:
        return " [", "]"
    if tag == "li":
        return "\n- ", ""
    if tag in {"b", "strong"}:
        return "**", "**"
    return ("\n", "\n") if tag in _LINES else ("", "")


def twin(title: str, description: str, body: str, addresses: Sequence[tuple[str, str]], facts: Sequence[str]) -> str:
    """A page's Markdown with a line that says where it stands in each language, and of when it is.

    Args:
        title: Of the page.
        description: One sentence.
        body: As `render_page` gives it, without front matter.
        addresses: (language, address) of each language.
        facts: Further parts of the line, as `lang: en`.
    """
    plain = plain_markdown(body)
    heading, _, rest = plain.partition("\n") if plain.startswith("# ") else (f"# {title}", "", plain)
    line = " · ".join([*(f"{lang.upper()}: {address}" for lang, address in addresses), *facts])
    said = [] if description in rest else [description]
    return "\n\n".join([heading, f"> {line}", *said, rest.strip()]) + "\n"


def with_links(text: str, address: Callable[[str], str]) -> str:
    """Plain Markdown with its links changed, those in code left alone.

    Args:
        text: As `plain_markdown` gives it.
        address: A link as it is written → what to write.
    """
    return _CODE_OR_LINK.sub(lambda one: one[0] if one[2] is None else f"]({address(one[2])})", text)


def llms_txt(name: str, description: str, sections: Mapping[str, Sequence[tuple[str, str, str]]]) -> str:
    """The list of pages for programs, in the form of llmstxt.org.

    Args:
        name: Of the site.
        description: Of the site.
        sections: Heading → (title, address, one sentence or nothing) of each page or file; what stands under
            `Optional` may be left out where room is short.
    """
    parts = [f"# {name}", f"> {description}"]
    for heading, listed in sections.items():
        items = [f"- [{title}]({address})" + (f": {said}" if said else "") for title, address, said in listed]
        parts += [f"## {heading}", "\n".join(items)]
    return "\n\n".join(parts) + "\n"
