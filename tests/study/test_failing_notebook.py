"""A notebook that fails: the last good result stays, and the failed notebook is kept beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from specwiki.edges import store

PARAMETERS = '# %% tags=["parameters"]\nprofile = "laptop"\neffort = "quick"\nrun_id = ""\n\n'
OUR_ERROR = 'from specwiki.errors import MeasurementError\nraise MeasurementError("block 7", "void", "Run it again")\n'


@pytest.fixture
def result(make_result):
    return make_result()


def run(project, body):
    write(project, PARAMETERS + "# %%\n" + body)
    return specwiki(project)


def write(project, text) -> Path:
    source = project.experiments / "depth" / "notebook.py"
    source.write_text(text)
    return source


def specwiki(project):
    environment = {
        **os.environ,
        "SPECWIKI_DATA": str(project.local.root),
        "SPECWIKI_CACHE": str(project.root / "cache"),
    }
    words = [sys.executable, "-m", "specwiki", "run", "depth", "--effort", "tiny"]
    return subprocess.run(words, cwd=project.root, env=environment, capture_output=True, text=True, check=False)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_failing_cell_stores_nothing(project, result):
    """A cell that raises ends the run with 1 and one line; the stored result stays byte for byte.

    What the kernel's libraries say by themselves stands in a file of its own.
    """
    store.write_result(project.local, result)
    before = files(project.local.root)
    said = "import atexit, os\natexit.register(os.write, 2, b'at the end')\nos.write(2, b'of a library')\n"
    done = run(project, f"{said}import logging\nlogging.getLogger('tornado.general').error('of the kernel')\n1 / 0\n")

    assert done.returncode == 1
    assert done.stderr.startswith(
        "error: notebook, cell 3: ZeroDivisionError: division by zero. The failed notebook is "
    )
    assert done.stderr.count("\n") == 1
    assert files(project.local.root) == before
    (failed,) = project.scratch.glob("depth/*/notebook.ipynb")
    assert "ZeroDivisionError" in failed.read_text()
    log = failed.with_name("kernel.log").read_text()
    assert "of a library" in log
    assert "at the end" in log


def test_our_own_error_comes_through(project):
    """An error of specwiki raised in a cell is printed as itself, with its exit code."""
    done = run(project, OUR_ERROR)

    assert (done.returncode, done.stderr) == (1, "error: block 7: void. Run it again.\n")


def test_a_notebook_that_saves_nothing(project):
    """A notebook that ends without saving is an error, not an empty result."""
    done = run(project, "pass\n")

    assert done.returncode == 2
    assert "it ended without lab.save(…). Call it in the last cell." in done.stderr
    assert not list(project.local.root.rglob("*.json"))


def test_a_dying_kernel_is_an_error(project):
    """A kernel that is killed ends the run in bounded time with one line."""
    done = run(project, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")

    assert done.returncode == 1
    assert done.stderr.startswith("error: notebook: its kernel ended")
    assert done.stderr.endswith("/kernel.log.\n")
    assert done.stderr.count("\n") == 1


def test_no_parameters_cell(project):
    """A notebook without a parameters cell is refused with the line that makes one."""
    write(project, "# %%\npass\n")
    done = specwiki(project)

    assert done.returncode == 2
    assert 'Begin one with: # %% tags=["parameters"].' in done.stderr


def test_the_source_is_only_read(project):
    """Running converts a copy: the script keeps its bytes and its time."""
    source = write(project, PARAMETERS + "# %%\npass\n")
    os.utime(source, (1, 1))
    content = source.read_bytes()
    specwiki(project)

    assert source.read_bytes() == content
    assert source.stat().st_mtime == 1


def test_result_files_are_never_edited(project, result):
    """Writing the same result again is fine; another one under its name is refused."""
    path = store.write_result(project.local, result)
    assert store.write_result(project.local, result) == path
    with pytest.raises(Exception, match="a result with this name and other content is there"):
        store.write_result(project.local, result.model_copy(update={"withdrawn": "wrong"}))
    assert json.loads(path.read_text())["withdrawn"] is None
