"""Label keys to words. A key without wording is an error, never shown as it is."""

from __future__ import annotations

import re
from typing import Any

from specwiki.core.keys import nearest
from specwiki.errors import DataError
from specwiki.render.words import PATTERNS, WORDS
from specwiki.units import LANGS, Lang

TOKEN = "label:"  # noqa: S105 - a prefix of words in charts, no secret
"""A string in a stored chart that starts with this is a label key."""


def label(key: str, lang: Lang) -> str:
    """The wording of a label key.

    Raises:
        DataError: If there is none.
    """
    which = LANGS.index(lang)
    if key in WORDS:
        return WORDS[key][which]
    for pattern, wording in PATTERNS:
        found = re.fullmatch(pattern, key)
        if found:
            return wording[which].format(*found.groups())
    raise DataError("labels", f"there is no wording for '{key}'", nearest(key, WORDS) + " Add it to render/words.py")


def has_label(key: str) -> bool:
    """Whether a label key has a wording."""
    return key in WORDS or any(re.fullmatch(pattern, key) for pattern, _ in PATTERNS)


def localised(part: Any, lang: Lang) -> Any:
    """A copy of JSON data in which every `label:KEY`, at any depth, is its wording."""
    if isinstance(part, str):
        return label(part.removeprefix(TOKEN), lang) if part.startswith(TOKEN) else part
    if isinstance(part, dict):
        return {key: localised(inner, lang) for key, inner in part.items()}
    if isinstance(part, list | tuple):
        return [localised(inner, lang) for inner in part]
    return part


def tokens_in(part: Any) -> set[str]:
    """Every label key that JSON data uses."""
    if isinstance(part, str):
        return {part.removeprefix(TOKEN)} if part.startswith(TOKEN) else set()
    if isinstance(part, dict):
        return set().union(*(tokens_in(inner) for inner in part.values()))
    if isinstance(part, list | tuple):
        return set().union(*(tokens_in(inner) for inner in part))
    return set()
