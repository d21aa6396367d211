"""A full disk, a folder that may not be written, a clock that goes back: refused in time, or nothing is lost."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys

import pytest

from specwiki.edges.clock import RunClock
from specwiki.edges.run_tables import read_run_tables

RUN = [sys.executable, "-m", "specwiki", "run", "depth", "--profile", "small", "--effort", "quick"]


@pytest.fixture
def in_small_file_system(runs):
    """Run a shell script in a mount namespace of its own, with a small file system where the scratch folder is."""
    words = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*words, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this host lets nobody mount a file system in a namespace of its own")
    runs.layout.scratch.mkdir(parents=True)

    def run(script: str, *more: str) -> list[str]:
        shell = f'mount -t tmpfs -o size=560k small "$1"\n{script}'
        done = subprocess.run(
            [*words, "sh", "-c", shell, "sh", str(runs.layout.scratch), *more],
            cwd=runs.layout.root, env=runs.environment, text=True, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        return (done.stdout + done.stderr).splitlines()

    return run


def quoted(words):
    return " ".join(f"'{word}'" for word in words)


def test_a_disk_that_fills_up(runs, in_small_file_system, tmp_path):
    """The run ends with one clear line, the last block measured is on disk, and with space it goes on from there."""
    script = f"""
        {quoted(RUN)} >/dev/null; echo "first: $?"
        ls "$1"/depth/*/blocks | grep -c json
        cp -r "$1"/depth/*/blocks "$2"
        mount -o remount,size=50m "$1"
        {quoted(RUN)} >/dev/null; echo "second: $?"
    """
    said = in_small_file_system(script, str(tmp_path / "kept"))

    assert "first: 2" in said
    (error,) = [line for line in said if line.startswith("error:")]
    assert "No space left on device" in error
    assert "second: 0" in said
    kept = [json.loads(path.read_text()) for path in sorted((tmp_path / "kept").glob("*.json"))]
    assert kept
    stored = {one.index: one for one in read_run_tables(runs.layout.local.run_folder(runs.result))}
    assert all(stored[one["index"]].elapsed_s == pytest.approx(one["elapsed_s"]) for one in kept)
    assert sum(one.status == "ok" for one in stored.values()) == runs.num_cells()


def test_a_folder_that_may_not_be_written(in_small_file_system):
    """Refused before an engine is started."""
    said = in_small_file_system(f'mount -o remount,ro "$1"\n{quoted(RUN)}; echo "code: $?"; ls "$1" | wc -l')

    assert "code: 2" in said
    (error,) = [line for line in said if line.startswith("error:")]
    assert "cannot be written: Read-only file system" in error
    assert said[said.index("code: 2") + 1] == "0"


def test_a_disk_without_room_for_a_run(in_small_file_system):
    """Refused before an engine is started, too."""
    said = in_small_file_system(f'mount -o remount,size=64k "$1"\n{quoted(RUN)}; echo "code: $?"; ls "$1"/depth/*')

    assert "code: 2" in said
    assert any("No space left on device" in line for line in said)
    assert not [line for line in said if "engine" in line and "log" in line and "error" not in line]


def test_a_clock_that_goes_back_in_a_run():
    """Blocks are dated by one reading of the clock, and by a counter that never goes back from there."""
    readings = iter([dt.datetime(2026, 11, 30, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)])
    clock = RunClock(lambda: next(readings))
    times = [clock.now(), clock.now()]

    assert times == sorted(times)
    assert times[0].year == 2026


def test_a_clock_that_goes_back_between_two_parts_of_a_run(runs):
    """The run goes on and counts the same; how long it took is then not said, instead of said wrongly."""
    runs.go_wrong(metrics_status=500)
    assert runs.run()[0] == 1
    files = sorted(runs.layout.scratch.glob("depth/*/blocks/*.json"))
    last = json.loads(files[-1].read_text())
    files[-1].write_text(json.dumps({**last, "started_utc": "2031-01-01T00:00:00Z"}))
    runs.go_wrong()
    code, _, err = runs.run()

    assert code == 0, err
    assert "wall_minutes" not in runs.result.facts
    assert runs.result.facts["measured_minutes"] > 0
