"""Numbers, intervals and dates as text in English and Vietnamese. The only place where a fraction becomes percent."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import Literal

from babel.dates import format_date
from babel.numbers import format_decimal

Lang = Literal["en", "vi"]
LANGS: tuple[Lang, ...] = ("en", "vi")


@dataclass(frozen=True)
class Unit:
    """How a unit is written.

    Attributes:
        suffix: What follows the number, with its space if it takes one.
        scale: Factor from the stored number to the shown one.
        digits: Significant digits to show at most; None: `decimals` rules.
        decimals: Decimal places to show at most.
        fewest: Decimal places to keep, however wide the interval.
    """

    suffix: str
    scale: float = 1.0
    digits: int | None = None
    decimals: int = 2
    fewest: int = 0


UNITS: dict[str, Unit] = {
    "ratio": Unit("\u00d7", decimals=2, fewest=2),
    "tok_s": Unit("\u00a0tok/s", digits=3, decimals=2),
    "ms": Unit("\u00a0ms", digits=3, decimals=1),
    "s": Unit("\u00a0s", digits=3, decimals=1),
    "fraction": Unit("%", scale=100.0, decimals=1),
    "tokens": Unit("", decimals=2, fewest=1),
    "count": Unit("", decimals=0),
    "w": Unit("\u00a0W", digits=3, decimals=1),
    "tok_j": Unit("\u00a0tok/J", decimals=3),
    "gib": Unit("\u00a0GiB", decimals=0),
    "unstated": Unit(""),
}
"""Percent and times signs follow the number without a space, in both languages; the rest after a no-break one."""

FINE_RATIO = 0.01
"""Half-width of an interval below which two decimals of a ratio would hide it."""


def _decimals(number: float, half_width: float | None, unit: str) -> int:
    """Decimal places: no more than the unit's, and none that the interval says nothing about."""
    style = UNITS[unit]
    shown = abs(number) * style.scale
    places = style.decimals
    if style.digits is not None and shown >= 1:
        places = min(places, max(0, style.digits - 1 - math.floor(math.log10(shown))))
    if half_width is None or half_width <= 0:
        return places
    if unit == "ratio" and half_width < FINE_RATIO:
        return places + 1
    told = 1 - math.floor(math.log10(half_width * style.scale))
    return max(style.fewest, min(places, told))


def _plain(number: float, places: int, lang: Lang) -> str:
    pattern = "#,##0" + ("." + "0" * places if places else "")
    text = format_decimal(number, format=pattern, locale=lang)
    return str(text).replace("-", "\u2212")


def number_text(number: float, unit: str, lang: Lang, *, half_width: float | None = None) -> str:
    """A number with its unit.

    Args:
        number: As stored; a fraction is 0 to 1.
        unit: A key of `UNITS`.
        lang: Decides the decimal and the thousands mark.
        half_width: Of its interval, if there is one: it limits the digits.
    """
    style = UNITS[unit]
    return _plain(number * style.scale, _decimals(number, half_width, unit), lang) + style.suffix


def written_text(number: float, unit: str, places: int, lang: Lang) -> str:
    """A number with its unit and exactly so many decimal places: as a source wrote it."""
    style = UNITS[unit]
    return _plain(number * style.scale, places, lang) + style.suffix


def interval_text(low: float, high: float, unit: str, lang: Lang) -> str:
    """An interval with its unit once: both bounds, an en dash, the unit; `to` when a bound is negative."""
    style = UNITS[unit]
    places = _decimals((low + high) / 2, (high - low) / 2, unit)
    first, last = (_plain(bound * style.scale, places, lang) for bound in (low, high))
    between = {"en": " to ", "vi": " đến "}[lang] if min(low, high) < 0 else "\u2013"
    return f"{first}{between}{last}{style.suffix}"


def date_text(day: dt.date, lang: Lang) -> str:
    """A date in full: `24 October 2026`, `24 tháng 10, 2026`."""
    return str(format_date(day, "d MMMM y" if lang == "en" else "long", locale=lang))


def plain_number(number: float, lang: Lang) -> str:
    """A number that has no unit of ours, as short as it can be written: a count, a temperature."""
    return str(format_decimal(number, format="#,##0.###", locale=lang)).replace("-", "\u2212")


def number_locale(lang: Lang) -> dict[str, object]:
    """The same marks as a d3 locale, for the axes of charts."""
    return {
        "decimal": "." if lang == "en" else ",",
        "thousands": "," if lang == "en" else ".",
        "grouping": [3],
        "currency": ["", ""],
    }
