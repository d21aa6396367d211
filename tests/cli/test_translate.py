"""`specwiki translate`: what is listed, what is recorded, and with which exit code."""

import json

import pytest

from specwiki.study.translation import ALL, record


@pytest.fixture
def project(project, monkeypatch):
    """A project as the working folder, with everything recorded as translated, and one English paragraph edited."""
    record(project, None, [ALL])
    page = project.docs / "en" / "depth.md"
    page.write_text(page.read_text("utf-8").replace("Two settings look alike", "These two look alike"), "utf-8")
    for name in ("experiments", "profiles"):
        (project.root / name).mkdir(exist_ok=True)
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("SPECWIKI_DATA", str(project.local.root))
    return project


@pytest.mark.usefixtures("project")
def test_what_is_out_of_date_is_listed_with_both_texts(command):
    """Exit code 1; of one page, or of all."""
    code, out, err = command("translate", "depth")

    assert (code, err) == (1, "")
    assert out.startswith("what-3 (docs/vi/depth.md, line ")
    assert "): its English text changed after it was translated\n  English now:\n    These two look alike" in out
    assert "\n  Vietnamese now:\n    Có hai thiết lập" in out
    assert out.endswith("\n\n1 out of date\n")
    assert command("translate")[:2] == (1, out)


@pytest.mark.usefixtures("project")
def test_nothing_out_of_date_is_exit_code_zero(command):
    """Also for a name that is only a file of claims."""
    assert command("translate", "pair") == (0, "0 out of date\n", "")
    assert command("translate", "pair", "--json") == (0, "[]\n", "")


@pytest.mark.usefixtures("project")
def test_the_list_as_json(command):
    """The same, for programs."""
    code, out, _ = command("translate", "--json")
    [entry] = json.loads(out)

    assert code == 1
    assert (entry["page"], entry["id"], entry["state"], entry["verdicts"]) == ("depth", "what-3", "changed", [])
    assert entry["english"].startswith("These two look alike")


@pytest.mark.parametrize("words", [("--done", "what-3"), ("--done", "what-2", "what-3"), ("--done", "all")])
def test_done_records(project, command, words):
    """One id, several, or all; that the Vietnamese text is the same is said in a line."""
    code, out, err = command("translate", "depth", *words)

    assert (code, err) == (0, "")
    assert out.startswith("depth: the English text changed, the Vietnamese did not: what-3\n")
    assert " recorded in 1 files\n" in out
    assert command("translate")[0] == 0
    assert not list((project.docs / "vi").glob(".*"))


@pytest.mark.usefixtures("project")
def test_done_as_json(command):
    """With what is left."""
    code, out, _ = command("translate", "depth", "--done", "what-3", "--json")

    ids = [{"page": "depth", "id": "what-3"}]
    assert (code, json.loads(out)) == (0, {"recorded": ids, "unchanged": ids, "left": []})


def test_what_cannot_be_recorded_is_left_and_exit_code_one(project, command):
    """All the rest is recorded."""
    page = project.docs / "vi" / "depth.md"
    page.write_text(page.read_text("utf-8") + "\nThừa ra.\n", "utf-8")
    code, out, _ = command("translate", "depth", "--done", "all")

    assert code == 1
    assert "downloads-3 (docs/vi/depth.md, line " in out
    assert "the English text that it translates is gone" in out
    assert "1 recorded in 1 files" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("dept",),
            "page 'dept': there is neither a page nor a file in docs/claims of that name. Did you mean 'depth'?",
        ),
        (("depth", "what-3"), "translate: 'what-3' after the page, expected nothing. Put --done before ids."),
        (("depth", "--done", "what-33"), "--done what-33: 'depth' has no such id. Did you mean 'what-3'?"),
        (("--done", "what-3"), "--done: ids without a page: what-3. Name the page before --done."),
    ],
)
@pytest.mark.usefixtures("project")
def test_wrong_words_are_refused(command, words, says):
    """With what to do, and exit code 2."""
    assert command("translate", *words) == (2, "", f"error: {says}\n")


def test_a_broken_comment_is_named(project, command):
    """With its place."""
    page = project.docs / "vi" / "depth.md"
    page.write_text(page.read_text("utf-8").replace("@{# en: what-3 ", "@{# en: what-3 x "), "utf-8")
    code, out, err = command("translate")

    assert (code, out) == (2, "")
    assert err.startswith("error: docs/vi/depth.md, line ")
    assert "cannot be read, expected a line '@{# en: ID HASH vi: HASH NAME=VERDICT … #}'" in err


def test_help_has_an_example(command):
    """As each command."""
    code, out, _ = command("translate", "--help")

    assert code == 0
    assert "specwiki translate depth" in out.split("Example:")[1]
