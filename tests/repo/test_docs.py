"""The documents name what there is."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import typer

import specwiki
from specwiki.cli import app

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(typer.main.get_command(app).commands)
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command):
    """A command that the README does not name cannot be found."""
    assert re.search(rf"`(specwiki )?{command}\b", (ROOT / "README.md").read_text()), command


FOR_DEVELOPERS = {"clean", "engine", "fix", "lock", "serve", "zensical"}


@pytest.mark.parametrize("target", [one for one in TARGETS if one not in FOR_DEVELOPERS])
def test_every_target_for_users_is_in_the_readme(target):
    """So is a make target that is not only for developers."""
    assert f"make {target}" in (ROOT / "README.md").read_text()


def test_the_readme_names_nothing_that_is_gone():
    """Each `make` and `specwiki` command in the documents exists."""
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text()
        assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= set(TARGETS), name
        assert set(re.findall(r"`specwiki ([a-z]+)", text)) <= set(COMMANDS), name


def test_ci_runs_the_readmes_commands():
    """CI has no commands of its own."""
    words = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("make")]

    assert words == ["make lint", "make test"]


def test_public_names():
    """What notebooks may use is this list, and all of it is there."""
    assert specwiki.__all__ == [
        "__version__",
        "Lab",
        "drafter_chart",
        "kind_chart",
        "open_lab",
        "position_chart",
        "ratio_chart",
        "show_chart",
    ]
    assert all(hasattr(specwiki, name) for name in specwiki.__all__)
    with pytest.raises(AttributeError, match="no attribute 'measure'"):
        _ = specwiki.measure


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda one: one.stem)
def test_modules_stay_readable(path):
    """A module has at most 300 lines, and its docstring says what it owns."""
    text = path.read_text(encoding="utf-8")

    assert text.startswith('"""')
    assert len(text.splitlines()) <= 300


def test_notebooks_use_public_names():
    """Notebooks import `specwiki` and `specwiki.core`, never `edges` or `study`."""
    for path in ROOT.glob("experiments/*/notebook.py"):
        modules = re.findall(r"^(?:from|import) (specwiki[\w.]*)", path.read_text(), flags=re.MULTILINE)
        assert all(name == "specwiki" or name.startswith("specwiki.core") for name in modules)
        assert all(importlib.import_module(name) for name in modules)
