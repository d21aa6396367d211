"""A project with what an experiment needs beside the pages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(project):
    """The shared project, with experiments, profiles and prompts."""
    for name in ("experiments", "profiles", "data/prompts"):
        shutil.copytree(ROOT / name, project.root / name)
    return project
