"""The stores on disk: results and run folders, written once, each by an atomic rename."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from specwiki.core.blocks import BlockRecord
from specwiki.core.layout import Store
from specwiki.core.model import parse
from specwiki.core.result import Result
from specwiki.errors import DataError, InputError, SpecwikiError, raise_all


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all, also when the power goes."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    except OSError as failure:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise InputError(
            str(path), f"cannot be written: {failure.strerror}", "Free space or correct the folder's permissions"
        ) from failure


def to_json(data: Any) -> bytes:
    """The one form of our JSON files: sorted keys, real characters, a new line at the end."""
    return (json.dumps(data, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file that a person wrote.

    Raises:
        InputError: If it is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        raise InputError(str(path), f"it is not TOML: {failure}", "Correct the file at that place") from failure


def read_json(path: Path) -> Any:
    """Read one of our JSON files.

    Raises:
        DataError: If it is torn or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as failure:
        raise DataError(
            str(path), f"it is not JSON: {failure}", "Restore it from git or another copy, or remove it"
        ) from failure


def read_results(store: Store) -> list[Result]:
    """Every result of a store, in the order of their paths.

    Raises:
        DataError: All files that are not results, together.
    """
    results: list[Result] = []
    problems: list[SpecwikiError] = []
    for path in sorted(store.results.glob("*/*/*/*.json")):
        try:
            result = parse(Result, read_json(path), where=str(path), error=DataError)
            if store.result_file(result) != path:
                raise DataError(
                    str(path),
                    f"its content says '{store.result_file(result).relative_to(store.root)}'",
                    "Move it to that place",
                )
            results.append(result)
        except SpecwikiError as problem:
            problems.extend(getattr(problem, "problems", [problem]))
    raise_all(problems)
    return results


def write_result(store: Store, result: Result) -> Path:
    """Add a result; an existing file is never changed.

    Raises:
        DataError: If a result with this name, and other content, is there.
    """
    path = store.result_file(result)
    content = to_json(result.model_dump(mode="json"))
    if path.exists() and path.read_bytes() != content:
        raise DataError(str(path), "a result with this name and other content is there", "Results are never edited")
    write_atomic(path, content)
    return path


def read_notebook(store: Store, result: Result) -> dict[str, Any] | None:
    """The executed notebook of a result's run; None: its raw files are not in this store."""
    path = store.run_folder(result) / "notebook.ipynb"
    return read_json(path) if path.exists() else None


def read_blocks_csv(store: Store, result: Result) -> str | None:
    """The table of blocks of a result's run; None: its raw files are not in this store."""
    path = store.blocks_folder(result) / "blocks.csv"
    return path.read_text(encoding="utf-8") if path.exists() else None


def copy_run(source: Path, target: Path) -> None:
    """Copy a run folder in the place of an earlier copy of it; the target is there whole or as it was."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.copytree(source, temporary)
    shutil.rmtree(target, ignore_errors=True)
    temporary.rename(target)


def read_block_files(folder: Path) -> list[BlockRecord]:
    """The blocks of an unfinished run, in order.

    Raises:
        DataError: If a file is not a block.
    """
    return [
        parse(BlockRecord, read_json(path), where=str(path), error=DataError) for path in sorted(folder.glob("*.json"))
    ]


def write_block_file(folder: Path, block: BlockRecord) -> None:
    """Store one block of an unfinished run."""
    write_atomic(folder / f"{block.index:04d}.json", to_json(block.model_dump(mode="json")))
