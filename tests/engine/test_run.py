"""Experiments from the command to the built page, killed on the way, on the real engine."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from specwiki.core.layout import Layout, Store
from specwiki.core.result import Result
from specwiki.edges import lock, model_cache, store
from specwiki.edges.run_tables import read_run_tables
from specwiki.errors import EngineError
from specwiki.units import number_text

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "specwiki"]
LIMIT_S = 300


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A fresh clone, as a user has it, with a local store of its own inside."""
    root = tmp_path_factory.mktemp("clone") / "specwiki"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "clone"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return Layout(root, Store(root / ".specwiki" / "data"))


def specwiki(project: Layout, *words: str) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if name != "SPECWIKI_DATA"}
    return subprocess.Popen(
        [*COMMAND, *words], cwd=project.root, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # A shell that runs the tests in the background ignores Ctrl-C, and its children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    )  # fmt: skip


def run_tiny(project: Layout) -> subprocess.Popen[str]:
    return specwiki(project, "run", "depth", "--effort", "tiny")


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=LIMIT_S)
    return process.returncode, out, err


def wait_for(condition, what: str):
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    pytest.fail(f"{what} did not happen within {LIMIT_S} s")


def block_files(project: Layout) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in project.scratch.glob("depth/*/blocks/*.json")}


def engine_is_gone() -> bool:
    try:
        lock.check_free(model_cache.cache_folder())
    except EngineError:
        return False
    return True


def child_of(process: subprocess.Popen[str], sign: str) -> psutil.Process:
    """The process below the command with this word in its command line."""

    def look():
        for child in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if any(sign in word for word in child.cmdline()):
                    return child
        return None

    return wait_for(look, f"a process with '{sign}'")


def next_block_of(project: Layout, arm: str, before: dict[str, bytes]) -> bool:
    """Whether a block of an arm has come since."""
    new = {name: content for name, content in block_files(project).items() if name not in before}
    return any(json.loads(content)["arm"].startswith(arm) for content in new.values())


@pytest.mark.timeout(1200)
def test_killed_three_times_and_run_again(project):
    """SIGKILL of the command, of the kernel, of the server: no engine is left, no block lost, none counted twice."""
    process = run_tiny(project)
    wait_for(lambda: len(block_files(project)) >= 5, "five blocks")
    second = ended(run_tiny(project))
    process.kill()
    process.communicate()
    wait_for(engine_is_gone, "the end of the engine")
    assert second[0] == 3
    assert "process" in second[2]
    assert "specwiki run depth" in second[2]

    before = block_files(project)
    process = run_tiny(project)
    wait_for(lambda: next_block_of(project, "d", before), "a block of the sweep")
    child_of(process, "ipykernel_launcher").kill()
    code, _, err = ended(process)
    assert code == 1
    assert "its kernel ended" in err
    wait_for(engine_is_gone, "the end of the engine")

    before |= block_files(project)
    process = run_tiny(project)
    wait_for(lambda: next_block_of(project, "d", before), "a block of the sweep")
    before |= block_files(project)
    child_of(process, "specwiki.vllm_ext.launcher").kill()
    code, _, err = ended(process)
    assert code == 0, err

    (result,) = store.read_results(project.local)
    blocks = read_run_tables(project.local.run_folder(result))
    kept = {block.index: block for block in blocks}
    for content in before.values():
        block = json.loads(content)
        assert kept[block["index"]].elapsed_s == block["elapsed_s"]
    (crashed,) = [one for one in blocks if one.status == "crashed"]
    assert crashed.depth is not None
    counted = [(one.arm, one.concurrency, one.group, one.replicate) for one in blocks if one.status == "ok"]
    assert len(counted) == len(set(counted)) == 16
    assert {one.arm for one in blocks} == {"off", "d0", "d4", "d4-twin"}


def test_the_page_shows_what_was_stored(project):
    """The values in both languages' HTML are those of the stored result, and nothing tracked has changed."""
    code, _, err = ended(specwiki(project, "build"))
    assert code == 0, err
    (result,) = store.read_results(project.local)
    value = result.values["ratio.c1.d4"]
    for lang in ("en", "vi"):
        html = (project.site / lang / "depth" / "index.html").read_text()
        assert number_text(value.number, value.unit, lang, half_width=(value.high - value.low) / 2) in re.sub(
            r"\s+", " ", html
        )
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=project.root, capture_output=True, text=True, check=True
    )
    assert status.stdout == ""


def test_again_with_nothing_changed(project):
    """A second run with --if-stale measures nothing, and says so."""
    code, out, err = ended(specwiki(project, "run", "depth", "--effort", "tiny", "--if-stale"))

    assert code == 0, err
    assert "nothing changed since" in out


def test_derived_again_without_an_engine(project):
    """`derive` gives the same values from the stored blocks, as a new file; the first one stays as it is."""
    (first,) = store.read_results(project.local)
    code, _, err = ended(specwiki(project, "derive", "depth"))
    assert code == 0, err

    results: list[Result] = store.read_results(project.local)
    assert [one.derivation for one in results] == [1, 2]
    assert results[0] == first
    assert results[1].values == first.values


def test_a_reading_needs_no_engine(project):
    """Synthetic against written reads the run that is there, and its page is built from it."""
    code, out, err = ended(specwiki(project, "run", "synthetic", "--effort", "tiny"))
    assert code == 0, err
    assert "starting the engine" not in out
    code, _, err = ended(specwiki(project, "build"))
    assert code == 0, err

    reading = next(one for one in store.read_results(project.local) if one.experiment == "synthetic")
    assert reading.values["acceptance_rate.c1.d4.synthetic"].number > reading.values["acceptance_rate.c1.d4"].number
    assert not (project.local.run_folder(reading) / "blocks.csv").exists()
    for lang in ("en", "vi"):
        html = (project.site / lang / "synthetic" / "index.html").read_text()
        assert "acceptance_rate.c1.d4.synthetic" in html
    assert (
        ended(specwiki(project, "run", "synthetic", "--effort", "tiny", "--if-stale"))[1].count("nothing changed") == 1
    )


@pytest.mark.timeout(900)
def test_drafters_have_boots_of_their_own(project):
    """Two replicates of `off` and n-gram look-up are four boots; the page shows what they gave, in both languages."""
    code, _, err = ended(specwiki(project, "run", "drafters", "--effort", "tiny"))
    assert code == 0, err

    result = next(one for one in store.read_results(project.local) if one.experiment == "drafters")
    counted = [one for one in read_run_tables(project.local.run_folder(result)) if one.status == "ok"]
    assert sorted((one.arm, one.replicate) for one in counted) == [("ngram", 1), ("ngram", 2), ("off", 1), ("off", 2)]
    assert len({one.boot for one in counted}) == 4
    drafting = [one.counters for one in counted if one.arm == "ngram"]
    assert drafting[0] == drafting[1]
    assert drafting[0].num_drafts > 0
    code, _, err = ended(specwiki(project, "build"))
    assert code == 0, err
    for lang in ("en", "vi"):
        assert "ratio.c1.ngram" in (project.site / lang / "drafters" / "index.html").read_text()


def test_nothing_of_this_machine_is_stored(project):
    """No path, host name or user name of this machine in any stored file."""
    home, host = str(Path.home()), os.uname().nodename
    for path in project.local.root.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            for planted in (str(project.root).encode(), str(ROOT).encode(), f"{home}/".encode()):
                assert planted not in content, path
            assert len(host) < 4 or host.encode() not in content, path
