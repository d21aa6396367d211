"""Values that somebody else published: typed in one place each, with date, machine and place in the source."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from specwiki.core.model import Model, Slug
from specwiki.core.result import Value
from specwiki.units import UNITS

MAX_EVIDENCE_WORDS = 12
"""Enough to find the figure in its source, too little to stand for its sentences."""

_FIGURE = r"(\d+|\d{1,3}(,\d{3})+)(\.\d+)?"


class QuotedValue(Model):
    """One figure as its source wrote it."""

    written: Annotated[str, Field(pattern=rf"^-?{_FIGURE}( %)?$")]
    """Digits and all: '0.80' says more than 0.8; '78.0 %' is the fraction 0.78; '4,096' keeps its comma."""
    unit: Literal["ratio", "tok_s", "ms", "s", "fraction", "tokens", "count", "w", "tok_j", "gib", "unstated"]
    """`unstated` where the source prints a bare number; nothing is read between its lines."""
    as_of: dt.date
    place: str
    """Heading in the source under which it stands."""
    evidence: str
    """The few words around the figure, to find it by; `…` where words between them are left out."""
    runs: Annotated[int, Field(ge=1)] | None = None
    """Runs behind the figure, where the source says."""
    machine: str | None = None
    """Where it is another than that of the rest of the source; `—` where the source does not say."""
    spread: Annotated[str, Field(pattern=rf"^{_FIGURE}$")] | None = None
    """What stands behind ±, in the figure's unit; a figure of its own under the key `<seed>.<name>.spread`."""
    spread_kind: Literal["unstated", "one-standard-error"] = "unstated"
    """What the spread is. `one-standard-error` also where only computing it again told so."""

    @model_validator(mode="after")
    def _evident(self) -> Self:
        words = len(self.evidence.split())
        if words > MAX_EVIDENCE_WORDS:
            msg = f"evidence has {words} words, expected at most {MAX_EVIDENCE_WORDS}"
            raise ValueError(msg)
        for figure in filter(None, (self.written.removesuffix(" %"), self.spread)):
            if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![.,]?\d)", self.evidence.replace("\u2212", "-")):
                msg = f"evidence '{self.evidence}' does not have the figure '{figure}'"
                raise ValueError(msg)
        if self.written.endswith("%") and self.unit != "fraction":
            msg = f"unit is '{self.unit}' for a figure in percent, expected 'fraction'"
            raise ValueError(msg)
        if self.spread is None and self.spread_kind != "unstated":
            msg = f"spread_kind is '{self.spread_kind}' without a spread, expected both or neither"
            raise ValueError(msg)
        return self

    @property
    def number(self) -> float:
        """The figure as specwiki stores numbers: a fraction is 0 to 1."""
        digits = float(self.written.removesuffix(" %").replace(",", ""))
        return digits / 100 if self.written.endswith("%") else digits

    @property
    def places(self) -> int:
        """Decimal places that keep the source's digits in the unit's shown form."""
        decimals = len(self.written.removesuffix(" %").partition(".")[2])
        shift = 0 if self.written.endswith("%") or UNITS[self.unit].scale == 1 else 2
        return max(0, decimals - shift)

    def as_value(self) -> Value:
        """The figure as a value of kind `quoted`, without an interval: what a source prints as one is quoted too."""
        unit = "count" if self.unit == "unstated" else self.unit
        return Value(number=self.number, unit=unit, kind="quoted", n=self.runs)

    def spread_alone(self) -> QuotedValue | None:
        """What stands behind ±, as a figure; None where nothing does."""
        if self.spread is None:
            return None
        return self.model_copy(update={"written": self.spread, "spread": None, "spread_kind": "unstated"})


class Wording(Model):
    """One text in both languages."""

    en: str
    vi: str


class QuotedSource(Model):
    """One published page: `data/quoted/<seed>.toml`."""

    seed: Annotated[str, Field(pattern=r"^\d{3}$")]
    title: str
    as_of: dt.date
    machine: str
    values: Annotated[dict[Slug, QuotedValue], Field(min_length=1)]
    facts: dict[Slug, Wording] = Field(default_factory=dict)
    """What the source says without a figure of ours: models, harness, rule, and where it disagrees with itself."""
    not_published: dict[Slug, Wording] = Field(default_factory=dict)
    """What a reader would look for and the source does not have."""


def by_key(sources: Iterable[QuotedSource]) -> dict[str, tuple[QuotedSource, QuotedValue]]:
    """Key `<seed>.<name>`, or `<seed>.<name>.spread` → source, with the machine of this figure, and figure."""
    found: dict[str, tuple[QuotedSource, QuotedValue]] = {}
    for source in sources:
        for name, value in source.values.items():
            key = f"{source.seed}.{name}"
            origin = source.model_copy(update={"machine": value.machine or source.machine})
            found[key] = (origin, value)
            spread = value.spread_alone()
            if spread is not None:
                found[f"{key}.spread"] = (origin, spread)
    return found
