"""`specwiki changes`: what it prints, and with which exit code."""

import json
import os
import subprocess

import pytest


@pytest.fixture
def project(project, add, make_result, monkeypatch):
    """A project as the working folder, with one committed result and a later one that is not committed."""
    for name in ("experiments", "profiles"):
        (project.root / name).mkdir(exist_ok=True)
    add(project.published, make_result())
    who = {f"GIT_{role}_{part}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *words], cwd=project.root, env=os.environ | who, check=True)
    add(project.published, make_result(run_id="r0002", best="depth", gain=1.2))
    monkeypatch.chdir(project.root)
    return project


@pytest.mark.usefixtures("project")
def test_the_report_is_markdown(command):
    """Exit code 0: a change is no failure; what was too long is counted."""
    code, out, err = command("changes")

    assert (code, err) == (0, "")
    assert out.startswith("# Changes in the published results, the work tree against HEAD, ")
    assert "\n| `best.c1` | off | **depth 4** |\n" in out
    assert command("changes", "depth", "--since", "HEAD") == (0, out, "")
    short = command("changes", "--at-most", "100")[1]
    assert len(short) < len(out)
    assert "They are left out here, for length." in short


@pytest.mark.usefixtures("project")
def test_the_report_as_json(command):
    """The same, for programs."""
    code, out, _ = command("changes", "--json")

    assert code == 0
    (found,) = json.loads(out)["results"]
    assert found["runs"][1]["run_id"] == "r0002"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--since", "nope"), "commit 'nope': git knows no commit of that name. "),
        (("synthetic",), "experiment 'synthetic': it has no published result, and had none then. There is: depth."),
    ],
)
@pytest.mark.usefixtures("project")
def test_wrong_words_are_refused(command, words, says):
    """With what to do, and exit code 2."""
    code, out, err = command("changes", *words)

    assert (code, out) == (2, "")
    assert err.startswith(f"error: {says}")


@pytest.mark.usefixtures("project")
def test_without_git(command, monkeypatch, tmp_path):
    """Exit code 3."""
    monkeypatch.setenv("PATH", str(tmp_path))

    assert command("changes") == (3, "", "error: git: it is not installed. Install your system's package 'git'.\n")


def test_help_has_an_example(command):
    """As each command."""
    assert "specwiki changes depth --since origin/main" in command("changes", "--help")[1]
