"""What a Vietnamese page shows where its translation is out of date: a note at a block, a mark behind a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from markupsafe import Markup

from specwiki.core.page_blocks import FRONT, TOP, Form
from specwiki.core.translation import Passage
from specwiki.core.wordings import wording_of
from specwiki.render.evidence import Evidence

_CHANGED = "Bản dịch chưa cập nhật: phần tiếng Anh đã thay đổi sau khi dịch."
_FLIPPED = "Bản dịch chưa cập nhật: kết luận đo được đã thay đổi sau khi dịch."
_LINK = "Xem bản tiếng Anh"
_MARK = "bản dịch chưa cập nhật"
_MARK_TITLE = "Câu tiếng Anh đã thay đổi sau khi câu này được dịch"


def marked(body: str, passages: Iterable[Passage], offset: int) -> str:
    """A Vietnamese page's body with a call at each block that is out of date; no line is added or moved.

    Args:
        body: Of the page.
        passages: Of the page.
        offset: Where the body starts in the text that was compared.
    """
    calls: list[tuple[int, str]] = []
    for passage in passages:
        english, vietnamese = passage.english, passage.vietnamese
        if passage.state not in {"changed", "flipped"} or english is None or vietnamese is None:
            continue
        section = "" if english.section in {FRONT, TOP} else english.section
        for note in vietnamese.notes:
            words = ", ".join(map(repr, (note.form, passage.state, section, note.indent)))
            calls.append((note.at - offset, f"@{{{{ outdated({words}) }}}}"))
    for _, (at, call) in sorted(enumerate(calls), key=lambda one: (one[1][0], one[0]), reverse=True):
        body = body[:at] + call + body[at:]
    return body


def note_function(page: str) -> Callable[[Form, str, str, str], Markup]:
    """What those calls print: why the block is out of date, with a link to the English section.

    Args:
        page: Name of the page; the link goes from the built Vietnamese page to the built English one.
    """
    up = "../en/" if page == "index" else f"../../en/{page}/"

    def outdated(form: Form, state: str, section: str, indent: str) -> Markup:
        words = _CHANGED if state == "changed" else _FLIPPED
        target = up + (f"#{section}" if section else "")
        note = Markup(
            '<span class="sw-outdated" role="note" data-state="{}">{} <a href="{}" hreflang="en">{}</a></span>'
        ).format(state, words, target, _LINK)
        if form == "item":
            return note + " "
        return Markup("\n\n") + note if form == "after" else note + Markup("\n\n") + indent

    return outdated


def with_marks(functions: Mapping[str, Any], evidence: Evidence) -> dict[str, Any]:
    """The functions of a Vietnamese page, with a mark behind each claim and outcome whose wording is out of date."""

    def behind(say: Callable[[str], Markup], entries: Mapping[str, Any]) -> Callable[[str], Markup]:
        def marking(name: str) -> Markup:
            said = say(name)
            return said + _mark() if wording_of(name, entries[name]).state == "changed" else said

        return marking

    claim, outcome = functions["claim"], functions["outcome"]
    return {
        **functions,
        "claim": behind(claim, evidence.claims),
        "outcome": behind(outcome, evidence.outcomes),
    }


def _mark() -> Markup:
    return Markup(' <sup class="sw-kind sw-outdated" title="{}">{}</sup>').format(_MARK_TITLE, _MARK)
