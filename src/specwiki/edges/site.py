"""MkDocs: one strict build per language into a new folder, and what MkDocs does not do: root page, 404, tidying."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from specwiki.core.addresses import Addresses
from specwiki.core.content_policy import inline_of, with_policy
from specwiki.core.crawlers import robots_text, with_languages
from specwiki.core.search_index import with_folded_words, without_sections
from specwiki.errors import CheckError, InputError, SpecwikiError, raise_all
from specwiki.units import LANGS, Lang

_LUNR_KEPT: dict[Lang, set[str]] = {"en": set(), "vi": {"lunr.stemmer.support.min.js", "lunr.vi.min.js"}}
"""What the search of a language loads beside its own code; the theme brings 30 languages more."""


def mkdocs_command(config: Path, target: Path) -> list[str]:
    """The command of one build. Never `-q`: it hides the warnings that `--strict` counts."""
    return [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        str(config),
        "--site-dir",
        str(target),
    ]


def build(
    root: Path, docs: Path, site: Path, beside: Path, addresses: Addresses, inspect: Callable[[Path], object]
) -> Path:
    """Build both languages and swap the finished site in; when anything fails, the old site stays.

    Args:
        root: Folder of `mkdocs.yml`.
        docs: Folder of the languages' `mkdocs.<lang>.yml`, and of `root/`, the pages above both.
        site: What is replaced.
        beside: Files that go beside the built pages, in the same folders.
        addresses: Where the site will stand.
        inspect: Is given the folder of the finished site before it is swapped in, and raises what is wrong with it.

    Raises:
        CheckError: With MkDocs' own lines, for each language whose build warns or fails; or for each page with a
            script or style of its own; or what `inspect` raises.
    """
    _require(docs)
    fresh = site.with_name(f".{site.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    # Two sites on one host share a browser's storage: what a reader chose is kept by where the site stands.
    # Without a date of its own, MkDocs writes today's into its files.
    environment = os.environ | {
        "NO_MKDOCS_2_WARNING": "1",
        "SPECWIKI_SCOPE": addresses.path,
        "SOURCE_DATE_EPOCH": "0",
    }
    running = [
        subprocess.Popen(
            mkdocs_command(docs / f"mkdocs.{lang}.yml", fresh / lang),
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        for lang in LANGS
    ]
    outputs = [process.communicate()[0] for process in running]
    problems: list[SpecwikiError] = [
        CheckError(f"mkdocs build, {lang}", _told(output), "Correct the pages that it names")
        for lang, process, output in zip(LANGS, running, outputs, strict=True)
        if process.returncode
    ]
    try:
        raise_all(problems)
        _finish(docs / "root", fresh, addresses)
        shutil.copytree(beside, fresh, dirs_exist_ok=True)
        inspect(fresh)
    except SpecwikiError:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    _swap(fresh, site)
    return site


def _require(docs: Path) -> None:
    needed = [docs / f"mkdocs.{lang}.yml" for lang in LANGS] + [
        docs / "root" / "index.html",
        docs / "root" / "404.html",
    ]
    raise_all([InputError(str(path), "it is not there", "Restore it from git") for path in needed if not path.exists()])


def _told(output: str) -> str:
    lines = [line.strip() for line in output.splitlines()]
    telling = [line for line in lines if line.startswith(("WARNING", "ERROR", "Aborted", "Error", "Config value"))]
    return "; ".join(telling or lines[-5:]) or "it ended without a word"


def _finish(above: Path, fresh: Path, addresses: Addresses) -> None:
    """Root page and 404 for both languages, words as they are typed, policies; what nothing loads goes.

    Raises:
        CheckError: For each page with a script or style that neither the theme nor a page written by hand has.
    """
    for lang in LANGS:
        _set_policies(fresh / lang)
        shutil.copyfile(above / "404.html", fresh / lang / "404.html")
        for path in sorted((fresh / lang / "assets").rglob("*.map")):
            path.unlink()
        _make_search_wait(fresh / lang, lang)
        _strip_comments(fresh / lang / "assets" / "specwiki" / "site.css")
    for path in sorted(above.iterdir()):
        shutil.copyfile(path, fresh / path.name)
    (fresh / "robots.txt").write_text(robots_text(addresses), encoding="utf-8")
    home = fresh / "index.html"
    home.write_text(with_languages(home.read_text(encoding="utf-8"), addresses), encoding="utf-8")
    for path in (home, fresh / "404.html", *(fresh / lang / "404.html" for lang in LANGS)):
        # A host shows one 404 page at any address, so its links start at the root of the host.
        html = path.read_text(encoding="utf-8").replace('href="/', f'href="{addresses.path}')
        path.write_text(with_policy(f"docs/root/{path.name}", html, inline_of(html)), encoding="utf-8")


def _set_policies(built: Path) -> None:
    """The policy of each page of a language. What the theme has inline is read where there is no text of anybody."""
    known = inline_of((built / "404.html").read_text(encoding="utf-8"))
    problems: list[SpecwikiError] = []
    for path in sorted(built.rglob("*.html")):
        where = f"site/{built.name}/{path.relative_to(built)}"
        try:
            html = with_policy(where, path.read_text(encoding="utf-8"), known)
            path.write_text(html, encoding="utf-8")
        except CheckError as problem:
            problems.append(problem)
    raise_all(problems)


def _make_search_wait(built: Path, lang: Lang) -> None:
    """Search is fetched once somebody searches: our code and an empty index stand where the theme asks for both."""
    scripts = built / "assets" / "javascripts"
    for path in sorted((scripts / "lunr").rglob("*.js")):
        if path.name not in _LUNR_KEPT[lang]:
            path.unlink()
    (worker,) = (scripts / "workers").glob("search.*.min.js")
    worker.rename(worker.with_name("search.js"))
    (built / "assets" / "specwiki" / "search.js").rename(worker)
    asked = built / "search" / "search_index.json"
    index = with_folded_words(asked.read_text(encoding="utf-8"))
    asked.with_name("all.json").write_text(index, encoding="utf-8")
    asked.write_text(without_sections(index), encoding="utf-8")


def _strip_comments(style: Path) -> None:
    """Comments are for who works on the style, and are a fifth of what a reader would fetch of it."""
    style.write_text(re.sub(r"/\*.*?\*/\s*", "", style.read_text(encoding="utf-8"), flags=re.DOTALL), encoding="utf-8")


def _swap(fresh: Path, site: Path) -> None:
    old = site.with_name(f".{site.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if site.exists():
        site.rename(old)
    fresh.rename(site)
    shutil.rmtree(old, ignore_errors=True)
