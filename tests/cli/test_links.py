"""`specwiki check --links`: what others answered is told with everything else that is wrong."""

import json

import pytest

from specwiki.study.translation import ALL, record

NOBODY = "http://127.0.0.1:9/x"


@pytest.fixture
def project(project, monkeypatch):
    """A project as the working folder, in which nothing is wrong but that its site links to nobody."""
    for name in ("experiments", "profiles"):
        (project.root / name).mkdir(exist_ok=True)
    record(project, None, [ALL])
    project.site.mkdir()
    (project.site / "index.html").write_text(f'<a href="{NOBODY}">x</a>', encoding="utf-8")
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("SPECWIKI_DATA", str(project.local.root))
    return project


@pytest.mark.usefixtures("project")
def test_only_on_request(command):
    """Without it nobody is asked."""
    assert command("check") == (0, "0 problems\n", "")


@pytest.mark.usefixtures("project")
def test_a_link_that_does_not_answer_fails_the_check(command):
    """With the page, the address and the reason; exit code 1."""
    code, out, err = command("check", "--links")

    assert (code, err) == (1, "")
    assert out.startswith("1 links to others, 1 do not answer\n")
    assert f"error: site/index.html: the link '{NOBODY}': All connection attempts failed. Correct it, or " in out
    assert out.endswith("\n1 problems\n")


@pytest.mark.usefixtures("project")
def test_as_json(command):
    """A list of all problems, and nothing else."""
    code, out, _ = command("check", "--links", "--json")

    assert code == 1
    (problem,) = json.loads(out)
    assert NOBODY in problem


def test_without_a_site(project, command):
    """There is nothing to look at, which is a problem beside the others."""
    (project.site / "index.html").unlink()

    code, out, _ = command("check", "--links", "--max-age", "1")
    assert code == 1
    assert "there is no built site. Run 'specwiki build' first." in out
    assert "there is no published result" in out
    assert out.rstrip().endswith("2 problems")
