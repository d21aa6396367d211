"""The state of the Vietnamese pages: what the check says of it, what pages show, and what is written."""

import re

import pytest

from specwiki.errors import InputError, SpecwikiError
from specwiki.study.check import problems
from specwiki.study.site import build_site, render_site
from specwiki.study.translation import ALL, outdated, record

NOTES = r'\n?<p><span class="sw-outdated".*?</span></p>|<span class="sw-outdated".*?</span> ?| <sup class="sw-kind sw-outdated".*?</sup>'  # noqa: E501


@pytest.fixture
def project(project):
    """The project with everything recorded as translated."""
    record(project, None, [ALL])
    return project


def edit(path, old, new):
    """Replace text that is there once or more."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def said(project):
    """What the check says of translations."""
    return [str(one) for one in problems(project) if "specwiki translate" in str(one)]


def costless(result):
    """Its values, with depth 0 faster than off."""
    zero = result.values["ratio.c1.d0"].model_copy(update={"number": 1.2, "low": 1.1, "high": 1.3})
    return result.values | {"ratio.c1.d0": zero}


def everything_is_out_of_date(project):
    """As if every English text had been another."""
    files = [*(project.docs / "vi").glob("*.md"), *(project.docs / "claims").glob("*.toml")]
    for file in files:
        text = re.sub(
            r"(@\{# en: \S+ |^of = \")\w{12}", rf"\g<1>{'0' * 12}", file.read_text("utf-8"), flags=re.MULTILINE
        )
        file.write_text(text, "utf-8")


def vietnamese(project, name="depth"):
    """A rendered Vietnamese page."""
    render_site(project)
    return (project.pages / "vi" / f"{name}.md").read_text(encoding="utf-8")


def test_all_in_date_is_no_problem(project):
    """Recording again writes nothing."""
    assert outdated(project) == []
    assert said(project) == []
    assert record(project, None, [ALL]).files == ()
    assert "sw-outdated" not in vietnamese(project)


def test_an_edited_english_paragraph_is_a_problem_and_marks_the_page(project):
    """The page is rendered all the same; once recorded, both are gone."""
    edit(project.docs / "en" / "depth.md", "Two settings look alike", "These two settings look alike")
    line = 1 + (project.docs / "vi" / "depth.md").read_text("utf-8").splitlines().index(
        "Có hai thiết lập trông giống nhau mà khác nhau."
    )

    [problem] = said(project)
    assert problem == (
        f"docs/vi/depth.md, line {line}: 'what-3': its English text changed after it was translated. "
        "'specwiki translate depth' shows both texts; mend the Vietnamese, then run "
        "'specwiki translate depth --done what-3'."
    )
    assert vietnamese(project).count("sw-outdated") == 1
    assert "sw-outdated" not in (project.pages / "en" / "depth.md").read_text(encoding="utf-8")
    assert record(project, "depth", ["what-3"]).unchanged == (("depth", "what-3"),)
    assert said(project) == []
    assert "sw-outdated" not in vietnamese(project)


def test_a_changed_value_marks_nothing_and_a_flipped_verdict_does(project, add, make_result):
    """Of the published result."""
    add(project.published, make_result(run_id="r1", gain=1.2))
    record(project, None, [ALL])
    add(project.published, make_result(run_id="r2", gain=1.25))
    assert said(project) == []
    add(project.published, make_result(run_id="r3", values=costless(make_result())))

    [problem] = said(project)
    assert "'what-3': the verdict of 'depth-zero-costs' went from holds to fails" in problem
    assert "kết luận đo được đã thay đổi" in vietnamese(project)


def test_a_local_result_marks_nothing(project, add, make_result):
    """Whatever this machine says."""
    add(project.published, make_result(gain=1.2))
    record(project, None, [ALL])
    add(project.local, make_result(run_id="mine", effort="quick", values=costless(make_result())))

    assert said(project) == []
    assert "sw-outdated" not in vietnamese(project)


def test_an_edited_english_wording_is_a_problem_and_marks_the_finding(project):
    """Its verdicts each have their own words, so a verdict that changes does not."""
    edit(project.docs / "claims" / "pair.toml", "The source reports that the best depth shrinks", "It says: it shrinks")

    [problem] = said(project)
    assert problem.startswith("docs/claims/pair.toml: 'claims.pair-best-shrinks': its English text changed")
    assert problem.endswith("then run 'specwiki translate pair --done claims.pair-best-shrinks'.")
    assert len(re.findall('data-claim="pair-best-shrinks".*sw-outdated', vietnamese(project))) == 1
    record(project, "pair", ["claims.pair-best-shrinks"])
    assert said(project) == []


def test_what_is_missing_and_left_over_is_a_problem(project):
    """Neither can be recorded."""
    edit(project.docs / "en" / "index.md", "## How to read it {#read}", "## How to read it {#read}\n\nNew words.")
    edit(project.docs / "vi" / "index.md", "@{# en: read-1", "Thừa ra.\n\n@{# en: read-1")

    missing, left = sorted(said(project))
    assert "docs/en/index.md, line" in missing
    assert "'read-2': nobody translated it. Translate it in docs/vi/index.md, then run" in missing
    assert "'run-3': the English text that it translates is gone. Delete it" in left
    with pytest.raises(SpecwikiError, match="--done read-2: nobody translated it. Translate it in docs/vi/index.md."):
        record(project, "index", ["read-2"])
    assert {one.state for one in record(project, "index", [ALL]).left} == {"missing", "left-over"}


def test_ids_and_pages_that_are_not_there_are_refused_with_the_nearest(project):
    """Before anything is written."""
    edit(project.docs / "en" / "depth.md", "Two settings look alike", "These two settings look alike")
    before = (project.docs / "vi" / "depth.md").read_bytes()

    with pytest.raises(InputError, match="--done waht-3: 'depth' has no such id. Did you mean 'what-3'?"):
        record(project, "depth", ["what-3", "waht-3"])
    with pytest.raises(InputError, match="page 'dept': .* Did you mean 'depth'?"):
        outdated(project, "dept")
    with pytest.raises(InputError, match="ids without a page: what-3"):
        record(project, None, ["what-3"])
    assert (project.docs / "vi" / "depth.md").read_bytes() == before


def test_a_broken_comment_is_named_once_and_loses_no_text(project):
    """By the check, by rendering, and by the command, which writes nothing."""
    page = project.docs / "vi" / "depth.md"
    edit(page, "@{# en: what-3 ", "@{# en: what-3 what-3 ")
    before = page.read_bytes()

    assert [one.partition("@")[0] for one in map(str, problems(project))].count(
        next(str(one).partition("@")[0] for one in problems(project) if "cannot be read" in str(one))
    ) == 1  # fmt: skip
    with pytest.raises(SpecwikiError, match="cannot be read"):
        render_site(project)
    with pytest.raises(SpecwikiError, match="cannot be read"):
        record(project, "depth", [ALL])
    assert page.read_bytes() == before


def test_a_file_keeps_its_line_ends(project):
    """Only comments and keys are written."""
    page = project.docs / "vi" / "index.md"
    text = re.sub(r"@\{# en: .*? #\}\n", "", page.read_text(encoding="utf-8")).replace("\n", "\r\n")
    page.write_bytes(text.encode())
    record(project, "index", [ALL])

    written = page.read_bytes().decode()
    assert re.sub(r"@\{# en: .*? #\}\r\n", "", written) == text
    assert outdated(project, "index") == []


def test_notes_change_nothing_else_on_any_page(project, add, make_result):
    """Every block marked: without its notes the built page is what it was, with all lists, tables and boxes whole."""
    add(project.published, make_result())
    record(project, None, [ALL])
    build_site(project)
    plain = {path: path.read_text(encoding="utf-8") for path in (project.site / "vi").glob("*/index.html")}
    for page in (project.docs / "vi").glob("*.md"):
        page.write_text(re.sub(r"(@\{# en: \S+ )\w{12}", rf"\g<1>{'0' * 12}", page.read_text("utf-8")), "utf-8")
    for file in (project.docs / "claims").glob("*.toml"):
        file.write_text(
            re.sub(r'^of = "\w*"', f'of = "{"0" * 12}"', file.read_text("utf-8"), flags=re.MULTILINE), "utf-8"
        )
    build_site(project)

    assert {path.parent.name for path in plain} >= {"depth", "synthetic"}
    for path, text in plain.items():
        now = path.read_text(encoding="utf-8")
        article = [re.search("<article.*</article>", one, re.DOTALL)[0] for one in (text, now)]
        if path.parent.name in {"depth", "synthetic"}:
            assert article[1].count("sw-outdated") > 20
        assert re.sub(NOTES, "", article[1]) == article[0]


def test_notes_link_to_what_is_there(project):
    """The English section of the same page."""
    everything_is_out_of_date(project)
    build_site(project)

    for path in (project.site / "vi" / "depth" / "index.html", project.site / "vi" / "index.html"):
        links = re.findall(r'<span class="sw-outdated".*?href="([^"]+)"', path.read_text(encoding="utf-8"))
        assert links
        for link in links:
            target, _, fragment = link.partition("#")
            text = (path.parent / target / "index.html").resolve().read_text(encoding="utf-8")
            assert not fragment or f'id="{fragment}"' in text
