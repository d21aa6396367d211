"""What a page is rendered from: the results of both stores, quoted figures and claims. Data, no markup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from specwiki.core import keys
from specwiki.core.claims import Claim, OutcomeWordings
from specwiki.core.quoted import QuotedSource, QuotedValue, by_key
from specwiki.core.recomputed import quoted_values
from specwiki.core.result import Result, Value
from specwiki.errors import InputError
from specwiki.render.values import NUMBERS, Origin, Sourced
from specwiki.units import Lang

QUOTED = "quoted"
"""Name of the page of numbers that lists what is quoted."""


@dataclass(frozen=True)
class News:
    """A published result that pages show.

    Attributes:
        sourced: The result, with those that it took the place of.
        name: Of its files, and of its page of numbers.
        titles: Of the page that is called as its experiment, in each language.
        printed: Claims and outcomes that pages of its experiment print.
    """

    sourced: Sourced
    name: str
    titles: Mapping[Lang, str]
    printed: frozenset[str]

    @property
    def result(self) -> Result:
        """The result itself."""
        return self.sourced.result

    def seen_from(self, root: str) -> News:
        """The same, with its links; `root` as in `Sourced.seen_from`."""
        return replace(self, sourced=self.sourced.seen_from(root, self.name))


@dataclass(frozen=True)
class Evidence:
    """Everything that the pages of one experiment may show.

    Attributes:
        results: At most one of each store; this machine's comes first.
        sources: Pages that figures are quoted from.
        claims: Findings by id.
        outcomes: Wordings of decisions by the key in `Result.outcomes`.
        files: Per store, the downloads that exist, file name → label key.
        news: The published results of all experiments.
        quoted_numbers: Address of the page that lists what is quoted, as seen from the page; empty: no links.
    """

    results: tuple[Sourced, ...] = ()
    sources: tuple[QuotedSource, ...] = ()
    claims: Mapping[str, Claim] = field(default_factory=dict)
    outcomes: Mapping[str, OutcomeWordings] = field(default_factory=dict)
    files: Mapping[Origin, Mapping[str, str]] = field(default_factory=dict)
    news: tuple[News, ...] = ()
    quoted_numbers: str = ""

    def seen_from(self, root: str, name: str) -> Evidence:
        """The same, with every number a link; arguments as of `Sourced.seen_from`."""
        results = tuple(one.seen_from(root, name) for one in self.results)
        news = tuple(one.seen_from(root) for one in self.news)
        return replace(self, results=results, news=news, quoted_numbers=f"{root}{NUMBERS}/{QUOTED}/")

    @property
    def main(self) -> Sourced | None:
        """The result that leads: this machine's, else the published one."""
        return self.results[0] if self.results else None

    @property
    def beside(self) -> Sourced | None:
        """The published result, where this machine's leads."""
        return self.results[1] if len(self.results) > 1 else None

    @cached_property
    def quoted(self) -> dict[str, tuple[QuotedSource, QuotedValue]]:
        """Quoted figures by key."""
        return by_key(self.sources)

    @cached_property
    def quoted_values(self) -> dict[str, Value]:
        """Quoted figures as values, and what is computed from them, for claims."""
        return quoted_values(self.sources)


def find_value(sourced: Sourced, key: str, page: str) -> Value | None:
    """The value of a key in one result; None: this effort did not measure it.

    Raises:
        InputError: If no result could ever have such a key.
    """
    values = sourced.result.values
    if key not in values:
        require_key(key, page, values)
    return values.get(key)


def require_key(key: str, page: str, present: Mapping[str, Value]) -> None:
    """Refuse a key that no result could ever have.

    Raises:
        InputError: Names the page, the key, and the nearest one.
    """
    if not keys.is_key(key):
        raise InputError(page, f"there is no value '{key}'", keys.nearest_key(key, present))


def find_named(name: str, known: Mapping[str, object], kind: str, page: str) -> None:
    """Refuse a name that is not there.

    Raises:
        InputError: Names the page, the name, and the nearest one.
    """
    if name not in known:
        raise InputError(page, f"there is no {kind} '{name}'", keys.nearest(name, known))
