"""What changed: of each published result, when it came, and what it says otherwise than the run before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from specwiki.core.changes import Change, outcome_changes, verdict_changes
from specwiki.core.result import Result
from specwiki.render.escaping import inert
from specwiki.render.evidence import Evidence, News
from specwiki.render.findings import Findings
from specwiki.render.labels import label
from specwiki.render.values import NUMBERS
from specwiki.units import Lang, date_text, plain_number

_WORDS = {
    "nothing": {"en": "Nothing has been published yet.", "vi": "Chưa có kết quả nào được công bố."},
    "first": {"en": "first result.", "vi": "kết quả đầu tiên."},
    "again": {"en": "measured again; the run before is of {}.", "vi": "đo lại; lần chạy trước vào ngày {}."},
    "same": {
        "en": "Every decision and every claim says the same as before.",
        "vi": "Mọi quyết định và kết luận vẫn như trước.",
    },
    "otherwise": {"en": "It now says:", "vi": "Nay kết luận:"},
    "gone": {
        "en": "the decision <code>{}</code> is not made any more.",
        "vi": "quyết định <code>{}</code> không còn nữa.",
    },
    "moved": {
        "en": "Of {} values with an interval in both runs, {} lie apart from what they were.",
        "vi": "Trong {} giá trị có khoảng tin cậy ở cả hai lần chạy, {} giá trị có hai khoảng không giao nhau.",
    },
    "numbers": {"en": "All its numbers", "vi": "Mọi con số"},
}


class WhatChanged:
    """The function of one page in one language that tells what is new in the published results."""

    def __init__(self, evidence: Evidence, lang: Lang, findings: Findings) -> None:
        self.evidence = evidence
        self.lang = lang
        self.findings = findings

    def functions(self) -> dict[str, Callable[..., Any]]:
        """The names that a page may call."""
        return {"what_changed": self.what_changed}

    def what_changed(self) -> Markup:
        """One item for each published result, newest first."""
        if not self.evidence.news:
            return Markup('\n\n<p class="sw-missing">{}</p>\n\n').format(self._say("nothing"))
        newest = sorted(self.evidence.news, key=lambda one: (one.result.as_of, one.result.run_id), reverse=True)
        items = "\n".join(f"- {self._item(one)}" for one in newest)
        return Markup(f"\n\n{items}\n\n")  # noqa: S704 - made here, of escaped parts

    def _item(self, news: News) -> str:
        result = news.result
        effort = label(f"effort.{result.effort}", self.lang)
        about = f"**{date_text(result.as_of, self.lang)}, [{news.titles[self.lang]}]({result.experiment}.md)**"
        numbers = f"[{self._say('numbers')}]({NUMBERS}/{news.name}.md)."
        where = inert(f"{result.profile}, {result.machine}, {effort}")
        return f"{about} ({where}): {self._told(news)} {numbers}"

    def _told(self, news: News) -> str:
        if not news.sourced.earlier:
            return self._say("first")
        before = news.sourced.earlier[0]
        said = self._decided(news, before) + self._flipped(news, before)
        otherwise = f"{self._say('otherwise')} {' '.join(said)}" if said else self._say("same")
        again = self._say("again").format(date_text(before.as_of, self.lang))
        return f"{again} {otherwise} {self._moved(before, news.result)}"

    def _decided(self, news: News, before: Result) -> list[str]:
        changed = [one for one in outcome_changes(before, news.result) if one.decides and one.key in news.printed]
        return [
            str(self.findings.outcome_of(one.key, news.sourced))
            if one.new is not None
            else self._say("gone").format(inert(one.key))
            for one in changed
        ]

    def _flipped(self, news: News, before: Result) -> list[str]:
        claims = {name: claim for name, claim in self.evidence.claims.items() if name in news.printed}
        flipped = verdict_changes(claims, before, news.result, self.evidence.quoted_values)
        return [str(self.findings.claim_of(one.name, news.sourced)) for one in flipped]

    def _moved(self, before: Result, now: Result) -> str:
        both = before.values.keys() & now.values.keys()
        overlaps = [Change(key, before.values[key], now.values[key]).overlap for key in both]
        compared = [one for one in overlaps if one is not None]
        counts = (len(compared), compared.count(False))
        return self._say("moved").format(*(plain_number(number, self.lang) for number in counts))

    def _say(self, name: str) -> str:
        return _WORDS[name][self.lang]
