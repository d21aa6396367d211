"""A project whose engine is the small server of these tests."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from specwiki.core import plan as planning
from specwiki.core.layout import Layout, Store
from specwiki.core.result import Result
from specwiki.edges import lock, store
from specwiki.errors import EngineError
from specwiki.study.project import load_experiment
from specwiki.study.starts import measured_order

ROOT = Path(__file__).parents[2]
SERVER = Path(__file__).parent / "server.py"
LIMIT_S = 120
PROFILE = f"""
name = "small"
way = "local"
seats = 8
command = {json.dumps([sys.executable, "-S", str(SERVER)])}
boot_timeout_s = 20
request_timeout_s = 2

[target]
name = "small"
model = "none"

[drafter]
slug = "ngram"
name = "n-gram look-up"
method = "ngram"
scheduler = "DepthScheduler"

[[others]]
slug = "suffix"
name = "suffix decoding"
method = "suffix"
"""


@dataclass
class Runs:
    """Runs an experiment against the small server, in a project and a cache of its own."""

    layout: Layout
    cache: Path
    environment: dict[str, str]
    experiment: str = "depth"

    def start(self, effort: str = "quick") -> subprocess.Popen[str]:
        # A shell that runs tests in the background has them ignore Ctrl-C, and what they start would too.
        words = ["env", "--default-signal=INT", sys.executable, "-m", "specwiki", "run", self.experiment]
        words += ["--profile", "small", "--effort", effort]
        return subprocess.Popen(
            words, cwd=self.layout.root, env=self.environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, effort: str = "quick") -> tuple[int, str, str]:
        process = self.start(effort)
        out, err = process.communicate(timeout=LIMIT_S)
        return process.returncode, out, err

    def go_wrong(self, **what: object) -> None:
        Path(self.environment["FAULTS"]).write_text(json.dumps(what))

    def set_budget(self, seconds: float) -> None:
        plan = self.layout.experiments / self.experiment / "plan.toml"
        plan.write_text(re.sub(r"budget_minutes = .*", f"budget_minutes = {seconds / 60}", plan.read_text()))

    def num_cells(self, effort: str = "quick") -> int:
        """Blocks of an undisturbed run."""
        return planning.num_cells(measured_order(load_experiment(self.layout, self.experiment, "small", effort)), [])

    @property
    def result(self) -> Result:
        (found,) = store.read_results(self.layout.local)
        return found

    def block_files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.layout.scratch.glob(f"{self.experiment}/*/blocks/*.json")}

    def engine_is_gone(self) -> bool:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            try:
                lock.check_free(self.cache)
            except EngineError:
                continue
            return True
        return False


@pytest.fixture
def runs(tmp_path) -> Runs:
    root = tmp_path / "project"
    for name in ("experiments", "data/prompts"):
        shutil.copytree(ROOT / name, root / name)
    (root / "profiles").mkdir()
    (root / "profiles" / "small.toml").write_text(PROFILE)
    shutil.copy(ROOT / "mkdocs.yml", root / "mkdocs.yml")
    cache = tmp_path / "cache"
    environment = {
        **os.environ,
        "SPECWIKI_CACHE": str(cache),
        "SPECWIKI_DATA": str(tmp_path / "local" / "data"),
        "FAULTS": str(tmp_path / "faults.json"),
    }
    return Runs(Layout(root, Store(tmp_path / "local" / "data")), cache, environment)
