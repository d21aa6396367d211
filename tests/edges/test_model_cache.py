"""The converted model is checked by hash, and its errors say what to do."""

from __future__ import annotations

import hashlib
import json
import shutil
from types import SimpleNamespace

import pytest

from specwiki.edges import model_cache
from specwiki.errors import EngineError


def converted(cache, content=b"weights", recorded=None):
    folder = cache / "models" / model_cache.FOLDER
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(content)
    recorded = recorded or {"model.safetensors": hashlib.sha256(content).hexdigest()}
    (folder / model_cache.MANIFEST).write_text(json.dumps(recorded))
    return folder


def test_a_whole_cache_is_used(tmp_path):
    """Files with the recorded hashes are what the engine gets."""
    folder = converted(tmp_path)

    assert model_cache.embedded_model(tmp_path) == folder


def test_a_damaged_file_is_named(tmp_path):
    """A file with another hash is an error that names it and says to remove the folder."""
    folder = converted(tmp_path)
    (folder / "model.safetensors").write_bytes(b"wEights")

    with pytest.raises(
        EngineError, match=r"model\.safetensors: its hash is .*expected .*Remove .*converts the model again"
    ):
        model_cache.embedded_model(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    """So is a file that is gone."""
    (converted(tmp_path) / "model.safetensors").unlink()

    with pytest.raises(EngineError, match=r"model\.safetensors: the file is missing"):
        model_cache.embedded_model(tmp_path)


def test_a_torn_manifest_is_named(tmp_path):
    """So is a manifest that is not JSON."""
    (converted(tmp_path) / model_cache.MANIFEST).write_text('{"model')

    with pytest.raises(EngineError, match=r"manifest\.json: it is not JSON"):
        model_cache.embedded_model(tmp_path)


def test_a_full_disk_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    """Too little free space is an error with both numbers; the cache stays empty."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4 * 10**8))

    with pytest.raises(EngineError, match=r"0\.4 GB are free, expected at least 1\.0 GB.*SPECWIKI_CACHE"):
        model_cache.embedded_model(tmp_path)
    assert not list((tmp_path / "models").iterdir())


def test_the_cache_folder_can_be_set(tmp_path, monkeypatch):
    """SPECWIKI_CACHE wins over the user's cache folder."""
    monkeypatch.setenv("SPECWIKI_CACHE", str(tmp_path))

    assert model_cache.cache_folder() == tmp_path


def test_a_folder_without_its_manifest(tmp_path):
    """Nothing is used unchecked; the place is named, and what to do."""
    with pytest.raises(EngineError, match=r"manifest\.json: it is not there, or cannot be read\. Restore it from git"):
        model_cache.checked_model(tmp_path)
