"""Results on disk: written once, whole or not at all, and every wrong file is named."""

from __future__ import annotations

import pytest

from specwiki.core.layout import Store
from specwiki.edges import store
from specwiki.errors import InputError, ProblemsError


@pytest.fixture
def there(tmp_path):
    return Store(tmp_path / "data")


def test_a_result_comes_back(there, make_result):
    """What was written is what is read."""
    result = make_result()
    store.write_result(there, result)

    assert store.read_results(there) == [result]


def test_an_empty_store_has_no_results(there):
    """A folder that is not there is a store with nothing in it."""
    assert store.read_results(there) == []


def test_every_wrong_file_is_named(there, make_result):
    """Two torn files and one in the wrong place: three problems, not one."""
    path = store.write_result(there, make_result())
    path.with_name("2026-01-01-a-1.json").write_text("{")
    path.with_name("2026-01-02-b-1.json").write_text('{"format": 2}')
    path.with_name("2026-01-03-c-1.json").write_bytes(path.read_bytes())

    with pytest.raises(ProblemsError) as failure:
        store.read_results(there)
    said = [str(problem) for problem in failure.value.problems]
    assert "2026-01-01-a-1.json: it is not JSON" in said[0]
    assert any("format is 2" in one for one in said)
    assert "its content says" in said[-1]
    assert failure.value.worst_exit_code == 1


def test_a_folder_that_cannot_be_written(tmp_path):
    """A file where a folder should be: an error with the path, and nothing left behind."""
    blocking = tmp_path / "data"
    blocking.write_text("")

    with pytest.raises((InputError, NotADirectoryError, FileExistsError)):
        store.write_atomic(blocking / "x.json", b"{}")
    assert blocking.read_text() == ""


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    """A disk that is full while a file is written: the old file stays whole, no part of the new one is left."""
    path = tmp_path / "a.json"
    store.write_atomic(path, b"old")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match=r"a\.json: cannot be written: No space left on device"):
        store.write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_is_copied_whole(tmp_path):
    """A copy that was cut earlier does not count as a run; a later copy takes the place of an earlier one."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "blocks.csv").write_text("a\n")
    target = tmp_path / "runs" / "one"
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / ".one.tmp").mkdir()

    store.copy_run(source, target)
    (source / "blocks.csv").write_text("b\n")
    store.copy_run(source, target)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["one"]
    assert (target / "blocks.csv").read_text() == "b\n"
