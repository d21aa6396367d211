"""Text of others (logs, facts, prompts, answers) made inert: shown as it is, in HTML and in Markdown."""

from __future__ import annotations

import re
import unicodedata
from html import escape

_MARKDOWN = re.compile(r"[\\`*_{}\[\]()|~^!@$#]|:(?=//)|(?i:(?<=www)\.)|^\s*[+\-=:%]|^\s*\d+[.)]")
"""What means something to Markdown, or to a host that makes links of addresses and of `#12`: anywhere, and at the start
of a line."""

_INVISIBLE = {"Cf", "Cc", "Co", "Cs", "Zl", "Zp"}
"""Unicode categories whose characters are not seen: bidi marks, zero widths, controls, separators."""


def visible(text: str) -> str:
    """The text with every character that cannot be seen written as its code, line ends and tabs excepted."""
    return "".join(
        f"\u27e8U+{ord(char):04X}\u27e9" if unicodedata.category(char) in _INVISIBLE and char not in "\n\t" else char
        for char in text
    )


def inert(text: str) -> str:
    """Inline text in which no HTML, Markdown or Jinja has a meaning; one line."""
    safe = escape(visible(" ".join(text.split("\n"))), quote=True)
    # Entities stay; what Markdown could read becomes an entity.
    return "".join(
        part if part.startswith("&") and part.endswith(";") else _MARKDOWN.sub(_as_entity, part)
        for part in re.split(r"(&(?:#\d+|#x[0-9a-f]+|[a-z]+);)", safe)
    )


def preformatted(text: str, css: str = "") -> str:
    """A block of text as it is, on one line of Markdown, so that no line in it can start anything.

    Its class makes long lines wrap, so that nobody has to scroll for them.
    """
    return f'<pre class="{" ".join(filter(None, ("sw-text", css)))}"><code>{inert_block(text)}</code></pre>'


def inert_block(text: str) -> str:
    """As `inert`, with line ends kept, as entities."""
    return "&#10;".join(inert(line) for line in text.split("\n"))


def _as_entity(found: re.Match[str]) -> str:
    return f"{found.group()[:-1]}&#{ord(found.group()[-1])};"
