"""Notebooks: conversion, parameters, and what is stored of an executed one."""

from __future__ import annotations

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from specwiki.edges import notebooks
from specwiki.errors import EngineError, InputError

SCRIPT = '# %% tags=["parameters"]\nprofile = "laptop"\nrun_id: str = ""\n\n# %% [markdown]\n# # Title\n'


def test_parameters_are_those_of_the_tagged_cell(tmp_path):
    """Plain and annotated assignments are parameters; the kernel is ours, whatever the script says."""
    source = tmp_path / "notebook.py"
    source.write_text(SCRIPT)

    assert notebooks.convert(source, tmp_path / "out.ipynb") == ["profile", "run_id"]
    assert nbformat.read(tmp_path / "out.ipynb", 4).metadata.kernelspec.name == "python3"


def test_an_unknown_parameter_is_refused():
    """The nearest name is suggested; without one, all are listed."""
    with pytest.raises(InputError, match=r"parameter 'profle'.*Did you mean 'profile'\?"):
        notebooks.check_parameters({"profle": 1}, ["profile", "run_id"])
    with pytest.raises(InputError, match=r"expected one of \['profile', 'run_id'\]\. Name one of these"):
        notebooks.check_parameters({"zzz": 1}, ["profile", "run_id"])


def executed(path, *outputs):
    cells = [new_code_cell("profile = 'x'", metadata={"tags": ["injected-parameters"]}),
             new_code_cell("show()", outputs=list(outputs), metadata={"papermill": {"duration": 1.5}})]  # fmt: skip
    notebook = new_notebook(cells=cells, metadata={"papermill": {"start_time": "now"}})
    nbformat.write(notebook, path)
    return path


def test_what_is_stored_is_reproducible(tmp_path):
    """No times, no random ids, no injected cell: two executions that say the same are the same bytes."""
    one = notebooks.storable(executed(tmp_path / "a.ipynb", new_output("stream", name="stdout", text="hi")), {})
    two = notebooks.storable(executed(tmp_path / "b.ipynb", new_output("stream", name="stdout", text="hi")), {})

    assert one == two
    stored = json.loads(one)
    assert [cell["id"] for cell in stored["cells"]] == ["cell-000"]
    assert "papermill" not in one.decode()


def test_no_image_html_or_warning_is_stored(tmp_path):
    """Images and HTML are dropped for their text; what libraries print to stderr is dropped whole."""
    data = {"image/png": "AAAA", "text/html": "<b>x</b>", "text/plain": "x"}
    outputs = (new_output("display_data", data=data), new_output("stream", name="stderr", text="careful"))
    stored = json.loads(notebooks.storable(executed(tmp_path / "a.ipynb", *outputs), {}))

    (output,) = stored["cells"][0]["outputs"]
    assert list(output["data"]) == ["text/plain"]


def test_planted_paths_are_replaced(tmp_path):
    """A path of this machine in an output becomes its name."""
    path = executed(tmp_path / "a.ipynb", new_output("stream", name="stdout", text="in /home/annabelle/wiki"))
    stored = notebooks.storable(path, {"/home/annabelle/wiki": "$REPO", "/home/annabelle": "~"})

    assert b"in $REPO" in stored
    assert b"annabelle" not in stored


def test_an_error_of_ours_keeps_its_class(tmp_path):
    """The class and the text of a cell's error survive the way out of the kernel."""
    source = tmp_path / "notebook.py"
    source.write_text(
        SCRIPT
        + "\n# %%\nfrom specwiki.errors import EngineError\nraise EngineError('engine', 'gone. Really', 'Wait')\n"
    )
    notebooks.convert(source, tmp_path / "in.ipynb")

    with pytest.raises(EngineError) as failure:
        notebooks.execute(tmp_path / "in.ipynb", tmp_path / "out.ipynb", {}, tmp_path)
    assert str(failure.value) == "engine: gone. Really. Wait."
