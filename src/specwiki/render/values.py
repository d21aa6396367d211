"""Values as text: number, unit and interval in a page's language, and what marks their kind and their origin."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from markupsafe import Markup

from specwiki.core.quoted import QuotedSource, QuotedValue
from specwiki.core.result import Result, Value
from specwiki.render.escaping import inert
from specwiki.render.labels import has_label, label
from specwiki.units import Lang, date_text, interval_text, number_text, written_text

Origin = Literal["local", "published"]

NUMBERS = "numbers"
"""Folder of the pages that list numbers, below a language's root."""

_MARK = re.compile(r'<sup class="sw-kind.*?</sup>')


@dataclass(frozen=True)
class Sourced:
    """A result and the store that it lies in.

    Attributes:
        result: The result.
        origin: The store.
        numbers: Address of the page that lists its values, as seen from the page that shows it; empty: no links.
        files: Address of the folder of its downloads, likewise.
        changed: Parts under which it was measured that are others now; None: that cannot be told.
        earlier: Results of other runs that it took the place of, newest first.
    """

    result: Result
    origin: Origin
    numbers: str = ""
    files: str = ""
    changed: tuple[str, ...] | None = ()
    earlier: tuple[Result, ...] = ()

    def seen_from(self, root: str, name: str) -> Sourced:
        """The same, with its links.

        Args:
            root: Of the language, as seen from the page; empty, or ends with a slash.
            name: Of its files, and of its page of numbers.
        """
        return replace(self, numbers=f"{root}{NUMBERS}/{name}/", files=f"{root}data/{name}/{self.origin}/")


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


def estimate_text(value: Value, lang: Lang) -> str:
    """A value with its interval in brackets, or why there is none, inert; of a result of any age.

    An earlier result may hold a reason that has no wording any more: that is shown as it is stored.
    """
    if value.number is None:
        key = value.missing or ""
        return inert(next((label(one, lang) for one in (key, f"missing.{key}") if has_label(one)), key))
    return value_text(value, lang) + ("" if value.low is None else f" ({interval_or_reason(value, lang)})")


def interval_or_reason(value: Value, lang: Lang) -> str:
    """A value's 95 % interval without markup, or that it has none."""
    if value.number is None:
        return missing_text(value.missing, lang)
    if value.low is None or value.high is None:
        return label("missing.no-interval", lang)
    return interval_text(value.low, value.high, value.unit, lang)


def span(
    text: str, key: str, origin: str, *, kind: str = "measured", css: str = "sw-value", numbers: str = ""
) -> Markup:
    """Text of a value with its key, so that a reader, a test or a script can ask where it comes from.

    Args:
        text: What is shown.
        key: Of the value.
        origin: A store, or `quoted`.
        kind: As in `Value`.
        css: Class of the element.
        numbers: Address of the page that lists it; empty: no link.
    """
    known = Markup('class="{}" data-key="{}" data-origin="{}" data-kind="{}"').format(css, key, origin, kind)
    if not numbers:
        return Markup("<span {}>{}</span>").format(known, text)
    return Markup('<a {} href="{}#{}">{}</a>').format(known, numbers, anchor(origin, key), text)


def anchor(origin: str, key: str) -> str:
    """Id of a value's row on the page that lists it."""
    return f"{origin}.{key}"


def value_span(value: Value, key: str, origin: Origin, lang: Lang, numbers: str = "") -> Markup:
    """A measured value in prose or in a table; `numbers` as in `span`."""
    if value.number is None:
        return span(value_text(value, lang), key, origin, kind=value.kind, css="sw-missing")
    shown = span(value_text(value, lang), key, origin, kind=value.kind, numbers=numbers)
    if value.kind == "simulated":
        return shown + kind_mark("simulated", label("kind.simulated", lang))
    return shown


def kind_mark(kind: str, text: str, title: str = "") -> Markup:
    """The small word that tells a quoted or simulated number from a measured one."""
    # Markdown reads attributes too: a link in one would end it.
    hover = Markup(' title="{}"').format(Markup(inert(title))) if title else ""  # noqa: S704 - escaped by that
    return Markup('<sup class="sw-kind sw-kind-{}"{}>{}</sup>').format(kind, hover, text)


def capital(text: str) -> str:
    """With a capital at its start."""
    return text[0].upper() + text[1:]


def origin_text(sourced: Sourced, lang: Lang) -> str:
    """Where a result was measured, in a few words."""
    effort = label(f"effort.{sourced.result.effort}", lang)
    if sourced.origin == "local":
        return {"en": f"measured here, {effort}", "vi": f"đo trên máy này, {effort}"}[lang]
    return {"en": "published", "vi": "đã công bố"}[lang]


def changed_text(sourced: Sourced, lang: Lang) -> str:
    """What has changed in the project since a result was measured, in a few words."""
    if sourced.changed is None:
        return {
            "en": "whether anything changed since cannot be told",
            "vi": "không rõ từ đó đến nay có gì thay đổi hay không",
        }[lang]
    if not sourced.changed:
        return {"en": "nothing changed since", "vi": "từ đó đến nay không có gì thay đổi"}[lang]
    parts = ", ".join(label(f"part.{part}", lang) for part in sourced.changed)
    return {"en": "changed since: {}", "vi": "đã thay đổi kể từ đó: {}"}[lang].format(parts)


def quoted_text(value: QuotedValue, lang: Lang) -> str:
    """A quoted figure with the digits of its source, without markup."""
    return written_text(value.number, value.unit, value.places, lang)


def quoted_span(key: str, source: QuotedSource, value: QuotedValue, lang: Lang, numbers: str = "") -> Markup:
    """A quoted figure with its source and date at hand; `numbers` as in `span`."""
    shown = span(quoted_text(value, lang), key, "quoted", kind="quoted", numbers=numbers)
    title = f"{source.title}, {date_text(value.as_of, lang)}, {source.machine}"
    return shown + kind_mark("quoted", label("kind.quoted", lang), title)


def plain(markup: str) -> str:
    """Words only, for alternative texts: no markup, and no small marks."""
    return Markup(_MARK.sub("", str(markup))).striptags()  # noqa: S704 - read for its words only
