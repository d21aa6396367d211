"""Starting and ending an engine's process group; a small program stands in for what goes wrong, never for numbers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from specwiki.core.model import Drafter, Profile, Target
from specwiki.edges import engine, lock
from specwiki.errors import CrashError, EngineError

CORES = engine.Cores((0,), (1,))


def profile(**changed):
    fields = {
        "name": "sample",
        "way": "local",
        "target": Target(name="m", model="m"),
        "drafter": Drafter(
            slug="n", name="n", method="ngram", scheduler="DepthScheduler", options={"prompt_lookup_max": 4}
        ),
        "engine_args": ("--enforce-eager",),
    }
    return Profile(**{**fields, **changed})


def boot(tmp_path, depths=None, native=None, **changed):
    return engine.Boot(profile(**changed), "m", depths, CORES, tmp_path / "engine.log", native)


def test_off_has_no_speculative_config(tmp_path):
    """`off` is an engine that was never told about speculation."""
    words = engine.command(boot(tmp_path), 1234)

    assert not [word for word in words if "specul" in word or "spec-decode" in word or "scheduler" in word]


def test_a_sweep_names_every_depth(tmp_path):
    """The schedule names each depth once, the deepest is num_speculative_tokens, and our scheduler switches."""
    words = engine.command(boot(tmp_path, depths=(0, 2, 4)), 1234)

    config = words[words.index("--speculative-config") + 1]
    assert '"num_speculative_tokens": 4' in config
    assert '"num_speculative_tokens_per_batch_size": [[1, 1, 0], [2, 2, 2], [3, 3, 4]]' in config
    assert words[words.index("--scheduler-cls") + 1] == "specwiki.vllm_ext.scheduler.DepthScheduler"


def test_a_native_depth_is_vllms_own(tmp_path):
    """At a native depth there is no schedule and no scheduler of ours."""
    words = engine.command(boot(tmp_path, native=2), 1234)

    assert '"num_speculative_tokens": 2' in words[words.index("--speculative-config") + 1]
    assert "per_batch_size" not in " ".join(words)
    assert "--scheduler-cls" not in words


def test_a_drafter_is_cut_from_the_embedded_target_only():
    """`layers` with another target would silently draft with a model that has nothing to do with it."""
    cut = Drafter(slug="n", name="n", method="draft_model", layers=20, scheduler="AsyncDepthScheduler")

    with pytest.raises(ValueError, match="layers of drafter 'n' cut the embedded target"):
        profile(drafter=cut)
    words = engine.command(
        engine.Boot(profile(target=Target(name="m", embedded="smollm2-135m"), drafter=cut), "m", (0, 4), CORES,
                    Path("log"), drafter_model="/cut"), 1234,
    )  # fmt: skip
    assert '"model": "/cut"' in words[words.index("--speculative-config") + 1]


def test_a_type_is_passed_on(tmp_path):
    """With a type the engine computes in it; without one nothing is said, and the model's own holds."""
    plain = boot(tmp_path)

    typed = engine.command(replace(plain, dtype="float32"), 1234)

    assert typed[typed.index("--dtype") + 1] == "float32"
    assert "--dtype" not in engine.command(plain, 1234)


def test_a_taken_port_is_named(tmp_path):
    """A port that somebody else listens on is an error before anything is started."""
    with socket.socket() as other:
        other.bind((engine.HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(EngineError, match=rf"port {port} is taken.*'port' in the profile"):
            with engine.running(boot(tmp_path, port=port)):
                pass


def test_an_engine_that_ends_shows_the_end_of_its_log(tmp_path):
    """A model that is not there ends the engine; the error has the log's last lines."""
    wrong = boot(tmp_path, engine_args=("--no-such-flag",))
    with pytest.raises(EngineError, match=r"ended with exit code [1-9].*its log ends:\n(.|\n)+"):
        with engine.running(wrong):
            pass


def test_a_silent_engine_is_given_up(tmp_path):
    """Without an answer from /health within the limit, the engine is ended and the limit named."""
    with pytest.raises(EngineError, match="no answer from /health within 0.5 s"):
        with engine.running(boot(tmp_path, boot_timeout_s=0.5)):
            pass


LEASHED = """
import os, subprocess, sys, time
from specwiki.vllm_ext.launcher import hold_leash
hold_leash(int(sys.argv[1]))
if sys.argv[2] == "deaf":
    import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("up", flush=True)
time.sleep(600)
"""

OWNER = """
import os, subprocess, sys, time
read_end, write_end = os.pipe()
child = subprocess.Popen([sys.executable, "-c", sys.argv[1], str(read_end), sys.argv[2]],
                         pass_fds=[read_end], start_new_session=True)
print(child.pid, flush=True)
time.sleep(600)
"""


def group_has_members(group: int) -> bool:
    """Whether a process of the group is alive; one that has ended and was not yet collected is not."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z" and int(fields[2]) == group:
            return True
    return False


@pytest.mark.parametrize("hearing", ["hears", "deaf"])
def test_the_group_ends_when_its_owner_is_killed(hearing):
    """SIGKILL of the owner ends the engine and its children, those that ignore SIGTERM included."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER, LEASHED, hearing], stdout=subprocess.PIPE, text=True)
    group = int(owner.stdout.readline())
    assert owner.stdout.readline() == "up\n"
    owner.kill()
    owner.communicate()

    until = time.monotonic() + 30
    while group_has_members(group) and time.monotonic() < until:
        time.sleep(0.1)
    assert not group_has_members(group)


def test_only_one_engine_on_a_host(tmp_path):
    """The second one learns which process holds the lock, and for what."""
    with lock.engine_lock(tmp_path, "'specwiki run depth'"):
        with pytest.raises(EngineError, match=rf"process {os.getpid()} holds it for 'specwiki run depth'"):
            lock.check_free(tmp_path)
    lock.check_free(tmp_path)


def test_the_lock_outlives_its_owner_while_the_engine_runs(tmp_path):
    """A process that inherited the lock keeps it: no second engine starts beside one that is still ending."""
    with lock.engine_lock(tmp_path, "a test") as descriptor:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], pass_fds=[descriptor])
    with pytest.raises(EngineError, match="holds it"):
        lock.check_free(tmp_path)
    child.send_signal(signal.SIGKILL)
    child.wait()
    lock.check_free(tmp_path)


def test_the_client_gets_a_core_of_its_own():
    """With two cores or more, engine and client share none."""
    cores = engine.Cores.of_this_process()

    if len(os.sched_getaffinity(0)) > 1:
        assert not set(cores.engine) & set(cores.client)
    assert set(cores.engine) | set(cores.client) == os.sched_getaffinity(0)


def test_c50_a_follower_does_not_outlive_its_head(tmp_path):
    """Case C50: the head ends, a follower that it started goes on; it is ended before anything is started again."""
    follower = tmp_path / "follower.pid"
    script = (
        "import pathlib, subprocess, sys;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        f"pathlib.Path({str(follower)!r}).write_text(str(child.pid)); sys.exit(1)"
    )
    wanted = boot(tmp_path, command=(sys.executable, "-c", script))
    with pytest.raises(CrashError, match="ended with exit code 1"), engine.running(wanted):
        pass

    assert not Path(f"/proc/{follower.read_text()}").exists()
