"""What git says about a file: whether it was committed, unmodified, at this moment."""

from __future__ import annotations

import subprocess
from pathlib import Path


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


def _git(path: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *words],  # noqa: S607 - the user's own git
            cwd=path.parent, capture_output=True, text=True, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
