"""The Content-Security-Policy of a built page: it runs our own files, and the inline scripts of the theme, by hash.

It stands in the page, because a static host such as GitHub Pages sends no headers of ours.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from specwiki.errors import CheckError

_DATA_TYPES = {"application/json", "application/ld+json"}
"""Scripts of these types are data: nothing runs them, and no policy is asked for them."""

_HEAD = re.compile(r"<head\b[^>]*>\s*(?:<meta charset=[^>]*>)?", re.IGNORECASE)
"""The policy holds for what follows it, so only the encoding comes first: browsers look for that in the first 1024
bytes."""


@dataclass(frozen=True)
class Inline:
    """What of a page runs or styles without a file of its own.

    Attributes:
        scripts: Text of each script, in order.
        styles: Text of each `style` element, in order.
        attributes: `style` and `on…` attributes, as `element attribute="value"`.
    """

    scripts: tuple[str, ...]
    styles: tuple[str, ...]
    attributes: tuple[str, ...]


def inline_of(html: str) -> Inline:
    """Everything inline in a page, as a browser would find it."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return Inline(tuple(reader.scripts), tuple(reader.styles), tuple(reader.attributes))


def with_policy(where: str, html: str, known: Inline) -> str:
    """The page with its policy at the beginning of its head.

    Hashing whatever script a page has would also allow one that slipped in with somebody's text, so only scripts and
    styles that are known beforehand are allowed, and a page with any other is refused.

    Args:
        where: The page, for messages.
        html: Of the whole page.
        known: What of the theme, or of a page that we wrote by hand, is inline.

    Raises:
        CheckError: If something inline is not known, or if there is no head.
    """
    found = inline_of(html)
    strange = [one for one in found.scripts if one not in known.scripts]
    strange += [one for one in found.styles if one not in known.styles]
    strange += found.attributes
    if strange:
        raise CheckError(
            where, f"it has {strange[0][:80]!r} inline, expected only what the theme has",
            "Escape the text that it came with, or move it into docs/theme/assets/specwiki",
        )  # fmt: skip
    policy = policy_of(found)
    made, heads = _HEAD.subn(lambda head: f'{head[0]}<meta http-equiv="Content-Security-Policy" content="{policy}">',
                             html, count=1)  # fmt: skip
    if not heads:
        raise CheckError(where, "it has no <head>", "Restore docs/theme and docs/root from git")
    return made


def policy_of(inline: Inline) -> str:
    """The policy under which exactly these scripts and styles work, and files of the site itself."""
    scripts = " ".join(["'self'", *_sources(inline.scripts)])
    styles = " ".join(["'self'", *_sources(inline.styles)])
    return "; ".join([
        "default-src 'none'",
        f"script-src {scripts}",
        f"style-src {styles}",
        "img-src 'self' data:",  # the theme's icons are data in its style sheet
        "connect-src 'self'",  # the search index
        "worker-src 'self'",  # the search
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ])  # fmt: skip


def _sources(texts: tuple[str, ...]) -> list[str]:
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in dict.fromkeys(texts))
    return [f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests]


@dataclass
class _Open:
    """The script or style element that is being read."""

    kind: str
    parts: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Collects what is inline; line ends as a browser sees them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.attributes: list[str] = []
        self._open: _Open | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.attributes.append(f'<{tag} {name}="{value or ""}">')
        given = dict(attrs)
        is_data = (given.get("type") or "").strip().lower() in _DATA_TYPES
        if tag == "style" or (tag == "script" and "src" not in given and not is_data):
            self._open = _Open(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open.parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._open is not None and tag == self._open.kind:
            text = "".join(self._open.parts).replace("\r\n", "\n").replace("\r", "\n")
            (self.scripts if tag == "script" else self.styles).append(text)
            self._open = None
