"""SIGKILL of whoever takes part, at random moments: the run goes on, and nothing is lost, torn or counted twice."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import time

import psutil
import pytest

from specwiki.edges import store
from specwiki.edges.run_tables import read_run_tables

KILLS = int(os.environ.get("SPECWIKI_TEST_KILLS", "20"))
VICTIMS = ("specwiki", "kernel", "server")
SERVER_KILLS_A_RUN = 2
"""An arm is given up at its third crash; fewer kills than that leave every arm in."""


def victim_of(process, name):
    """The process to kill: the command, the notebook's kernel, or the server; None if it is not up."""
    with contextlib.suppress(psutil.NoSuchProcess):
        command = psutil.Process(process.pid)
        if name == "specwiki":
            return command
        sign = "ipykernel_launcher" if name == "kernel" else "server.py"
        for child in command.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if any(sign in word for word in child.cmdline()):
                    return child
    return None


def check_blocks(runs, seen):
    """Every block file is whole, and as it was when it was first seen."""
    files = runs.block_files()
    for content in files.values():
        json.loads(content)
    if files.keys() >= seen.keys():
        assert all(files[name] == content for name, content in seen.items())
    return files


def check_result(runs, seen):
    """Each cell of the plan counts once, and every block that was ever on disk is in the run's tables."""
    result = store.read_results(runs.layout.local)[-1]
    blocks = read_run_tables(runs.layout.local.run_folder(result))
    counted = [(one.arm, one.concurrency, one.group, one.replicate) for one in blocks if one.status == "ok"]
    assert len(counted) == len(set(counted)) == runs.num_cells("full")
    stored = {one.index: one for one in blocks}
    for content in seen.values():
        before = json.loads(content)
        assert stored[before["index"]].elapsed_s == pytest.approx(before["elapsed_s"])
    assert not list(runs.layout.scratch.glob("depth/*"))
    return len(blocks)


@pytest.mark.timeout(300 + 20 * KILLS)
def test_killed_at_random_moments(runs):
    """Whoever is killed, whenever: the same command goes on, and ends with the replicates of an undisturbed run."""
    moments = random.Random(20261130)
    kills = dict.fromkeys(VICTIMS, 0)
    server_kills = finished = 0
    seen: dict[str, bytes] = {}
    process = runs.start("full")
    while sum(kills.values()) < KILLS:
        time.sleep(moments.uniform(0.2, 5))
        name = moments.choice(VICTIMS)
        victim = victim_of(process, name)
        if victim is not None and not (name == "server" and server_kills >= SERVER_KILLS_A_RUN):
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.send_signal(signal.SIGKILL)
                kills[name] += 1
                server_kills += name == "server"
        if name != "server":
            # A kernel that was killed ends the command, with an error; a finished run ends it well.
            with contextlib.suppress(Exception):
                process.wait(timeout=5)
        if process.poll() is None:
            continue
        _, err = process.communicate()
        assert process.returncode in (0, 1, -signal.SIGKILL), err
        assert "Traceback" not in err
        assert runs.engine_is_gone()
        seen |= check_blocks(runs, seen)
        if process.returncode == 0:
            check_result(runs, seen)
            seen, server_kills = {}, 0
            finished += 1
        process = runs.start("full")
    process.communicate(timeout=120)
    if process.returncode != 0:
        code, _, err = runs.run("full")
        assert code == 0, err
    number = check_result(runs, seen)
    assert all(kills.values())
    print(f"\nkills: {kills}; runs that finished on the way: {finished}; blocks of the last one: {number}")
