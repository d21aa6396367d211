"""The user's own git: whether a file was committed, unmodified, at this moment; files as they stood in a commit."""

from __future__ import annotations

import io
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

from specwiki.errors import EngineError, InputError


def committed_state(path: Path) -> tuple[bool | None, str | None]:
    """Whether a file stands in the last commit as it stands on disk.

    Returns:
        (True or False, hash of the last commit that touched it); (None, None) outside a git repository.
    """
    inside = _git(path, "rev-parse", "--is-inside-work-tree")
    if inside is None:
        return None, None
    commit = _git(path, "log", "-1", "--format=%H", "--", path.name)
    changed = _git(path, "status", "--porcelain", "--", path.name)
    return bool(commit) and changed == "", commit or None


def commit_of(root: Path, ref: str) -> str:
    """The commit that a name means, as its full hash.

    Args:
        root: A folder of the repository.
        ref: A branch, a tag, a hash, or what git makes of it (`HEAD~3`).

    Raises:
        InputError: If it means no commit, or the folder is in no repository.
        EngineError: If git is not installed.
    """
    if _run(root, "rev-parse", "--is-inside-work-tree").returncode:
        raise InputError(str(root), "it is in no git repository, so there is nothing to compare with",
                         "Run this in a clone")  # fmt: skip
    done = _run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if done.returncode:
        raise InputError(f"commit '{ref}'", "git knows no commit of that name", "'git log --oneline' lists them; "
                         "in a shallow clone, fetch the history first")  # fmt: skip
    return done.stdout.decode().strip()


def extract(root: Path, commit: str, names: Sequence[str], into: Path) -> None:
    """Write files as they stood in a commit.

    Args:
        root: Folder of the project, in or at the top of its repository.
        commit: Its hash.
        names: Folders and files below `root`; those that the commit does not have are left out.
        into: Folder to write into; the files get the same paths below it.

    Raises:
        EngineError: If git is not installed, or cannot read the commit.
    """
    listed = _done(root, "ls-tree", "-z", "--name-only", commit, "--", *names).decode().split("\0")
    present = [name for name in listed if name]
    if present:
        # Zip, as its reader follows neither links nor `..` out of the folder in any Python that we support.
        packed = _done(root, "archive", "--format=zip", "-0", commit, "--", *present)
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            archive.extractall(into)


def _git(path: Path, *words: str) -> str | None:
    try:
        done = _run(path.parent, *words)
    except EngineError:
        return None
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None


def _done(root: Path, *words: str) -> bytes:
    done = _run(root, *words)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["it gave no reason"]
        raise EngineError("git", f"'git {words[0]}' failed: {said[-1]}", "Run 'git fsck' to see what is wrong")
    return done.stdout


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)  # noqa: S607 - the user's own
    except FileNotFoundError as failure:
        raise EngineError("git", "it is not installed", "Install your system's package 'git'") from failure
