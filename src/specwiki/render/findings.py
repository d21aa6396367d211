"""Findings in prose: values, claims and outcomes, this machine's first and the published one beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from specwiki.core.claims import evaluate
from specwiki.core.result import Outcome
from specwiki.errors import ClaimError
from specwiki.render.evidence import Evidence, find_named, find_value, require_key
from specwiki.render.labels import label
from specwiki.render.values import (
    Sourced,
    interval_or_reason,
    kind_mark,
    origin_text,
    plain,
    quoted_span,
    quoted_text,
    span,
    value_span,
    value_text,
)
from specwiki.units import Lang, date_text

Render = Callable[[str, Mapping[str, Any]], str]
"""Renders a wording: its text, and the names that work inside."""


TRIED_DEPTH = 4
TRIED_ARM = "ngram"
"""A depth and an arm to try wordings with."""

_SAME = {"en": "the same.", "vi": "cũng như vậy."}


class Findings:
    """The functions of one page in one language that put values into sentences."""

    def __init__(self, evidence: Evidence, lang: Lang, page: str, render: Render) -> None:
        self.evidence = evidence
        self.lang = lang
        self.page = page
        self.render = render

    def functions(self) -> dict[str, Any]:
        """The names that a page may call."""
        return {"value": self.value, "interval": self.interval, "claim": self.claim, "outcome": self.outcome,
                "quoted": self.quoted, "computed": self.computed, "estimate": self.estimate}  # fmt: skip

    def value(self, key: str) -> Markup:
        """A value in prose; with two results, both, each with where it comes from."""
        main, beside = self.evidence.main, self.evidence.beside
        if main is None:
            require_key(key, self.page, {})
            return self._missing("missing.nothing-measured", key, "published")
        first = self._one(main, key)
        if beside is None or find_value(beside, key, self.page) is None:
            return first
        mark = Markup('<span class="sw-origin">({}; {} {})</span>')
        return (
            first
            + " "
            + mark.format(origin_text(main, self.lang), origin_text(beside, self.lang), self._one(beside, key))
        )

    def interval(self, key: str) -> Markup:
        """The interval of a value of the leading result."""
        main = self.evidence.main
        if main is None:
            return self.value(key)
        return self._interval(main, key)

    def estimate(self, key: str) -> Markup:
        """A value of the leading result with its interval in brackets."""
        main = self.evidence.main
        return self.value(key) if main is None else self._estimate(main, key)

    def quoted(self, key: str, *, marked: bool = True) -> Markup:
        """A figure that somebody else published."""
        known = self.evidence.quoted
        find_named(key, known, "quoted value", self.page)
        source, value = known[key]
        if marked:
            return quoted_span(key, source, value, self.lang, self.evidence.quoted_numbers)
        text = quoted_text(value, self.lang)
        return span(text, key, "quoted", kind="quoted", numbers=self.evidence.quoted_numbers)

    def computed(self, key: str, *, marked: bool = True) -> Markup:
        """A figure that is computed from quoted ones, with its interval where it has one."""
        known = {name: value for name, value in self.evidence.quoted_values.items() if value.kind == "computed"}
        find_named(key, known, "computed value", self.page)
        value = known[key]
        numbers = self.evidence.quoted_numbers
        shown = span(value_text(value, self.lang), key, "quoted", kind="computed", numbers=numbers)
        if value.low is not None:
            between = span(interval_or_reason(value, self.lang), key, "quoted", kind="computed", css="sw-interval")
            shown = Markup("{} ({})").format(shown, between)
        return shown + self._source_mark(key) if marked else shown

    def claim(self, name: str) -> Markup:
        """The wording of a claim that the data support; one over quoted figures is the same for every result."""
        find_named(name, self.evidence.claims, "claim", self.page)
        if self.evidence.claims[name].is_quoted:
            return self.claim_of(name, None)
        return self._beside(lambda sourced: self.claim_of(name, sourced))

    def outcome(self, key: str) -> Markup:
        """The wording of a decision of the run."""
        find_named(key, self.evidence.outcomes, "outcome", self.page)
        return self._beside(lambda sourced: self.outcome_of(key, sourced))

    def try_wording(self, text: str) -> None:
        """Render a wording as if the data called for it, to find what is wrong with it."""
        tried = Outcome(verdict="depth", depth=TRIED_DEPTH, arm=TRIED_ARM, ties=(TRIED_ARM,), replicates_needed=1)
        decision = _decision(tried, self.lang)
        self.render(text, self._inside(self.evidence.main) | decision | {"reason": ""})

    def _one(self, sourced: Sourced, key: str) -> Markup:
        value = find_value(sourced, key, self.page)
        if value is None:
            return self._missing("missing.not-at-this-effort", key, sourced.origin)
        return value_span(value, key, sourced.origin, self.lang, sourced.numbers)

    def _interval(self, sourced: Sourced, key: str) -> Markup:
        value = find_value(sourced, key, self.page)
        if value is None:
            return self._missing("missing.not-at-this-effort", key, sourced.origin)
        return span(interval_or_reason(value, self.lang), key, sourced.origin, kind=value.kind, css="sw-interval")

    def _estimate(self, sourced: Sourced, key: str) -> Markup:
        value = find_value(sourced, key, self.page)
        if value is None or value.number is None:
            return self._one(sourced, key)
        named = "" if value.low is None else label("column.interval", self.lang) + " "
        named = named[:1].lower() + named[1:]
        return Markup("{} ({}{})").format(self._one(sourced, key), named, self._interval(sourced, key))

    def _missing(self, reason: str, key: str, origin: str) -> Markup:
        return span(label(reason, self.lang), key, origin, css="sw-missing")

    def _beside(self, say: Callable[[Sourced | None], Markup]) -> Markup:
        """The leading result's sentence, and below it, marked, that of the published result."""
        said = say(self.evidence.main)
        beside = self.evidence.beside
        if beside is None:
            return said
        heading = {"en": "Published result of {}:", "vi": "Kết quả đã công bố ngày {}:"}[self.lang]
        dated = heading.format(date_text(beside.result.as_of, self.lang))
        second = say(beside)
        if plain(second) == plain(said):
            second = Markup(_SAME[self.lang])  # noqa: S704 - words of ours
        return said + Markup(' <span class="sw-beside"><b>{}</b> {}</span>').format(dated, second)

    def claim_of(self, name: str, sourced: Sourced | None) -> Markup:
        """The wording of a claim that one result supports; None: that quoted figures do."""
        claim = self.evidence.claims[name]
        measured = {} if sourced is None else sourced.result.values
        verdict = evaluate(name, claim.expression, measured, self.evidence.quoted_values)
        wording = getattr(getattr(claim, self.lang), verdict.state)
        reason = "" if verdict.reason is None else label(_as_label(verdict.reason), self.lang)
        said = self.render(wording, self._inside(sourced) | {"reason": reason})
        if any(key in self.evidence.quoted_values for key in verdict.keys):
            return _finding("claim", name, verdict.state, "quoted", said) + self._source_mark(verdict.keys[0])
        origin = "published" if sourced is None else sourced.origin
        return _finding("claim", name, verdict.state, origin, said)

    def _source_mark(self, key: str) -> Markup:
        kind = self.evidence.quoted_values[key].kind
        source = next(one for one in self.evidence.sources if one.seed == key.partition(".")[0])
        as_of = self.evidence.quoted[key][1].as_of if key in self.evidence.quoted else source.as_of
        title = f"{source.title}, {date_text(as_of, self.lang)}, {source.machine}"
        return kind_mark(kind, label(f"kind.{kind}", self.lang), title)

    def outcome_of(self, key: str, sourced: Sourced | None) -> Markup:
        """The wording of a decision of one result; None: there is no result.

        Raises:
            ClaimError: If there is no wording for what was decided.
        """
        if sourced is None:
            return self._missing("missing.nothing-measured", key, "published")
        decided = sourced.result.outcomes.get(key)
        if decided is None:
            return self._missing("missing.not-at-this-effort", key, sourced.origin)
        verdict = decided.verdict.removeprefix("outcome.")
        wordings = getattr(self.evidence.outcomes[key], self.lang)
        if verdict not in wordings:
            raise ClaimError(
                f"outcome '{key}'",
                f"it has no wording for the verdict '{verdict}', there is {sorted(wordings)}",
                "Add one for each language in docs/claims",
            )
        said = self.render(wordings[verdict], self._inside(sourced) | _decision(decided, self.lang))
        return _finding("outcome", key, verdict, sourced.origin, said)

    def _inside(self, sourced: Sourced | None) -> dict[str, Any]:
        """What works inside a wording: the same names, bound to one result, so that a sentence never mixes two."""
        if sourced is None:
            return {"value": self.value, "interval": self.interval, "estimate": self.estimate,
                    "quoted": self._quoted_bare, "computed": self._computed_bare}  # fmt: skip
        return {
            "value": lambda key: self._one(sourced, key),
            "interval": lambda key: self._interval(sourced, key),
            "estimate": lambda key: self._estimate(sourced, key),
            "quoted": self._quoted_bare,
            "computed": self._computed_bare,
        }

    def _computed_bare(self, key: str) -> Markup:
        return self.computed(key, marked=False)

    def _quoted_bare(self, key: str) -> Markup:
        """Inside a wording the sentence itself says that the source reports it."""
        return self.quoted(key, marked=False)


def _as_label(reason: str) -> str:
    return reason if "." in reason else f"missing.{reason}"


def _decision(outcome: Outcome, lang: Lang) -> dict[str, Any]:
    return {
        "depth": outcome.depth,
        "arm": outcome.arm,
        "arm_label": None if outcome.arm is None else label(f"arm.{outcome.arm}", lang),
        "ties": [label(f"arm.{one}", lang) for one in outcome.ties],
        "replicates_needed": outcome.replicates_needed,
    }


def _finding(kind: str, name: str, state: str, origin: str, said: str) -> Markup:
    opened = Markup('<span class="sw-finding" data-{}="{}" data-state="{}" data-origin="{}">').format(
        kind, name, state, origin
    )
    return opened + Markup(said) + Markup("</span>")  # noqa: S704 - a rendered wording of our own, values escaped
