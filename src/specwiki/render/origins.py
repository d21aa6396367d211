"""Where the numbers of a page come from: date and place of each result, engine and rule, downloads, schedule."""

from __future__ import annotations

import json
import shlex
from html import escape
from typing import Any

from markupsafe import Markup

from specwiki.core.result import Result
from specwiki.errors import InputError
from specwiki.render.escaping import inert
from specwiki.render.evidence import Evidence, find_named
from specwiki.render.labels import label
from specwiki.render.tables import markdown_table
from specwiki.render.values import Sourced, capital, changed_text, origin_text
from specwiki.units import Lang, date_text, number_text, plain_number

_FACTS = (
    *(
        "engine",
        "target",
        "drafter",
        "drafter_config",
        "cpu",
        "gpu",
        "cores",
        "memory_gib",
        "dtype",
        "prompt_set",
        "synthetic_set",
        "prompts",
    ),
    *("max_tokens", "temperature", "replicates", "boots", "blocks", "seed", "started_utc", "wall_minutes"),
    "measured_minutes",
)
"""Facts in the order in which a page shows them; `engine_version` stands beside the engine."""

_FACT_UNITS = {"memory_gib": "gib"}

_NOTES = {
    "as_of": {"en": "Result as of", "vi": "Kết quả tính đến"},
    "good_until": {"en": "good until", "vi": "có giá trị đến"},
    "stale": {
        "en": "This result was good until {}. Engine and drafters have moved on since; measure again before relying "
        "on it.",
        "vi": "Số liệu đã cũ: kết quả này chỉ có giá trị đến {}. Engine và mô hình nháp đã thay đổi từ đó; hãy đo lại "
        "trước khi dựa vào.",
    },
    "none": {"en": "Nothing has been measured yet.", "vi": "Chưa có gì được đo."},
    "command": {"en": "This command measures it on this machine:", "vi": "Lệnh sau đo trên máy này:"},
    "synthetic": {
        "en": "Synthetic prompts: they decide nothing.",
        "vi": "Prompt tổng hợp: không dùng để quyết định.",
    },
    "above": {"en": "above {}: not measured", "vi": "nhiều hơn {} yêu cầu: chưa đo"},
    "tier": {"en": "{} to {} running requests: depth {}", "vi": "từ {} đến {} yêu cầu đang chạy: độ sâu {}"},
    "for-this": {"en": "For this machine", "vi": "Dành cho máy này"},
    "source": {"en": "Source", "vi": "Nguồn"},
    "fact": {"en": "Fact", "vi": "Thông tin"},
    "not-published": {"en": "not published in the source", "vi": "nguồn không công bố"},
}


def folder_name(experiment: str, profile: str = "") -> str:
    """What files of an experiment's results are called by; with a profile, of those that a page shows by name."""
    return f"{experiment}-{profile}" if profile else experiment


def fact_text(result: Result, name: str, lang: Lang) -> str:
    """A fact about a run with its unit, inert; a dash where the run does not have it."""
    if name not in result.facts:
        return "—"
    fact = result.facts[name]
    if name == "engine" and "engine_version" in result.facts:
        return inert(f"{fact} {result.facts['engine_version']}")
    if isinstance(fact, str):
        return inert(fact)
    if name in _FACT_UNITS:
        return number_text(fact, _FACT_UNITS[name], lang)
    text = plain_number(round(fact, 1) if name.endswith("_minutes") else fact, lang)
    suffix = {"wall_minutes": "fact.minutes", "measured_minutes": "fact.minutes", "max_tokens": "fact.tokens"}.get(name)
    return f"{fact}" if name == "seed" else text + (f" {label(suffix, lang)}" if suffix else "")


def file_links(evidence: Evidence, one: Sourced, name: str, lang: Lang, root: str = "") -> list[str]:
    """Markdown links to the files of a result.

    Args:
        evidence: Knows which files there are.
        one: The result.
        name: What its files are called by.
        lang: Of the links' words.
        root: Of the language, as seen from the page's source; empty, or ends with a slash.
    """
    files = evidence.files.get(one.origin, {})
    return [f"[{label(text, lang)}]({root}data/{name}/{one.origin}/{file})" for file, text in files.items()]


