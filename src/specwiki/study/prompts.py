"""Import a file of prompts as a set of this machine, and say what was refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from specwiki.core.model import PromptSet
from specwiki.core.prompt_import import Format, Imported, Kind, as_prompt_set, as_toml, read_prompts
from specwiki.core.prompt_log import WANTED
from specwiki.edges.store import write_atomic
from specwiki.errors import InputError, SpecwikiError, raise_all
from specwiki.study.project import find_layout, shown_path

MAX_FILE_BYTES = 2**30
"""The file is read as a whole, and its rows are kept until it is done."""
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")


@dataclass(frozen=True)
class ImportReport:
    """What an import did.

    Attributes:
        source: The file that was read.
        path: The prompt set that was written.
        shown: The same path as messages name it.
        prompt_set: Its content.
        imported: Rows that were taken and refused.
    """

    source: Path
    path: Path
    shown: str
    prompt_set: PromptSet
    imported: Imported

    def refusals(self) -> list[str]:
        """One line for every refused row."""
        return [f"refused: {self.source}: {row}" for row in self.imported.refused]

    def text(self) -> str:
        """Counts, what is left out, and how the set is used; for people."""
        found = self.imported
        taken, refused = len(found.taken), len(found.refused)
        shortest, middle, longest = found.characters
        name, stratum = self.prompt_set.id, self.prompt_set.strata[0].name
        beside = [
            f"{title}: {_counts(counts)}"
            for title, counts in (("left out", found.left_out), ("no rows", found.passed_over))
            if counts
        ]
        return "\n".join([
            f"read as {found.format}, rows: {taken + refused}, taken: {taken}, refused: {refused}",
            f"prompt set: {self.shown}",
            *beside,
            f"characters: {shortest} to {longest}, median {middle}",
            f'to measure with it: prompt_set = "{name}" and strata = ["{stratum}"] in an experiment\'s plan.toml',
        ])  # fmt: skip

    def as_dict(self) -> dict[str, object]:
        """The same for programs, without the texts."""
        found = self.imported
        return {
            "prompt_set": str(self.path),
            "id": self.prompt_set.id,
            "format": found.format,
            "rows": len(found.taken) + len(found.refused),
            "accepted": len(found.taken),
            "refused": [vars(row) for row in found.refused],
            "left_out": found.left_out,
            "passed_over": dict(found.passed_over),
            "characters": dict(zip(("shortest", "median", "longest"), found.characters, strict=True)),
        }


@dataclass(frozen=True)
class Wanted:
    """What an import is asked to make.

    Attributes:
        out: Name of the set, for the local store; or a path that ends in `.toml`, for that file.
        kind: Where the prompts come from.
        language: Of all of them.
        format: Of the file; None: told from its content.
        max_characters: Longest prompt that is taken.
    """

    out: str
    kind: Kind
    language: Literal["en", "vi"]
    format: Format | None
    max_characters: int


def import_prompts(source: Path, wanted: Wanted, start: Path) -> ImportReport:
    """Read a file and write its prompts as a set; no set that is there is changed.

    Args:
        source: The file to read.
        wanted: What to make of it.
        start: A folder in the project; looked at only if `wanted.out` is a name.

    Raises:
        InputError: If the file cannot be read, its format cannot be told, nothing in it is a prompt, or another set
            has that name. Every refused row is one of the errors when no row was taken.
    """
    path, shown = _target(wanted.out, start)
    found = read_prompts(
        _content(source), where=str(source), wanted=wanted.format, max_characters=wanted.max_characters
    )
    if not found.taken:
        raise_all(_nothing(source, found))
    prompt_set = as_prompt_set(found, path.stem, wanted.kind, wanted.language)
    content = as_toml(prompt_set).encode()
    if path.exists() and (not path.is_file() or path.read_bytes() != content):
        raise InputError(shown, "another prompt set is there, expected a new name", "Change --out, or remove the file")
    write_atomic(path, content)
    return ImportReport(source, path, shown, prompt_set, found)


def _target(out: str, start: Path) -> tuple[Path, str]:
    given = Path(out)
    name = given.stem if given.suffix == ".toml" else out
    if not NAME.fullmatch(name):
        raise InputError(
            "--out", f"{name!r} is no name, expected 1 to 41 lower-case letters, digits and hyphens",
            "Give a name, or the path of a .toml file",
        )  # fmt: skip
    if given.suffix == ".toml":
        return given, out
    layout = find_layout(start)
    if (layout.prompts / f"{name}.toml").exists():
        raise InputError("--out", f"'{name}' is a published set, expected a new name", "Choose another name")
    path = layout.local.prompts / f"{name}.toml"
    return path, shown_path(layout, path)


def _content(source: Path) -> bytes:
    if not source.is_file():
        what = "it is a folder, expected a file" if source.is_dir() else "there is no such file"
        raise InputError(str(source), what, "Name a file with prompts")
    size = source.stat().st_size
    if size > MAX_FILE_BYTES:
        raise InputError(str(source), f"it has {size} bytes, expected at most {MAX_FILE_BYTES}", "Split it")
    try:
        return source.read_bytes()
    except OSError as failure:
        raise InputError(str(source), f"it cannot be read: {failure.strerror}", "Correct its permissions") from failure


def _nothing(source: Path, found: Imported) -> list[SpecwikiError]:
    passed = f"; no rows: {_counts(found.passed_over)}" if found.passed_over else ""
    is_log = found.format == "vllm-log"
    return [
        *(InputError(f"{source}: row {row.row}", row.what(), "Correct or remove the row") for row in found.refused),
        InputError(
            str(source),
            f"read as {found.format}, none of its {len(found.refused)} rows is a prompt{passed}; nothing was written",
            f"Log requests with {WANTED}" if is_log else "Correct the rows, or say what the file is with --format",
        ),
    ]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{what} ({count})" for what, count in counts.items())
