"""Replace what tells of one machine or person, before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping


def redactions(places: Mapping[str, str], host: str, user: str) -> dict[str, str]:
    """What is replaced by what, longest first, so that a folder's path goes before its parent's.

    Args:
        places: Absolute path → name, e.g. the project's root → `$REPO`.
        host: This machine's name.
        user: The user's name; left alone when it is so short or common that replacing it would garble words.
    """
    found = {path: name for path, name in places.items() if len(path) > 1}
    if len(host) > 3:  # noqa: PLR2004 - shorter names occur inside words
        found[host] = "host-0"
    if len(user) > 3 and user != "root":  # noqa: PLR2004 - as above
        found[user] = "user-0"
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def redact(text: str, replaced: Mapping[str, str]) -> str:
    """Apply `redactions` to a text."""
    for found, becomes in replaced.items():
        text = text.replace(found, becomes)
    return text
