"""Notebooks: text to .ipynb (jupytext), executed (papermill), made storable."""

from __future__ import annotations

import ast
import difflib
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import jupytext
import nbformat
import papermill
from jupyter_client.manager import AsyncKernelManager
from papermill.exceptions import PapermillExecutionError

from specwiki import errors
from specwiki.core.redact import redact
from specwiki.errors import CheckError, InputError, SpecwikiError

PARAMETERS = "parameters"
CELL_TIMEOUT_S = 4 * 3600
START_TIMEOUT_S = 60


def convert(source: Path, target: Path) -> list[str]:
    """Write a percent-format script as a notebook; the source is only read.

    Returns:
        Names of its parameters.

    Raises:
        InputError: If the notebook has no cell tagged `parameters`.
    """
    notebook = jupytext.reads(source.read_text(encoding="utf-8"), fmt="py:percent")
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [cell for cell in notebook.cells if PARAMETERS in cell.metadata.get("tags", [])]
    if not cells:
        raise InputError(str(source), "no cell is tagged 'parameters'", 'Begin one with: # %% tags=["parameters"]')
    nbformat.write(notebook, target)
    return [name for cell in cells for name in _assigned(cell.source)]


def _assigned(source: str) -> list[str]:
    names: list[str] = []
    for node in ast.parse(source).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names += [target.id for target in targets if isinstance(target, ast.Name)]
    return names


def check_parameters(given: Mapping[str, object], known: list[str]) -> None:
    """Refuse parameters that the notebook does not have; papermill itself would only warn.

    Raises:
        InputError: Names the nearest parameter.
    """
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise InputError(
                f"parameter '{name}'",
                f"the notebook has no such parameter, expected one of {known}",
                f"Did you mean '{near[0]}'?" if near else "Name one of these",
            )


def _kernel_into(log: IO[bytes]) -> type[AsyncKernelManager]:
    """A kernel whose own output goes to a file: what it and its libraries say would stand between our own lines."""

    class Kernel(AsyncKernelManager):
        # As in the class above it, which is a coroutine where its own parent is not.
        async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
            await super().start_kernel(stdout=log, stderr=log, **options)

    return Kernel


def execute(source: Path, target: Path, parameters: Mapping[str, object], cwd: Path) -> None:
    """Execute a notebook with the given parameters.

    Args:
        source: The notebook.
        target: Where the executed one is written, also when a cell fails: then with the error in it. Beside it lies
            `kernel.log`, what the kernel said outside of cells.
        parameters: Checked with `check_parameters` before.
        cwd: Working folder of the kernel.

    Raises:
        SpecwikiError: The error that a cell raised, as itself.
        CheckError: If a cell failed otherwise, or the kernel died.
    """
    path = target.with_name("kernel.log")
    try:
        with path.open("wb") as log, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            papermill.execute_notebook(
                str(source), str(target), parameters=dict(parameters), kernel_name="python3", progress_bar=False,
                cwd=str(cwd), execution_timeout=CELL_TIMEOUT_S, start_timeout=START_TIMEOUT_S,
                kernel_manager_class=_kernel_into(log),
            )  # fmt: skip
    except PapermillExecutionError as failure:
        raise _as_error(failure, target) from failure
    except RuntimeError as failure:
        raise CheckError("notebook", f"its kernel ended: {failure}", f"See {target} and {path}") from failure


def _as_error(failure: PapermillExecutionError, target: Path) -> SpecwikiError:
    """The error of a cell: our own classes carry place, fact and next step in a marked line of their text."""
    kind = getattr(errors, str(failure.ename), None)
    if isinstance(kind, type) and issubclass(kind, SpecwikiError):
        where, _, rest = str(failure.evalue).partition(": ")
        what, _, hint = rest.rpartition(". ")
        return kind(where, what, hint)
    return CheckError(
        f"notebook, cell {failure.exec_count}", f"{failure.ename}: {failure.evalue}", f"The failed notebook is {target}"
    )


def storable(path: Path, redactions: Mapping[str, str]) -> bytes:
    """An executed notebook as it is stored: no times, no random ids, no images, no path of this machine.

    Args:
        path: The executed notebook.
        redactions: Text → what it becomes, longest first.
    """
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.pop("papermill", None)
    notebook.metadata["language_info"] = {"name": "python"}
    notebook.cells = [cell for cell in notebook.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03d}"
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [_kept(output) for output in cell.outputs if _is_kept(output)]
    text = json.dumps(notebook, ensure_ascii=False, sort_keys=True, indent=1)
    return (redact(text, redactions) + "\n").encode()


def _is_kept(output: Any) -> bool:
    return not (output.output_type == "stream" and output.name == "stderr")


def _kept(output: Any) -> Any:
    for kind in [kind for kind in output.get("data", {}) if kind.startswith("image/") or kind == "text/html"]:
        del output["data"][kind]
    return output
