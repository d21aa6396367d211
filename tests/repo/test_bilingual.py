"""The two languages say the same about the same values."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from specwiki.render.labels import has_label
from specwiki.study.site import render_site

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.stem for path in (ROOT / "docs" / "en").glob("*.md"))
IDS = r'data-(?:key|claim|outcome|chart|table|gap|source)="[^"]*"'


def source(name, lang):
    """A page as somebody wrote it."""
    return (ROOT / "docs" / lang / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_headings_have_the_same_explicit_ids(name):
    """Every heading has one, so that the switch keeps the fragment."""
    found = {}
    for lang in ("en", "vi"):
        text = re.sub(r"^```.*?^```", "", source(name, lang), flags=re.MULTILINE | re.DOTALL)
        headings = re.findall(r"^#+ .*$", text, re.MULTILINE)
        ids = [re.search(r"\{#([a-z-]+)\}$", heading) for heading in headings]
        assert all(ids), headings
        found[lang] = [one[1] for one in ids if one]

    assert found["en"] == found["vi"]
    assert len(set(found["en"])) == len(found["en"])


@pytest.mark.parametrize("name", PAGES)
def test_the_same_functions_are_called_with_the_same_names(name):
    """Alternative texts and link texts aside."""
    calls = {
        lang: Counter(re.findall(r'\b(\w+)\(("[^"]+"(?:, "[^"]+")?)', source(name, lang))) for lang in ("en", "vi")
    }
    for lang in ("en", "vi"):
        calls[lang] = Counter({call: n for call, n in calls[lang].items() if call[0] != "notebook"})

    assert calls["en"] == calls["vi"]


@pytest.mark.parametrize("stores", [(), ("published",), ("local",), ("published", "local")])
def test_rendered_pages_show_the_same_ids(project, add, make_result, stores):
    """Values, claims, outcomes, charts and tables, as multisets."""
    for store in stores:
        add(getattr(project, store), make_result(run_id=store, best="depth", gain=1.15))
    render_site(project)

    for name in PAGES:
        shown = [
            Counter(re.findall(IDS, (project.pages / lang / f"{name}.md").read_text("utf-8"))) for lang in ("en", "vi")
        ]
        assert shown[0] == shown[1]
        assert 'class="sw-result' in (project.pages / "en" / f"{name}.md").read_text("utf-8")


def test_vietnamese_text_is_composed():
    """NFC, so that a search finds it."""
    for path in sorted((ROOT / "docs" / "vi").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        assert not re.search("[\u0300-\u036f]", text), path


def test_wordings_call_the_same_values_in_both_languages():
    """A claim's sentence may not drop a number in translation."""
    for path in sorted((ROOT / "docs" / "claims").glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for name, entry in (data.get("claims", {}) | data.get("outcomes", {})).items():
            for state, english in entry["en"].items():
                called = [Counter(re.findall(r"@\{\{.*?\}\}", text)) for text in (english, entry["vi"][state])]
                assert called[0] == called[1], f"{name}.{state}"


def test_every_label_that_a_result_uses_has_words(make_result):
    """Columns, cells, facts and reasons."""
    result = make_result(best="depth")
    used = {column for table in result.tables.values() for column in table.columns}
    used |= {cell.label for table in result.tables.values() for row in table.rows for cell in row if cell.label}
    used |= {f"fact.{name}" for name in result.facts if name != "engine_version"}
    used |= {f"missing.{value.missing}" for value in result.values.values() if value.missing}

    assert sorted(key for key in used if not has_label(key)) == []