class Origins:
    """The functions of one page in one language that say where its numbers come from."""

    def __init__(self, evidence: Evidence, lang: Lang, page: str, experiment: str, profile: str = "") -> None:
        self.evidence = evidence
        self.command = f"specwiki run {experiment}" + (f" --profile {profile}" if profile else "")
        self.lang = lang
        self.page = page
        self.name = folder_name(experiment, profile)

    def functions(self) -> dict[str, Any]:
        """The names that a page may call."""
        return {"result_note": self.result_note, "provenance": self.provenance, "downloads": self.downloads,
                "schedule": self.schedule, "fact": self.fact, "source_note": self.source_note,
                "source_fact": self.source_fact, "not_published": self.not_published,
                "quoted_date": self.quoted_date, "notebook": self.notebook}  # fmt: skip

    def result_note(self) -> Markup:
        """What was measured where and when, and a banner that our script shows once it is out of date."""
        if not self.evidence.results:
            words = Markup("{} {}").format(self._say("none"), self._say("command"))
            return Markup('\n\n<div class="sw-result sw-nothing"><p>{}</p><pre><code>{}</code></pre></div>\n\n').format(
                words, self.command
            )
        return Markup("\n\n") + Markup("").join(self._dated(one) for one in self.evidence.results) + Markup("\n\n")

    def provenance(self) -> Markup:
        """Engine, models, machine, prompts, rule: one column a result."""
        results = self.evidence.results
        if not results:
            return self._nothing()
        rows = [[label("fact.machine", self.lang), *(inert(one.result.machine) for one in results)],
                [label("fact.profile", self.lang), *(inert(one.result.profile) for one in results)],
                [label("fact.effort", self.lang), *(label(f"effort.{one.result.effort}", self.lang)
                                                    for one in results)]]  # fmt: skip
        rows += [
            [label(f"fact.{name}", self.lang), *(fact_text(one.result, name, self.lang) for one in results)]
            for name in self._fact_names()
        ]
        rows.append([label("fact.registration", self.lang), *(self._registration(one.result) for one in results)])
        rows.append([label("fact.run", self.lang), *(f"<code>{inert(one.result.run_id)}</code>" for one in results)])
        head = [self._say("fact"), *(origin_text(one, self.lang) for one in results)]
        table = markdown_table(head, rows, [False] * len(head))
        return _trusted(f'\n\n<div class="sw-facts" markdown="block">{table}</div>\n\n')

    def _fact_names(self) -> list[str]:
        """Names of the facts that a result has, in their order; a fact of each drafter follows that of all."""
        known = list(dict.fromkeys(name for one in self.evidence.results for name in one.result.facts))
        return [name for fact in _FACTS for name in known if name == fact or name.startswith(f"{fact}.")]

    def downloads(self) -> Markup:
        """Links to the files of each result, and to the executed notebook as a page."""
        if not self.evidence.results:
            return self._nothing()
        parts = []
        for one in self.evidence.results:
            links = file_links(self.evidence, one, self.name, self.lang)
            if links:
                parts.append(f"- {origin_text(one, self.lang)}: " + " · ".join(links))
        return _trusted("\n\n" + "\n".join(parts) + "\n\n")

    def notebook(self, text: str) -> Markup:
        """A link to the executed notebook of each result that has one."""
        links = [
            f"[{inert(text)}](notebooks/{self.name}-{one.origin}.md)"
            + (f" ({origin_text(one, self.lang)})" if self.evidence.beside else "")
            for one in self.evidence.results
            if "notebook.ipynb" in self.evidence.files.get(one.origin, {})
        ]
        return _trusted(" · ".join(links) or label("missing.nothing-measured", self.lang))

    def schedule(self) -> Markup:
        """What to paste for each result that offers a schedule; nothing where none is offered."""
        if not self.evidence.results:
            return self._nothing()
        offered = [one for one in self.evidence.results if one.result.schedule is not None]
        return Markup("").join(self._schedule(one) for one in offered)

    def fact(self, name: str) -> Markup:
        """A fact about the leading run, inert."""
        main = self.evidence.main
        if main is None:
            return Markup(label("missing.nothing-measured", self.lang))  # noqa: S704 - a wording of ours
        find_named(name, main.result.facts, "fact", self.page)
        return _trusted(fact_text(main.result, name, self.lang))

    def source_note(self, seed: str) -> Markup:
        """Title, date and machine of a page that figures are quoted from."""
        source = self._source(seed)
        text = f"{self._say('source')}: “{source.title}”, {date_text(source.as_of, self.lang)}, {source.machine}"
        return Markup('<span class="sw-source" data-source="{}">{}</span>').format(seed, _trusted(inert(text)))

    def source_fact(self, seed: str, name: str) -> Markup:
        """Something that a source says without a figure."""
        known = self._source(seed).facts
        find_named(name, known, f"fact of source {seed}", self.page)
        return _trusted(inert(getattr(known[name], self.lang)))

    def not_published(self, seed: str, name: str) -> Markup:
        """What a source does not have."""
        known = self._source(seed).not_published
        find_named(name, known, f"gap of source {seed}", self.page)
        text = f"{getattr(known[name], self.lang)}: {self._say('not-published')}"
        return Markup('<span class="sw-missing" data-gap="{}">{}</span>').format(
            f"{seed}.{name}", _trusted(inert(text))
        )

    def quoted_date(self, key: str) -> str:
        """The day that a quoted figure is of."""
        known = self.evidence.quoted
        find_named(key, known, "quoted value", self.page)
        return date_text(known[key][1].as_of, self.lang)

    def _nothing(self) -> Markup:
        return Markup('\n\n<p class="sw-missing">{}</p>\n\n').format(label("missing.nothing-measured", self.lang))

    def _source(self, seed: str) -> Any:
        for source in self.evidence.sources:
            if source.seed == seed:
                return source
        known = sorted(source.seed for source in self.evidence.sources)
        raise InputError(self.page, f"there is no quoted source '{seed}', expected one of {known}", "Name one of these")

    def _dated(self, one: Sourced) -> Markup:
        result = one.result
        until = date_text(result.good_until, self.lang)
        parts = [
            f"{self._say('as_of')} {date_text(result.as_of, self.lang)}",
            f"{self._say('good_until')} {until}",
            result.machine,
            label(f"prompt-kind.{result.prompt_kind}", self.lang),
        ]
        origin = origin_text(one, self.lang)
        note = Markup(
            '<div class="sw-result" data-origin="{}" data-as-of="{}" data-good-until="{}"><p><b>{}</b> {}</p>{}'
            '<p class="sw-stale" role="status" hidden>{}</p></div>'
        )
        changed = Markup('<p class="sw-changed">{}</p>').format(capital(changed_text(one, self.lang)))
        warning = self._say("stale").format(until)
        if result.prompt_kind == "synthetic":
            parts.append(self._say("synthetic"))
        return note.format(one.origin, result.as_of.isoformat(), result.good_until.isoformat(),
                           capital(origin), " · ".join(parts), changed if one.changed else "", warning)  # fmt: skip

    def _registration(self, result: Result) -> str:
        plan = result.registration
        digest = f"`{plan.plan_sha256[:12]}`"
        if plan.committed_before is None:
            state = label("registration.no-repository", self.lang)
        elif plan.committed_before:
            state = label("registration.committed", self.lang) + (f" `{plan.commit[:10]}`" if plan.commit else "")
        else:
            state = label("registration.not-committed", self.lang)
        return f"{state}; {label('registration.plan', self.lang)} {digest}"

    def _schedule(self, one: Sourced) -> Markup:
        tiers = one.result.schedule or ()
        told = [self._say("tier").format(first, last, depth) for first, last, depth in tiers]
        told.append(self._say("above").format(max(last for _, last, _ in tiers)))
        code = escape(_flag(one.result))
        heading = f"{self._say('for-this')}: {one.result.machine} ({origin_text(one, self.lang)})"
        items = "".join(f"<li>{escape(text)}</li>" for text in told)
        return _trusted(
            f'\n\n<div class="sw-schedule"><p><b>{escape(heading)}</b></p><pre><code>{code}</code></pre>'
            f"<ul>{items}</ul></div>\n\n"
        )

    def _say(self, name: str) -> str:
        return _NOTES[name][self.lang]


def _trusted(markup: str) -> Markup:
    return Markup(markup)  # noqa: S704 - made here, of escaped parts


def _flag(result: Result) -> str:
    """What to paste: the drafter's own config with the schedule in it; only the schedule where that is not known."""
    schedule = {"num_speculative_tokens_per_batch_size": [list(tier) for tier in result.schedule or ()]}
    try:
        config = json.loads(str(result.facts.get("drafter_config")))
    except json.JSONDecodeError:
        config = None
    if not isinstance(config, dict):
        return json.dumps(schedule)
    deepest = max(depth for _, _, depth in result.schedule or ())
    return "--speculative-config " + shlex.quote(json.dumps(config | {"num_speculative_tokens": deepest} | schedule))
