"""Kill a run on the real engine at random moments until it has ended; `make soak` runs this, `make test` does not."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from specwiki.core.layout import Store
from specwiki.edges import store
from specwiki.edges.run_tables import read_run_tables

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "specwiki", "run", "depth", "--effort", "tiny"]
KILLS = 20
FIRST_BLOCK_S = 45.0
"""A boot and a block take about this long: a run that is always killed sooner would never get on."""


@pytest.mark.engine
def test_killed_twenty_times(tmp_path):
    """However often a run is killed, it goes on: no block changes, none is lost, each replicate counts once."""
    for name in ("experiments", "profiles", "data", "docs", "mkdocs.yml"):
        source = ROOT / name
        shutil.copytree(source, tmp_path / name) if source.is_dir() else shutil.copy(source, tmp_path / name)
    local = Store(tmp_path / ".specwiki" / "data")
    environment = {**os.environ, "SPECWIKI_DATA": str(local.root)}
    moments = random.Random(7)
    seen: dict[str, bytes] = {}
    for _ in range(KILLS):
        process = subprocess.Popen(COMMAND, cwd=tmp_path, env=environment)
        try:
            process.wait(timeout=moments.uniform(1, 2 * FIRST_BLOCK_S))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        time.sleep(12)
        files = {path.name: path.read_bytes() for path in tmp_path.glob(".specwiki/work/depth/*/blocks/*.json")}
        if not files:
            break
        assert all(files.get(name) == content for name, content in seen.items())
        seen = files
    assert subprocess.run(COMMAND, cwd=tmp_path, env=environment, check=False).returncode == 0
    result = store.read_results(local)[-1]
    blocks = read_run_tables(local.run_folder(result))
    counted = [(one.arm, one.concurrency, one.group, one.replicate) for one in blocks if one.status == "ok"]
    assert len(counted) == len(set(counted)) == 16
