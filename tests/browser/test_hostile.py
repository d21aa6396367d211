"""Text of others that reaches a page: it is shown as text, nothing in it acts, and a long word widens no page.

Prompts and answers reach a page only through what a notebook printed, or through the engine's log in which they stand.
"""

from __future__ import annotations

import copy
import json
import re

import pytest

from specwiki.core.result import StripBlock
from specwiki.edges.watch import served
from specwiki.study.site import build_site

pytestmark = pytest.mark.browser

LONG = "x" * 10_000
SEEN = (
    """<script>document.title="owned"</script><img src=x onerror="document.title='owned'"></code></pre></table></p>"""
    " **bold** `x` [a](javascript:document.title='owned') ![i](http://example.org/i.png) {{ 7*7 }} @{{ 7*7 }}"
    " @{% raw %} {% raw %} | a | b | <!-- --> &lt;b&gt; # h {#title} "
)
"""What a reader sees as it is."""
UNSEEN = "\u202etxt.exe\u202c\u200b"
"""Characters that turn text round, and one without a width: seen by their codes."""

PAGES = {
    "": ("TITLE", "MACHINE", "FIGURE"),
    "depth/": ("DRAFTER", "CPU", "CONFIG", "LOG", "TITLE", "MACHINE"),
    "notebooks/depth-published/": ("PROMPT", "ANSWER"),
    "numbers/quoted/": ("TITLE", "MACHINE", "PLACE"),
    "numbers/depth/": (),
}
"""Where each of them comes out."""


def hostile(name):
    """A text that is known by its first word."""
    return f"{name} {SEEN}{UNSEEN} {LONG}"


def as_shown(name):
    """How a page shows it: word for word, what cannot be seen by its code. A config is JSON, with JSON's own codes."""
    text = hostile(name)
    if name == "CONFIG":
        return " ".join(json.dumps(text)[1:-1].split())
    return " ".join(text.translate({ord(one): f"⟨U+{ord(one):04X}⟩" for one in "\u202e\u202c\u200b"}).split())


@pytest.fixture(scope="module")
def site(tmp_path_factory, make_project, make_result, add):
    """A site whose facts, logs, notebook and quoted sources all misbehave."""
    project = make_project(tmp_path_factory.mktemp("hostile") / "wiki")
    result = make_result(best="depth", gain=1.15)
    facts = result.facts | {"drafter": hostile("DRAFTER"), "cpu": hostile("CPU"),
                            "drafter_config": json.dumps({"method": hostile("CONFIG")})}  # fmt: skip
    crash = StripBlock(boot=4, arm="d8", concurrency=1, replicate=3, status="crashed",
                       reason=f"engine: it ended\n{hostile('LOG')}\n    indented\n# heading")  # fmt: skip
    result = result.model_copy(update={"facts": facts, "strip": (*result.strip, crash)})
    add(project.published, result)
    path = project.published.run_folder(result) / "notebook.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    said = copy.deepcopy(notebook["cells"][-1]["outputs"][0])
    told = {"output_type": "execute_result", "execution_count": 1, "metadata": {},
            "data": {"text/plain": hostile("ANSWER"), "text/html": hostile("HTML")}}  # fmt: skip
    notebook["cells"][-1]["outputs"] += [said | {"text": hostile("PROMPT")}, told]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    for source in project.quoted.glob("*.toml"):
        text = source.read_text(encoding="utf-8")
        for key in ("title", "machine", "place"):
            told = f"{key} = {json.dumps(hostile(key.upper()))}"
            text = re.sub(rf"^{key} = .*$", lambda _, told=told: told, text, count=1, flags=re.MULTILINE)
        fact = json.dumps(hostile("FIGURE"))
        text = re.sub(r"(?<=\[facts\.setting\]\n)en = .*\nvi = .*", lambda _: f"en = {fact}\nvi = {fact}", text)  # noqa: B023
        source.write_text(text, encoding="utf-8")
    build_site(project)
    with served(project.root, 0) as address:
        yield f"{address}site/"


@pytest.mark.parametrize("lang", ["en", "vi"])
def test_text_of_others_is_shown_and_does_nothing(visit, site, built, lang):
    """Word for word, on a phone, under the title that the page has without it."""
    seen = visit(f"{site}{lang}/", width=390)
    page = seen.page
    ordinary = visit(f"{built.base}{lang}/").page
    for name, texts in PAGES.items():
        page.goto(f"{site}{lang}/{name}")
        page.wait_for_timeout(100)
        ordinary.goto(f"{built.base}{lang}/{name}")
        page.evaluate("document.querySelectorAll('article details').forEach(one => { one.open = true })")
        words = " ".join(page.locator("article").inner_text().split())

        assert page.title() == ordinary.title()
        for text in texts:
            assert as_shown(text) in words, (name, text)
        assert "\u202e" not in words
        assert page.locator("article").locator("img, script, [onerror], a[href^='javascript:']").count() == 0
        assert page.locator("h1").count() == 1
        page.evaluate("scrollTo(300, 0)")
        assert page.evaluate("[scrollX, document.documentElement.scrollWidth]") == [0, 390], name
    assert seen.problems == []
