"""Whether the addresses of others that the built site links to still answer; only on request, as it asks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from specwiki.core.layout import Layout
from specwiki.core.links import outside_links
from specwiki.edges.links import ask
from specwiki.errors import CheckError, InputError, SpecwikiError
from specwiki.study.links import read_links
from specwiki.study.site import built_for

_NAMED = 3
"""Pages to name; a link of the theme is on all of them."""


@dataclass(frozen=True)
class Outside:
    """What the addresses of others answered.

    Attributes:
        asked: How many.
        moved: Addresses that lead elsewhere for good: (address, where it leads, first page that has it).
        problems: For each address that does not answer, one.
    """

    asked: int
    moved: tuple[tuple[str, str, str], ...]
    problems: tuple[SpecwikiError, ...]

    def text(self) -> str:
        """For people, without the problems."""
        notes = [f"site/{page}: '{address}' moved to '{to}'" for address, to, page in self.moved]
        return "\n".join([*notes, f"{self.asked} links to others, {len(self.problems)} do not answer"])


def check_outside(layout: Layout) -> Outside:
    """Ask for every address of others that the built site links to.

    Raises:
        InputError: If there is no built site.
    """
    if not (layout.site / "index.html").exists():
        raise InputError(str(layout.site), "there is no built site", "Run 'specwiki build' first")
    _, documents = read_links(layout.site)
    pages = outside_links(documents, built_for(layout))
    answers = ask(pages)
    return Outside(
        len(answers),
        tuple((one.address, one.what, pages[one.address][0]) for one in answers if one.state == "moved"),
        tuple(
            CheckError(_places(pages[one.address]), f"the link '{one.address}': {one.what}",
                       "Correct it, or remove it")
            for one in answers if one.state == "failed"
        ),
    )  # fmt: skip


def _places(files: Sequence[str]) -> str:
    named = ", ".join(f"site/{name}" for name in files[:_NAMED])
    return named if len(files) <= _NAMED else f"{named} and {len(files) - _NAMED} more"
