"""Build the rendered pages with Zensical, to see whether they still can be moved there; nothing depends on it.

Usage: .venv/bin/python scripts/zensical.py, after the pages were rendered
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import venv
from collections import Counter
from pathlib import Path

from specwiki.core.links import broken_links
from specwiki.study.links import addresses, read_links
from specwiki.units import LANGS

VERSION = "0.0.73"
"""What CONTRIBUTING.md tells of."""
ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "pages"
TARGET = ROOT / "site-zensical"
VENV = ROOT / "build" / "zensical"
CONFIG = """INHERIT: ../docs/mkdocs.{lang}.yml
docs_dir: source/{lang}
site_dir: {lang}
theme:
  custom_dir: theme
"""


def main() -> int:
    """Build both languages below `site-zensical`, and say which links the result breaks."""
    if not PAGES.exists():
        print("error: build/pages: it is not there, expected rendered pages. Run 'make zensical'.", file=sys.stderr)
        return 2
    _install()
    _lay_out()
    for lang in LANGS:
        words = [str(VENV / "bin" / "zensical"), "build", "--strict", "--clean", "--config-file"]
        if subprocess.run([*words, str(TARGET / f"mkdocs.{lang}.yml")], check=False).returncode:
            print(f"error: zensical {VERSION}: it did not build '{lang}', see above.", file=sys.stderr)
            return 1
    for name in (".cache", "source", "theme"):
        shutil.rmtree(TARGET / name, ignore_errors=True)
    for lang in LANGS:
        (TARGET / f"mkdocs.{lang}.yml").unlink()
    # What MkDocs does not make either: the pages above both languages, and the files for programs.
    for folder in (ROOT / "docs" / "root", PAGES / "beside"):
        shutil.copytree(folder, TARGET, dirs_exist_ok=True)
    _tell()
    return 0


def _install() -> None:
    program = VENV / "bin" / "zensical"
    if program.exists() and VERSION in subprocess.check_output([program, "--version"], text=True):
        return
    print(f"installing zensical {VERSION} into {VENV.relative_to(ROOT)}", flush=True)
    venv.create(VENV, with_pip=True, clear=True)
    subprocess.run([VENV / "bin" / "python", "-m", "pip", "install", "--quiet", f"zensical=={VERSION}"], check=True)


def _lay_out() -> None:
    """Zensical wants everything that it reads and writes below the folder of its configuration."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir()
    # Its template engine has no pages in a sitemap of ours; it writes one by itself.
    shutil.copytree(ROOT / "docs" / "theme", TARGET / "theme", ignore=shutil.ignore_patterns("sitemap.xml"))
    for lang in LANGS:
        shutil.copytree(PAGES / lang, TARGET / "source" / lang)
        (TARGET / f"mkdocs.{lang}.yml").write_text(CONFIG.format(lang=lang), encoding="utf-8")


def _tell() -> None:
    files, documents = read_links(TARGET)
    broken = broken_links(documents, files, addresses())
    kinds = Counter(re.sub(r"'[^']*'", "…", one.why) for one in broken)
    links = sum(len(one.links) for one in documents.values())
    print(f"{len(broken)} of {links} links lead nowhere" + "".join(f"; {count}: {why}" for why, count in kinds.items()))
    print(f"look at {TARGET.relative_to(ROOT)}/index.html, or serve it: python3 -m http.server -d {TARGET.name}")


if __name__ == "__main__":
    sys.exit(main())
