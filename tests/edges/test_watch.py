"""What changed, and a folder on loopback."""

import urllib.request

import pytest

from specwiki.edges.watch import fingerprint, served
from specwiki.errors import EngineError


def test_a_changed_added_or_lost_file_changes_the_fingerprint(tmp_path):
    """The same files give the same."""
    (tmp_path / "a").write_text("1", encoding="utf-8")
    seen = [fingerprint([tmp_path, tmp_path / "none"])]
    assert seen[0] == fingerprint([tmp_path, tmp_path / "none"])

    (tmp_path / "a").write_text("2", encoding="utf-8")
    seen.append(fingerprint([tmp_path, tmp_path / "none"]))
    (tmp_path / "b").write_text("", encoding="utf-8")
    seen.append(fingerprint([tmp_path, tmp_path / "none"]))
    (tmp_path / "a").unlink()
    seen.append(fingerprint([tmp_path, tmp_path / "none"]))

    assert len(set(seen)) == 4


def test_what_python_leaves_behind_is_no_change(tmp_path):
    """Importing a module compiles it."""
    seen = fingerprint([tmp_path])
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_bytes(b"")

    assert seen == fingerprint([tmp_path])


def test_a_folder_is_served_and_the_port_is_held(tmp_path):
    """A second server on it is told so."""
    (tmp_path / "index.html").write_text("here", encoding="utf-8")

    with served(tmp_path, 0) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        with urllib.request.urlopen(address) as answer:
            assert answer.read() == b"here"
        with pytest.raises(EngineError, match=f"port {port}"), served(tmp_path, port):
            pass
