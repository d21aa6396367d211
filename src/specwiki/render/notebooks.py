"""An executed notebook as a Markdown page: code folded, stored charts for chart outputs, every other output inert."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import nbformat
from jinja2 import DictLoader
from nbconvert import MarkdownExporter

from specwiki.errors import DataError
from specwiki.render.escaping import preformatted
from specwiki.render.pages import PageSource
from specwiki.units import Lang

CHART_MIME = "application/vnd.specwiki.chart+json"
"""An output of this type is `{"id": …}`: the place of a stored chart."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_FENCE = re.compile(r"`{3,}")
_HEADING = re.compile(r"^(#{1,5}) ", re.MULTILINE)

_TEMPLATE = """
{%- extends 'base/null.j2' -%}
{%- block markdowncell %}

{{ cell.source | demoted }}

{% endblock markdowncell -%}
{%- block input %}

{{ cell.source | folded }}

{% endblock input -%}
{%- block stream %}

{{ output.text | inert_block }}

{% endblock stream -%}
{%- block display_data %}

{{ output.data | shown }}

{% endblock display_data -%}
{%- block execute_result %}

{{ output.data | shown }}

{% endblock execute_result -%}
{%- block rawcell %}{% endblock rawcell -%}
"""

_WORDS = {
    "code": {"en": "Code", "vi": "Mã nguồn"},
    "unshown": {"en": "an output of type", "vi": "một kết quả kiểu"},
    "title": {"en": "Executed notebook", "vi": "Notebook đã chạy"},
    "note": {
        "en": "This is the notebook that measured, as it ran. Its code is folded; its charts are the stored ones.",
        "vi": "Đây là notebook dùng để đo, giữ nguyên như khi chạy. Phần mã được gập lại; biểu đồ là biểu đồ đã lưu. "
        "Lời trong notebook viết bằng tiếng Anh.",
    },
}


def notebook_page(
    name: str, notebook: Mapping[str, Any], lang: Lang, *, title: str, chart: Callable[[str], str], back: str
) -> PageSource:
    """A page from an executed notebook.

    Args:
        name: Of the page.
        notebook: Its JSON.
        lang: Of what we add; the notebook's own text stays as it is, marked as English.
        title: Of the page: what was run, where, when.
        chart: HTML of a stored chart by its id.
        back: A Markdown link to the page that the notebook belongs to.

    Raises:
        DataError: If a cell failed; such a notebook is no result.
    """
    _require_good(notebook)
    cells = [cell for cell in notebook["cells"] if "injected-parameters" not in cell["metadata"].get("tags", [])]
    make_node: Any = nbformat.from_dict
    make_exporter: Any = MarkdownExporter
    exporter = make_exporter(extra_loaders=[DictLoader({"specwiki.md.j2": _TEMPLATE})])
    exporter.template_file = "specwiki.md.j2"
    exporter.register_filter("demoted", lambda text: _HEADING.sub(r"#\1 ", text))
    exporter.register_filter("folded", lambda text: _folded(text, lang))
    exporter.register_filter("inert_block", _inert)
    exporter.register_filter("shown", lambda data: _shown(data, lang, chart))
    body, _ = exporter.from_notebook_node(make_node({**notebook, "cells": cells}))
    words = re.sub(r"\n{3,}", "\n\n", str(body)).strip()
    opened = '<div class="sw-notebook" lang="en" markdown="block">'
    heading = f"# {_WORDS['title'][lang]}: {title} {{#notebook}}"
    front = {
        "title": f"{_WORDS['title'][lang]}, {title}",
        "description": _WORDS["note"][lang],
        "search": {"exclude": True},
        "markdown": "index.md",
    }
    return PageSource(
        name, lang, front, f"{heading}\n\n{_WORDS['note'][lang]} {back}\n\n{opened}\n\n{words}\n\n</div>\n"
    )


def _require_good(notebook: Mapping[str, Any]) -> None:
    failed = [
        index
        for index, cell in enumerate(notebook["cells"])
        if any(output.get("output_type") == "error" for output in cell.get("outputs", []))
    ]
    if failed or notebook["metadata"].get("papermill", {}).get("exception"):
        place = f"cell {failed[0]}" if failed else "a cell"
        raise DataError("notebook", f"{place} of it failed", "Remove that run, or derive it again")


def _folded(source: str, lang: Lang) -> str:
    longest = max((len(run) for run in _FENCE.findall(source)), default=2)
    fence = "`" * (longest + 1)
    lines = [f"{fence}python", *source.split("\n"), fence]
    return f'??? quote "{_WORDS["code"][lang]}"\n\n' + "\n".join(f"    {line}".rstrip() for line in lines)


def _inert(text: str) -> str:
    return preformatted(_ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).rstrip("\n"), "sw-output")


def _shown(data: Mapping[str, Any], lang: Lang, chart: Callable[[str], str]) -> str:
    if CHART_MIME in data:
        return chart(str(data[CHART_MIME]["id"]))
    if "text/plain" in data:
        return _inert(str(data["text/plain"]))
    return _inert(f"[{_WORDS['unshown'][lang]} {', '.join(sorted(data))}]")
