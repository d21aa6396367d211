"""Where the links of a built site lead, from its texts alone: files, addresses, fragments. Opens nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from specwiki.core.addresses import Addresses

_ELSEWHERE = "http://site.invalid"
"""A host for a site of which nobody said where it will stand (RFC 2606)."""
_ATTRIBUTES = {"href", "src", "action", "data", "poster", "formaction", "cite"}
_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL | re.IGNORECASE)
_SVG_ID = re.compile(r"""\sid=["']([^"']+)["']""")
_REFRESH = re.compile(r"url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)
_CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1|`+[^`\n]+`+|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)
_MARKDOWN_LINK = re.compile(r"\]\(\s*<?((?:[^()\s>]|\([^()\s>]*\))+)")
_BARE = re.compile(
    r"(?:^|(?<=[\s<])|(?<=[^\]]\())https?://(?:[^\s<>()\u00b7]|\([^\s<>()]*\))+|(?<=\b(?:EN|VI): )[^\s<>()\u00b7]+",
    re.MULTILINE,
)
"""Whole addresses in prose, and those that say where a page stands. Other paths are none: logs are full of them."""
_XML_ADDRESS = re.compile(r"<loc>\s*([^<]+?)\s*</loc>|\shref=\"([^\"]+)\"")


@dataclass(frozen=True)
class Document:
    """What of a file leads somewhere, and what in it can be led to.

    Attributes:
        links: As they are written, each once, in order.
        ids: What a fragment may name; None: the file has no fragments that anybody could check.
        torn: Types of data in it that is no JSON, so that nobody can read the addresses in that.
    """

    links: tuple[str, ...]
    ids: frozenset[str] | None = None
    torn: tuple[str, ...] = ()


@dataclass(frozen=True)
class Broken:
    """A link that leads nowhere.

    Attributes:
        file: Path of the file that has it, in the site.
        link: As it is written; None: it is no link that is wrong.
        why: A phrase.
    """

    file: str
    link: str | None
    why: str


def read_html(text: str) -> Document:
    """Links of a page: of elements, of what its head says, of data in it; and its ids."""
    reader = _Reader()
    # Charts have thousands of elements, and no links.
    for drawing in _SVG.findall(text):
        reader.ids.update(_SVG_ID.findall(drawing))
    reader.feed(_SVG.sub("", text))
    reader.close()
    return Document(tuple(dict.fromkeys(reader.links)), frozenset(reader.ids), tuple(reader.torn))


def read_markdown(text: str) -> Document:
    """Links and addresses in plain Markdown; what is in code is none."""
    prose = _CODE.sub(" ", text)
    found = [*_MARKDOWN_LINK.findall(prose), *(one.rstrip(".,;:") for one in _BARE.findall(prose))]
    return Document(tuple(dict.fromkeys(unescape(one) for one in found)))


def read_sitemap(text: str) -> Document:
    """Addresses in a sitemap."""
    return Document(tuple(dict.fromkeys(loc or href for loc, href in _XML_ADDRESS.findall(text))))


READERS = {".html": read_html, ".md": read_markdown, ".txt": read_markdown, ".xml": read_sitemap}
"""How to read a file, by the end of its name; the others have no links of ours."""


def broken_links(documents: Mapping[str, Document], files: Collection[str], addresses: Addresses) -> list[Broken]:
    """Links that lead to no file of the site, to no id of a page, or past the site on its own host.

    Args:
        documents: Path in the site → what is in it.
        files: Paths of all files of the site.
        addresses: Where the site will stand.
    """
    known = frozenset(files)
    torn = [
        Broken(file, None, f"data of the type {kind} in it is no JSON")
        for file, one in documents.items()
        for kind in one.torn
    ]
    return torn + [
        Broken(file, link, why)
        for file, document in documents.items()
        for link in document.links
        if (why := _wrong(file, link, documents, known, _root(addresses))) is not None
    ]


def outside_links(documents: Mapping[str, Document], addresses: Addresses) -> dict[str, list[str]]:
    """Addresses of others, without fragments, each with the files that link to it."""
    root = _root(addresses)
    found: dict[str, list[str]] = {}
    for file, document in documents.items():
        for link in document.links:
            address = urljoin(root + file, link).partition("#")[0]
            if urlsplit(address).scheme in {"http", "https"} and not address.startswith(root):
                found.setdefault(address, []).append(file)
    return {address: list(dict.fromkeys(of)) for address, of in sorted(found.items())}


def _root(addresses: Addresses) -> str:
    return addresses.above if "://" in addresses.above else _ELSEWHERE + addresses.above


def _wrong(file: str, link: str, documents: Mapping[str, Document], files: frozenset[str], root: str) -> str | None:
    try:
        address = urljoin(root + file, link)
        parts = urlsplit(address)
    except ValueError:
        return "it cannot be read as an address"
    if parts.scheme not in {"http", "https"}:
        return None
    if not address.startswith(root):
        # A whole address may be somebody else's, also on the same host; any other path is ours, and wrong.
        own = not urlsplit(link).scheme and not link.startswith("//")
        return f"it leads to {parts.path}, past the site, which stands at {urlsplit(root).path}" if own else None
    path = unquote(parts.path.removeprefix(urlsplit(root).path))
    target = _file(path, files)
    if target is None:
        return f"there is no file for '{path}'"
    there = documents.get(target)
    fragment = unquote(parts.fragment.partition(":~:")[0])
    if fragment and there is not None and there.ids is not None and fragment not in there.ids:
        return f"'{target}' has no id '{fragment}'"
    return None


def _file(path: str, files: frozenset[str]) -> str | None:
    """The file that a static host serves for a path."""
    candidates = [f"{path}index.html"] if path == "" or path.endswith("/") else [path, f"{path}/index.html"]
    return next((one for one in candidates if one in files), None)


@dataclass
class _Reader(HTMLParser):
    """Collects links and ids."""

    links: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    torn: list[str] = field(default_factory=list)
    script: str = ""
    """Type of the script that is being read."""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids.update(given[name] for name in ("id", "name") if given.get(name) and (name == "id" or tag == "a"))
        self.links += [given[name] for name in given if name in _ATTRIBUTES and given[name]]
        for candidate in given.get("srcset", "").split(","):
            self.links += candidate.split()[:1]
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.links += _REFRESH.findall(given.get("content", ""))
        if tag == "script":
            self.script = given.get("type", "")

    def handle_data(self, data: str) -> None:
        if self.script not in {"application/ld+json", "application/json"}:
            return
        try:
            read = json.loads(data)
        except json.JSONDecodeError:
            self.torn.append(self.script)
            return
        if self.script == "application/ld+json":
            self.links += _addresses(read)
        elif isinstance(read, dict) and isinstance(read.get("search"), str):
            # What the theme tells its own script: among others, where its search is.
            self.links.append(read["search"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self.script = ""


def _addresses(data: Any) -> Iterator[str]:
    """Texts in JSON-LD that are addresses, or paths from a host's root; its vocabulary is none."""
    if isinstance(data, str):
        if re.match(r"https?://\S+$|/\S*$", data):
            yield data
    elif isinstance(data, list | dict):
        inside = [one for key, one in data.items() if key != "@context"] if isinstance(data, dict) else data
        for inner in inside:
            yield from _addresses(inner)
