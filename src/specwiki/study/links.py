"""Where the links within the built site lead, looked at in each build."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from specwiki.core.addresses import Addresses, addresses_in
from specwiki.core.links import READERS, Document, broken_links
from specwiki.edges.built_site import read_built
from specwiki.errors import CheckError, raise_all


def addresses() -> Addresses:
    """Where the site will stand, as the environment says.

    Raises:
        InputError: If it says something that is no pair of addresses.
    """
    return addresses_in(os.environ)


def check_inside(site: Path, at: Addresses) -> None:
    """Refuse a built site with a link that leads to no file or id of it.

    Args:
        site: Folder of the built site.
        at: Where it will stand.

    Raises:
        CheckError: For each such link.
    """
    files, documents = read_links(site)
    raise_all([
        CheckError(f"site/{one.file}", one.why if one.link is None else f"the link '{one.link}': {one.why}",
                   "Correct the page that it is made from")
        for one in broken_links(documents, files, at)
    ])  # fmt: skip


def read_links(site: Path) -> tuple[frozenset[str], dict[str, Document]]:
    """Paths of all files of a built site, and the links and ids of those that have any."""
    files, texts = read_built(site, READERS.keys())
    return files, {name: READERS[PurePosixPath(name).suffix](text) for name, text in texts.items()}
