"""Pages that list numbers: each value that a page shows, where it comes from, and what it was before."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from specwiki.core.changes import Change
from specwiki.core.result import Result
from specwiki.render.escaping import inert
from specwiki.render.evidence import QUOTED, Evidence
from specwiki.render.labels import has_label, label
from specwiki.render.origins import fact_text, file_links
from specwiki.render.pages import PageSource
from specwiki.render.tables import markdown_table
from specwiki.render.values import (
    NUMBERS,
    Sourced,
    anchor,
    capital,
    changed_text,
    estimate_text,
    interval_or_reason,
    origin_text,
    quoted_text,
    value_text,
)
from specwiki.units import Lang, date_text

_LINKED = re.compile(rf'href="(?:\.\./)*{NUMBERS}/([^/"]+)/#([a-z]+)\.([^"]+)"')

_TAKEN = ("wall_minutes", "boots", "blocks", "cores", "memory_gib")
"""What a measurement takes: facts of its run."""

KEPT = 3
"""Earlier runs that stand beside a value, the newest ones; all of them lie in `data/results`."""

_WORDS = {
    "title": {"en": "Where the numbers of “{}” come from", "vi": "Nguồn gốc các con số trên trang “{}”"},
    "description": {
        "en": "Every number that the page “{}” shows, with its run, its interval, and what it was before.",
        "vi": "Mọi con số trên trang “{}”, kèm lần chạy, khoảng tin cậy và giá trị trước đó.",
    },
    "quoted-title": {"en": "Where the quoted figures come from", "vi": "Nguồn gốc các con số trích dẫn"},
    "quoted-description": {
        "en": "Every quoted figure with its source, date and place, and what such figures come to when computed again.",
        "vi": "Mọi con số trích dẫn kèm nguồn, ngày và vị trí, và kết quả khi tính lại từ chính các con số đó.",
    },
    "back": {"en": "Back to {}", "vi": "Về trang {}"},
    "derivation": {"en": "derivation", "vi": "lần tính thứ"},
    "reads": {
        "en": "It reads the run of the experiment {}.",
        "vi": "Kết quả này dùng dữ liệu từ lần chạy của thí nghiệm {}.",
    },
    "files": {"en": "Files", "vi": "Tệp"},
    "notebook": {"en": "executed notebook", "vi": "notebook đã chạy"},
    "again": {"en": "To measure it again, on your machine:", "vi": "Để đo lại, trên máy của bạn:"},
    "metric": {"en": "What it is", "vi": "Đại lượng"},
    "key": {"en": "Key", "vi": "Khóa"},
    "apart": {"en": "intervals apart", "vi": "hai khoảng không giao nhau"},
    "no-earlier": {
        "en": "There is no earlier run on this profile and machine to compare with.",
        "vi": "Chưa có lần chạy nào trước đó trên cùng profile và máy để so sánh.",
    },
    "n-note": {
        "en": "*n* is what an interval is over: replicates or prompts.",
        "vi": "*n* là số mẫu của khoảng tin cậy: số lần lặp hoặc số prompt.",
    },
    "computed": {"en": "computed from the figures above", "vi": "tính từ các con số ở trên"},
    "date": {"en": "As of", "vi": "Tính đến"},
}


def linked_keys(markdown: str) -> set[tuple[str, str, str]]:
    """Numbers that a rendered page links to: (name of the page of numbers, origin, key)."""
    return {(found[1], found[2], found[3]) for found in _LINKED.finditer(markdown)}


def numbers_page(shown: PageSource, evidence: Evidence, name: str, keys: Collection[tuple[str, str]]) -> PageSource:
    """The page that lists the numbers of an experiment's results.

    Args:
        shown: The page that shows them, rendered.
        evidence: The results, with the earlier ones that each took the place of.
        name: Of the results' files, and of this page.
        keys: (origin, key) of each value to list.
    """
    lang = shown.lang
    parts = [
        f"# {_say('title', lang).format(shown.title)} {{#numbers}}",
        f"[{_say('back', lang).format(shown.title)}](../{shown.name}.md)",
    ]
    if not evidence.results:
        parts.append(label("missing.nothing-measured", lang))
    for one in evidence.results:
        listed = sorted(key for origin, key in keys if origin == one.origin and key in one.result.values)
        parts += [_heading(one, lang), _facts(one, evidence, name, lang), _values(one, listed, lang)]
    front = {
        "title": _say("title", lang).format(shown.title),
        "description": _say("description", lang).format(shown.title),
    }
    return PageSource(f"{NUMBERS}/{name}", lang, front | _FRONT, "\n\n".join(parts) + "\n")


def quoted_page(evidence: Evidence, lang: Lang) -> PageSource:
    """The page that lists every quoted figure, and what is computed from them."""
    parts = [f"# {_say('quoted-title', lang)} {{#numbers}}"]
    computed = {key: value for key, value in evidence.quoted_values.items() if value.kind == "computed"}
    for source in sorted(evidence.sources, key=lambda one: one.seed):
        parts.append(f"## {inert(source.title)} {{#source-{source.seed}}}")
        parts.append(f"{date_text(source.as_of, lang)}, {inert(source.machine)}")
        rows = [
            [_code("quoted", key), quoted_text(value, lang), date_text(value.as_of, lang),
             inert(value.place if where.machine == source.machine else f"{value.place} ({where.machine})")]
            for key, (where, value) in evidence.quoted.items() if where.seed == source.seed
        ]  # fmt: skip
        rows += [
            [_code("quoted", key), estimate_text(value, lang), date_text(source.as_of, lang), _say("computed", lang)]
            for key, value in computed.items() if key.startswith(f"{source.seed}.")
        ]  # fmt: skip
        head = [_say("key", lang), label("column.value", lang), _say("date", lang), label("column.source-place", lang)]
        parts.append(_scrolled(markdown_table(head, rows, [False, True, False, False])))
    front = {"title": _say("quoted-title", lang), "description": _say("quoted-description", lang)}
    return PageSource(f"{NUMBERS}/{QUOTED}", lang, front | _FRONT, "\n\n".join(parts) + "\n")


_FRONT = {"search": {"exclude": True}, "markdown": "index.md"}
"""A list of keys would bury the pages that a reader looks for; its Markdown stands beside it."""


def _heading(one: Sourced, lang: Lang) -> str:
    text = f"{origin_text(one, lang)}, {one.result.machine}, {date_text(one.result.as_of, lang)}"
    return f"## {inert(capital(text))} {{#{one.origin}}}"


def _facts(one: Sourced, evidence: Evidence, name: str, lang: Lang) -> str:
    result = one.result
    files = file_links(evidence, one, name, lang, "../")
    if "notebook.ipynb" in evidence.files.get(one.origin, {}):
        files.insert(0, f"[{_say('notebook', lang)}](../notebooks/{name}-{one.origin}.md)")
    run = f"{_run(result, lang)}, {_say('derivation', lang)} {result.derivation}"
    lines = [f"- {capital(run)}; {changed_text(one, lang)}"]
    if files:
        lines.append(f"- {_say('files', lang)}: " + " · ".join(files))
    known = [fact for fact in _TAKEN if fact in result.facts]
    taken = [f"{label(f'fact.{fact}', lang)}: {fact_text(result, fact, lang)}" for fact in known]
    if taken:
        lines.append("- " + " · ".join(taken))
    reads = [_say("reads", lang).format(f"<code>{inert(result.run_of)}</code>")] if result.run_of else []
    command = f"specwiki run {result.experiment} --profile {result.profile} --effort {result.effort}"
    return "\n\n".join(["\n".join(lines), *reads, _say("again", lang), f"```sh\n{command}\n```"])


def _values(one: Sourced, keys: Sequence[str], lang: Lang) -> str:
    head = [_say("key", lang), label("column.value", lang), label("column.interval", lang), "n",
            _say("metric", lang)]  # fmt: skip
    past = one.earlier[:KEPT]
    head += [f"{date_text(old.as_of, lang)}, {_run(old, lang)}" for old in past]
    rows = [[*_row(one, key, lang), *(_before(one, old, key, lang) for old in past)] for key in keys]
    table = _scrolled(markdown_table(head, rows, [False, True, True, True, False, *[True] * len(past)]))
    notes = [_say("n-note", lang)] + ([] if one.earlier else [_say("no-earlier", lang)])
    return "\n\n".join([table, " ".join(notes)])


def _run(result: Result, lang: Lang) -> str:
    return f"{label('fact.run', lang).lower()} <code>{inert(result.run_id)}</code>"


def _row(one: Sourced, key: str, lang: Lang) -> list[str]:
    value = one.result.values[key]
    metric = f"column.{key.partition('.')[0]}"
    name = label(metric, lang) if has_label(metric) else ""
    interval = "" if value.number is None or value.low is None else interval_or_reason(value, lang)
    return [_code(one.origin, key), value_text(value, lang), interval, str(value.n or ""), name]


def _before(one: Sourced, old: Result, key: str, lang: Lang) -> str:
    """A value in an earlier run, with a word where the two intervals have no point in common."""
    if key not in old.values:
        return ""
    apart = Change(key, old.values[key], one.result.values[key]).overlap is False
    return estimate_text(old.values[key], lang) + (f" ({_say('apart', lang)})" if apart else "")


def _code(origin: str, key: str) -> str:
    return f'<code id="{anchor(origin, key)}">{inert(key)}</code>'


def _scrolled(table: str) -> str:
    return f'<div class="sw-numbers" markdown="block">{table}</div>'


def _say(name: str, lang: Lang) -> str:
    return _WORDS[name][lang]
