"""From stored results to the built site, with the real MkDocs."""

import datetime as dt
import json
import re
from pathlib import Path

import pytest

from specwiki.core.layout import Layout, Store
from specwiki.core.result import Result
from specwiki.edges.store import write_result
from specwiki.errors import CheckError, SpecwikiError
from specwiki.study.site import build_site, render_site, serve_site, site_is_current

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("best", ["off", "depth", "undecided"])
def test_pages_read_well_whatever_the_outcome(project, add, make_result, best):
    """No label key, no Jinja, no None reaches a page."""
    add(project.published, make_result(best=best, gain={"off": 0.9, "depth": 1.15, "undecided": 1.0}[best]))
    render_site(project)

    for path in sorted(project.pages.rglob("*.md")):
        text = re.sub(r"<svg.*?</svg>|`[^`]*`|^    .*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert not re.search(r"label:|None|undefined|@\{\{|\b(?:outcome|missing|reason|column)\.[a-z]", text), path


def test_published_results_out_of_turns_render_and_claim_nothing(project):
    """The real ones of this repository, as if `off` had run before everything else."""
    for path in (ROOT / "data" / "results").rglob("*.json"):
        result = Result.model_validate_json(path.read_text("utf-8"))
        ordered = tuple(sorted(result.strip, key=lambda block: not block.arm.startswith("off")))
        write_result(project.published, result.model_copy(update={"strip": ordered}))
    render_site(project)

    for name in ("depth", "drafters", "synthetic"):
        text = (project.pages / "en" / f"{name}.md").read_text("utf-8")
        said = dict(re.findall(r'data-outcome="([^"]+)" data-state="([^"]+)"', text))
        assert said
        assert set(said.values()) <= {"undecided", "not-offered"}
        assert not re.search(r'data-key="ratio\.[^>]*>[\d.]+\u00d7<', text)
    values = json.loads((project.pages / "en" / "values.json").read_text("utf-8"))
    for results in values["experiments"].values():
        for one in results:
            ratios = [key for key in one["values"] if re.match(r"ratio\.c1\.(?!off)", key)]
            reasons = {one["values"][key]["missing"] for key in ratios}
            assert reasons <= {"not-interleaved", "not-built", "not-measured"}


def test_a_trial_run_renders_with_what_it_lacks_named(project, add, make_result):
    """One load, one depth, no table by kind of prompt."""
    small = make_result(depths=(0, 4), effort="tiny")
    values = {key: value for key, value in small.values.items() if ".c4" not in key and "copy-heavy" not in key}
    tables = {"strata": small.tables["acceptance"]}
    outcomes = {"best.c1": small.outcomes["best.c1"]}
    add(project.local, small.model_copy(update={"values": values, "tables": tables, "outcomes": outcomes, "strip": ()}))
    render_site(project)

    text = (project.pages / "en" / "depth.md").read_text(encoding="utf-8")
    assert "Measured here, a trial run" in text
    assert text.count("not measured at this effort") > 3


def test_both_stores_are_shown_and_the_local_one_leads(project, add, make_result):
    """The published result of the same machine stands beside it, not that of another."""
    add(project.published, make_result(run_id="r1"))
    add(project.published, make_result(run_id="r2", machine="other", as_of=dt.date(2026, 11, 29)))
    add(project.local, make_result(run_id="r3", effort="quick"))
    render_site(project)

    text = (project.pages / "en" / "depth.md").read_text(encoding="utf-8")
    assert text.index('class="sw-result" data-origin="local"') < text.index('class="sw-result" data-origin="published"')
    shown = json.loads((project.pages / "en" / "data" / "depth" / "published" / "result.json").read_text("utf-8"))
    assert shown["run_id"] == "r1"


def test_a_local_result_that_was_published_is_shown_once(project, add, make_result):
    """As published."""
    add(project.published, make_result())
    add(project.local, make_result())
    render_site(project)

    assert 'data-origin="local"' not in (project.pages / "en" / "depth.md").read_text(encoding="utf-8")


def test_the_notebook_becomes_a_page_with_the_stored_chart(project, add, make_result):
    """And its file a download."""
    add(project.published, make_result())
    render_site(project)

    text = (project.pages / "vi" / "notebooks" / "depth-published.md").read_text(encoding="utf-8")
    assert "Thông lượng so với tắt" in text
    assert (project.pages / "vi" / "data" / "depth" / "published" / "notebook.ipynb").exists()


def test_every_problem_of_every_page_is_reported_and_the_old_pages_stay(project):
    """Nothing half-rendered replaces them."""
    render_site(project)
    before = (project.pages / "en" / "index.md").read_text(encoding="utf-8")
    for lang in ("en", "vi"):
        (project.docs / lang / "index.md").write_text("@{{ value('ratio.c1.d44') }}", encoding="utf-8")

    with pytest.raises(SpecwikiError) as caught:
        render_site(project)

    assert [one.where for one in caught.value.problems] == ["docs/en/index.md", "docs/vi/index.md"]
    assert (project.pages / "en" / "index.md").read_text(encoding="utf-8") == before


def test_the_site_is_built_tidied_and_known_to_be_current(project, add, make_result):
    """Until something that it is made from changes."""
    add(project.published, make_result())
    assert not site_is_current(project)
    site = build_site(project)

    assert site_is_current(project)
    assert (site / "index.html").exists()
    assert (site / "en" / "depth" / "index.html").exists()
    assert (site / "vi" / "404.html").read_bytes() == (site / "404.html").read_bytes()
    assert not list(site.rglob("*.map"))
    assert {path.name for path in site.rglob("lunr.??.min.js")} == {"lunr.vi.min.js"}
    assert not [path for path in site.rglob("*.html") if "cell_type" in path.read_text(encoding="utf-8")]

    index = project.docs / "en" / "index.md"
    index.write_text(index.read_text(encoding="utf-8") + "\nOne word.\n", encoding="utf-8")
    assert not site_is_current(project)


def test_a_broken_link_stops_the_build_and_the_old_site_stays(project):
    """MkDocs' warning is what the error says."""
    build_site(project)
    index = project.docs / "vi" / "index.md"
    index.write_text(index.read_text(encoding="utf-8") + "\n[x](nowhere.md)\n", encoding="utf-8")

    with pytest.raises(CheckError, match=r"mkdocs build, vi: .*nowhere\.md"):
        build_site(project)

    assert "nowhere" not in (project.site / "vi" / "index.html").read_text(encoding="utf-8")
    assert not list(project.root.glob(".site*"))


def test_two_builds_are_the_same(make_project, add, make_result, tmp_path):
    """Every file, byte for byte, wherever the project lies and whatever day it is."""
    built = []
    for layout in (make_project(tmp_path / "here"), make_project(tmp_path / "else" / "where it is")):
        add(layout.published, make_result())
        site = build_site(layout)
        built.append({path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()})

    assert built[0].keys() == built[1].keys()
    assert [name for name, content in built[0].items() if content != built[1][name]] == []
    packed = [content for name, content in built[0].items() if name.suffix == ".gz"]
    assert [content[4:8] for content in packed] == [b"\0\0\0\0"] * 2  # gzip's own date


def test_serving_says_where_and_ends(project):
    """It builds first where there is no site."""
    said = []
    serve_site(project, 0, said.append, turns=1)

    assert said[0].startswith("serving http://127.0.0.1:")
    assert (project.site / "index.html").exists()


def test_a_change_is_built_while_serving_and_a_mistake_ends_nothing(project):
    """The reader is told, and the old site stays."""
    build_site(project)
    index = project.docs / "en" / "index.md"
    good = index.read_text(encoding="utf-8")
    texts = [good + "\n@{{ nonsense }}\n", good + "\nOne word.\n"]
    said = []

    def say(line):
        said.append(line)
        if texts:
            index.write_text(texts.pop(0), encoding="utf-8")

    serve_site(project, 0, say, turns=3)

    assert "error: docs/en/index.md: 'nonsense' is undefined" in said[1]
    assert said[2] == "built again; reload the page"
    assert "One word." in (project.site / "en" / "index.html").read_text(encoding="utf-8")


def test_a_result_without_its_raw_files_still_has_pages(project, make_result):
    """Only the current results' raw files are committed."""
    write_result(project.published, make_result())
    build_site(project)

    assert (project.pages / "en" / "data" / "depth" / "published" / "values.csv").exists()
    assert not (project.pages / "en" / "notebooks").exists()


def test_a_missing_root_page_is_named(project):
    """With all other files of the site that are not there."""
    (project.docs / "root" / "index.html").unlink()
    (project.docs / "mkdocs.vi.yml").unlink()

    with pytest.raises(SpecwikiError) as caught:
        build_site(project)

    assert len(caught.value.problems) == 2


def test_another_store_is_read_where_the_layout_says(project, add, make_result, tmp_path):
    """As SPECWIKI_DATA does."""
    elsewhere = Layout(project.root, Store(tmp_path / "elsewhere"))
    add(elsewhere.local, make_result(effort="quick"))
    render_site(elsewhere)

    assert 'data-origin="local"' in (project.pages / "en" / "depth.md").read_text(encoding="utf-8")


def test_a_page_shows_another_profile_by_name(project, add, make_result):
    """Its results never lead, whatever their date; charts and downloads of both have names of their own."""
    add(project.published, make_result(run_id="one", best="depth", gain=1.15))
    other = make_result(run_id="two", profile="other", gain=0.5, as_of=dt.date(2026, 11, 29))
    add(project.published, other)
    for lang in ("en", "vi"):
        path = project.docs / lang / "depth.md"
        text = path.read_text("utf-8").replace("profiles: laptop-eagle\n", "profiles: laptop-eagle, other\n", 1)
        path.write_text(
            text + '\n@{{ of("other").value("ratio.c1.d4") }}\n\n@{{ of("other").chart("ratio", "x") }}\n', "utf-8"
        )
    render_site(project)

    page = (project.pages / "en" / "depth.md").read_text("utf-8")
    assert "0.50\u00d7" in page.rpartition("#downloads")[2]
    assert "0.50\u00d7" not in page.partition("#values")[0]
    ids = re.findall(r'<figure class="sw-chart" id="([^"]+)"', page)
    assert "chart-ratio-other-published" in ids
    assert len(ids) == len(set(ids))
    assert (project.pages / "en" / "data" / "depth-other" / "published" / "values.csv").exists()


def test_what_was_derived_since_publishing_is_shown(project, add, make_result):
    """The same run is shown once where nothing was."""
    add(project.published, make_result(run_id="r1"))
    add(project.local, make_result(run_id="r1"))
    render_site(project)
    page = project.pages / "en" / "depth.md"
    assert 'data-origin="local"' not in page.read_text("utf-8")

    add(project.local, make_result(run_id="r1", derivation=2))
    render_site(project)
    assert 'data-origin="local"' in page.read_text("utf-8")


def test_an_experiment_needs_a_page_of_its_name(project):
    """Its numbers link to a page that leads back there."""
    for lang in ("en", "vi"):
        (project.docs / lang / "depth.md").unlink()

    with pytest.raises(SpecwikiError, match=r"shows the experiment 'depth', and there is no page of that name"):
        render_site(project)


def test_a_profile_by_name_is_asked_whether_it_was_measured(project, add, make_result):
    """Its section says once that it was not, instead of once for each value."""
    add(project.published, make_result(run_id="one", best="depth", gain=1.15))
    render_site(project)
    before = section(project, "learned")
    add(project.published, make_result(run_id="two", profile="laptop-eagle", best="depth", gain=1.15))
    render_site(project)

    assert before.count("sw-nothing") == 1
    assert "sw-missing" not in before
    assert "sw-nothing" not in section(project, "learned")
    assert 'data-key="ratio.c1.d4"' in section(project, "learned")


def section(project, heading):
    """What stands on the depth page below a heading."""
    text = (project.pages / "en" / "depth.md").read_text(encoding="utf-8")
    return text.partition(f"{{#{heading}}}")[2].partition("\n## ")[0]


def test_a_profile_that_no_page_names_is_refused(project):
    """With the place, and the nearest name."""
    path = project.docs / "en" / "depth.md"
    path.write_text(path.read_text("utf-8") + '\n@{{ of("othr").value("ratio.c1.d4") }}\n', "utf-8")

    with pytest.raises(SpecwikiError, match=r"docs/en/depth\.md: there is no profile .*'othr'"):
        render_site(project)
