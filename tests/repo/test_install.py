"""What a newcomer reads when the installation cannot work."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOWHERE = "http://127.0.0.1:9/simple"


def install(root: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    return subprocess.run(
        [sys.executable, "scripts/install.py", *words], cwd=root, env={**kept, **environment}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def project(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / "src").mkdir()
    for name in ("pyproject.toml", "lock.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_no_network(tmp_path):
    """Without a package index: one line, what to do next, exit code 3, and nothing that claims to be installed."""
    offline = {"PIP_INDEX_URL": NOWHERE, "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "1", "PIP_NO_CACHE_DIR": "1"}
    done = install(project(tmp_path), "site", **offline)

    assert done.returncode == 3
    assert done.stderr == (
        "error: install: no package index could be reached. Connect to the network, or point PIP_INDEX_URL at a "
        "mirror, and run the same command again; what is there is used.\n"
    )
    assert not list((tmp_path / ".venv").glob("*.stamp"))


def test_unknown_set(tmp_path):
    """A wrong word is refused before anything is made."""
    done = install(project(tmp_path), "all")

    assert done.returncode == 2
    assert "expected one of ['engine', 'site', 'test'], got ['all']" in done.stderr
    assert not (tmp_path / ".venv").exists()
