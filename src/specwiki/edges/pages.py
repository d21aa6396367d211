"""Page sources, claims and quoted figures from disk, and rendered pages to disk: all of them, or none."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from specwiki.core.claims import Claim, ClaimFile, OutcomeWordings
from specwiki.core.model import parse
from specwiki.core.quoted import QuotedSource
from specwiki.errors import InputError, SpecwikiError, raise_all
from specwiki.units import LANGS, Lang


def read_sources(docs: Path) -> dict[tuple[str, Lang], str]:
    """Text of every page, by name and language, in order.

    Raises:
        InputError: For each page that lacks one of the languages, and each file that is not UTF-8.
    """
    found: dict[tuple[str, Lang], str] = {}
    problems: list[SpecwikiError] = []
    names = {lang: sorted(path.stem for path in (docs / lang).glob("*.md")) for lang in LANGS}
    for name in sorted(set().union(*names.values())):
        for lang in LANGS:
            path = docs / lang / f"{name}.md"
            try:
                found[name, lang] = path.read_text(encoding="utf-8")
            except FileNotFoundError:
                problems.append(InputError(str(path), "the page is not there in this language", "Add it"))
            except UnicodeDecodeError as failure:
                problems.append(InputError(str(path), f"it is not UTF-8: {failure}", "Save it as UTF-8"))
    if not found and not problems:
        problems.append(InputError(str(docs), "there are no pages in it", "Run this in a specwiki project"))
    raise_all(problems)
    return found


def read_raw(path: Path) -> str:
    """A file that somebody wrote, with the ends of its lines as they are.

    Raises:
        InputError: If it is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as failure:
        raise InputError(str(path), f"it is not UTF-8: {failure}", "Save it as UTF-8") from failure


def read_claim_files(docs: Path) -> dict[str, ClaimFile]:
    """Every file in `docs/claims`, by its name without the ending.

    Raises:
        InputError: For each file that cannot be read, and each name that two files have.
    """
    found: dict[str, ClaimFile] = {}
    names: set[str] = set()
    for path in sorted((docs / "claims").glob("*.toml")):
        read = parse(ClaimFile, _toml(path), where=str(path))
        mine = {f"claim {name}" for name in read.claims} | {f"outcome {name}" for name in read.outcomes}
        if names & mine:
            twice = min(names & mine).partition(" ")[2]
            raise InputError(str(path), f"'{twice}' is in another file of docs/claims too", "Rename one of the two")
        names |= mine
        found[path.stem] = read
    return found


def read_claims(docs: Path) -> tuple[dict[str, Claim], dict[str, OutcomeWordings]]:
    """Claims and wordings of outcomes of every file in `docs/claims`.

    Raises:
        InputError: For each file that cannot be read, and each name that two files have.
    """
    files = read_claim_files(docs).values()
    claims = {name: claim for file in files for name, claim in file.claims.items()}
    outcomes = {name: outcome for file in files for name, outcome in file.outcomes.items()}
    return claims, outcomes


def read_allowed(docs: Path) -> dict[str, dict[str, str]]:
    """Figures that may be typed, with the reason: page name, or `*` for all → figure → reason. Empty without a file.

    Raises:
        InputError: If the file is not such a table.
    """
    path = docs / "allowed.toml"
    found = _toml(path) if path.exists() else {}
    for page, figures in found.items():
        if not isinstance(figures, dict) or not all(isinstance(one, str) and one for one in figures.values()):
            raise InputError(str(path), f"'{page}' is no table of figures with their reasons", 'Write "95%" = "why"')
    return found


def read_quoted(folder: Path) -> tuple[QuotedSource, ...]:
    """Every quoted source, in the order of their files."""
    sources = []
    for path in sorted(folder.glob("*.toml")):
        source = parse(QuotedSource, _toml(path), where=str(path))
        if source.seed != path.stem:
            raise InputError(str(path), f"seed is '{source.seed}', expected '{path.stem}'", "Rename the file")
        sources.append(source)
    return tuple(sources)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        raise InputError(str(path), f"it is not TOML: {failure}", "Correct the file at that place") from failure


def write_pages(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Replace a folder by these files; when writing fails, the old folder stays.

    Args:
        folder: What is replaced.
        files: Path inside it → content.
    """
    fresh = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        for name, content in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="\n")
    except OSError as failure:
        shutil.rmtree(fresh, ignore_errors=True)
        raise InputError(
            str(folder), f"cannot be written: {failure.strerror}", "Free space or correct the folder's permissions"
        ) from failure
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
    return [folder / name for name in files]


def write_text(path: Path, content: str) -> None:
    """Write a small file of ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
