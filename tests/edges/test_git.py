"""Files as they stood in a commit, from a real repository."""

from __future__ import annotations

import os
import subprocess

import pytest

from specwiki.edges.git import commit_of, committed_state, extract
from specwiki.errors import EngineError, InputError


def git(folder, *words):
    """Run git as somebody; what it says."""
    who = {f"GIT_{role}_{part}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *words], cwd=folder, env=os.environ | who, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A project in a folder of its repository, with one commit."""
    root = tmp_path / "repository" / "wiki"
    (root / "data" / "results").mkdir(parents=True)
    (root / "data" / "results" / "é.json").write_text("one", encoding="utf-8")
    (root / "note.md").write_text("note", encoding="utf-8")
    git(root.parent, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    return root


def test_a_commit_by_any_name(repository):
    """Its full hash; whatever its name looks like, it is no option."""
    head = git(repository, "rev-parse", "HEAD")

    assert commit_of(repository, "HEAD") == commit_of(repository, "main") == commit_of(repository, head[:8]) == head


@pytest.mark.parametrize("ref", ["nope", "HEAD~7", "", "--help", "main; touch x", "HEAD:wiki/note.md", "a b", "-"])
def test_a_name_of_no_commit(repository, ref):
    """Exit code 2, with the name."""
    with pytest.raises(InputError) as caught:
        commit_of(repository, ref)

    assert str(caught.value).startswith(f"commit '{ref}': git knows no commit of that name. ")
    assert not (repository / "x").exists()


def test_outside_a_repository(tmp_path):
    """It is said as such, not as a wrong name."""
    with pytest.raises(InputError, match="it is in no git repository"):
        commit_of(tmp_path, "HEAD")
    assert committed_state(tmp_path / "x") == (None, None)


def test_without_git(repository, monkeypatch, tmp_path):
    """The host cannot do it: exit code 3, and what to install; a run's registration is unknown."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(EngineError, match=r"git: it is not installed\. Install"):
        commit_of(repository, "HEAD")
    assert committed_state(repository / "note.md") == (None, None)


def test_files_as_they_stood(repository, tmp_path):
    """At their paths below the project; later changes and files that were not asked for are not there."""
    commit = commit_of(repository, "HEAD")
    (repository / "data" / "results" / "é.json").write_text("two", encoding="utf-8")
    into = tmp_path / "into"
    extract(repository, commit, ["data/results", "docs"], into)

    assert [path.relative_to(into).as_posix() for path in into.rglob("*") if path.is_file()] == ["data/results/é.json"]
    assert (into / "data" / "results" / "é.json").read_text("utf-8") == "one"


def test_a_commit_without_any_of_them(repository, tmp_path):
    """Nothing is written."""
    extract(repository, commit_of(repository, "HEAD"), ["docs"], tmp_path / "into")

    assert not (tmp_path / "into").exists()


def test_a_link_leads_nowhere(repository, tmp_path):
    """What a commit links to is not followed out of the folder."""
    (repository / "data" / "link").symlink_to("/etc/passwd")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "link")
    extract(repository, commit_of(repository, "HEAD"), ["data"], tmp_path / "into")

    assert not (tmp_path / "into" / "data" / "link").is_symlink()
    assert (tmp_path / "into" / "data" / "link").read_text() == "/etc/passwd"


def test_a_commit_that_cannot_be_read(repository, tmp_path):
    """With git's own last line."""
    with pytest.raises(EngineError, match=r"git: 'git ls-tree' failed: fatal: .*\. Run 'git fsck'"):
        extract(repository, "0" * 40, ["data"], tmp_path / "into")
