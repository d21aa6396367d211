"""Print how long the commands take on this machine, from a fresh clone; no test asserts a time.

Usage: .venv/bin/python benchmarks/times.py [--site-only]
Nothing else should run meanwhile. The clone has a cache of its own, so the model is converted again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
MIB = 1024**2
ENGINE_NAMES = ("vllm", "VLLM")

BOOT = """
import pathlib, time
from specwiki.edges import engine, model_cache
from specwiki.edges.lock import engine_lock
from specwiki.study.project import find_layout, load_profile
profile = load_profile(find_layout(pathlib.Path.cwd()), "laptop")
cache = model_cache.cache_folder()
boot = engine.Boot(profile, str(model_cache.embedded_model(cache)), None, engine.Cores.of_this_process(),
                   pathlib.Path("build/boot.log"))
with engine_lock(cache, "a benchmark") as lock:
    began = time.perf_counter()
    with engine.running(boot, lock):
        print(f"{time.perf_counter() - began:.1f}")
"""


def main() -> None:
    """Clone, run, print."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "specwiki"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        environment = {**os.environ, "SPECWIKI_CACHE": str(Path(folder) / "cache")}
        environment.pop("SPECWIKI_DATA", None)
        if "--site-only" not in sys.argv:
            timed("make wiki, from nothing", ["make", "wiki"], clone, environment)
            timed("make wiki, nothing changed", ["make", "wiki"], clone, environment)
            boot = subprocess.run(
                [clone / ".venv/bin/python", "-c", BOOT], cwd=clone, env=environment, capture_output=True, check=True
            )
            print(f"{'boot of the engine (off)':40} {float(boot.stdout):7.1f} s")
        timed("make site, packages included", ["make", "site"], clone, environment)
        edit_a_word(clone)
        timed("one word edited: render and build", [clone / ".venv/bin/specwiki", "build"], clone, environment)
        subprocess.run(["rm", "-rf", "site", "build"], cwd=clone, check=True)
        timed("make site, packages installed", ["make", "site"], clone, environment)


def edit_a_word(clone: Path) -> None:
    """Change one word of a page's source."""
    page = clone / "docs" / "en" / "index.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace(" the ", " this ", 1), encoding="utf-8")


def timed(what: str, words: list[str | Path], cwd: Path, environment: dict[str, str]) -> None:
    """Run a command; print its wall time, and the most memory that specwiki's own processes took together."""
    peak = [0]
    ended = threading.Event()
    began = time.perf_counter()
    process = subprocess.Popen(words, cwd=cwd, env=environment, stdout=subprocess.DEVNULL)

    def sample() -> None:
        while not ended.wait(0.2):
            peak[0] = max(peak[0], own_memory(process.pid))

    watcher = threading.Thread(target=sample)
    watcher.start()
    code = process.wait()
    ended.set()
    watcher.join()
    said = "" if code == 0 else f"  FAILED with {code}"
    print(
        f"{what:40} {time.perf_counter() - began:7.1f} s  {peak[0] / MIB:6.0f} MiB without the engine{said}", flush=True
    )


def own_memory(pid: int) -> int:
    """Memory of a process and its children in bytes, the engine's and the installer's processes left out."""
    total = 0
    try:
        for process in psutil.Process(pid).children(recursive=True):
            words = " ".join(process.cmdline())
            if not any(name in words for name in (*ENGINE_NAMES, "pip", "multiprocessing", "GgufConfig")):
                total += process.memory_info().rss
    except psutil.Error:
        pass
    return total


if __name__ == "__main__":
    main()
