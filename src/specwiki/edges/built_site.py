"""The built site on disk: the names of its files, and the texts of those that have links."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path


def read_built(site: Path, endings: Collection[str]) -> tuple[frozenset[str], dict[str, str]]:
    """Every file of a built site.

    Args:
        site: Its folder.
        endings: Of the files to read, with their dot.

    Returns:
        Paths of all files, from the site's folder, and the texts of those with such an ending.
    """
    paths = {path.relative_to(site).as_posix(): path for path in sorted(site.rglob("*")) if path.is_file()}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items() if path.suffix in endings}
    return frozenset(paths), texts
