"""Values as text: number, unit and interval in a page's language, and what marks their kind and their origin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from specwiki.core.quoted import QuotedSource, QuotedValue
from specwiki.core.result import Result, Value
from specwiki.render.labels import has_label, label
from specwiki.units import Lang, date_text, interval_text, number_text, written_text

Origin = Literal["local", "published"]

_MARK = re.compile(r'<sup class="sw-kind.*?</sup>')


@dataclass(frozen=True)
class Sourced:
    """A result and the store that it lies in."""

    result: Result
    origin: Origin


def value_text(value: Value, lang: Lang) -> str:
    """A value without markup: its number and unit, or the reason why there is none."""
    if value.number is None:
        return missing_text(value.missing, lang)
    half = None if value.low is None or value.high is None else (value.high - value.low) / 2
    return number_text(value.number, value.unit, lang, half_width=half)


def missing_text(reason: str | None, lang: Lang) -> str:
    """Why there is no number."""
    key = reason or "missing.not-measured"
    return label(key if has_label(key) or "." in key else f"missing.{key}", lang)


def interval_or_reason(value: Value, lang: Lang) -> str:
    """A value's 95 % interval without markup, or that it has none."""
    if value.number is None:
        return missing_text(value.missing, lang)
    if value.low is None or value.high is None:
        return label("missing.no-interval", lang)
    return interval_text(value.low, value.high, value.unit, lang)


def span(text: str, key: str, origin: str, *, kind: str = "measured", css: str = "sw-value") -> Markup:
    """Text of a value with its key, so that a reader, a test or a script can ask where it comes from."""
    return Markup('<span class="{}" data-key="{}" data-origin="{}" data-kind="{}">{}</span>').format(
        css, key, origin, kind, text
    )


def value_span(value: Value, key: str, origin: Origin, lang: Lang) -> Markup:
    """A measured value in prose or in a table."""
    css = "sw-value" if value.number is not None else "sw-missing"
    shown = span(value_text(value, lang), key, origin, kind=value.kind, css=css)
    if value.kind == "simulated":
        return shown + kind_mark("simulated", label("kind.simulated", lang))
    return shown


def kind_mark(kind: str, text: str, title: str = "") -> Markup:
    """The small word that tells a quoted or simulated number from a measured one."""
    hover = Markup(' title="{}"').format(title) if title else ""
    return Markup('<sup class="sw-kind sw-kind-{}"{}>{}</sup>').format(kind, hover, text)


def origin_text(sourced: Sourced, lang: Lang) -> str:
    """Where a result was measured, in a few words."""
    effort = label(f"effort.{sourced.result.effort}", lang)
    if sourced.origin == "local":
        return {"en": f"measured here, {effort}", "vi": f"đo trên máy này, {effort}"}[lang]
    return {"en": "published", "vi": "đã công bố"}[lang]


def quoted_text(value: QuotedValue, lang: Lang) -> str:
    """A quoted figure with the digits of its source, without markup."""
    return written_text(value.number, value.unit, value.places, lang)


def quoted_span(key: str, source: QuotedSource, value: QuotedValue, lang: Lang, *, marked: bool = True) -> Markup:
    """A quoted figure, with its source and date at hand."""
    shown = span(quoted_text(value, lang), key, "quoted", kind="quoted")
    if not marked:
        return shown
    title = f"{source.title}, {date_text(value.as_of, lang)}, {source.machine}"
    return shown + kind_mark("quoted", label("kind.quoted", lang), title)


def plain(markup: str) -> str:
    """Words only, for alternative texts: no markup, and no small marks."""
    return Markup(_MARK.sub("", str(markup))).striptags()  # noqa: S704 - read for its words only
