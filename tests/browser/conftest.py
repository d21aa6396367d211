"""A built site with both stores, served below a folder, and a real Chromium to open it in."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from specwiki.core.layout import Layout, Store
from specwiki.core.result import Result
from specwiki.edges.watch import served
from specwiki.study.site import build_site
from specwiki.units import LANGS

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
HARMLESS = "Function is not registered with pipeline"
"""What lunr's Vietnamese support says on the console; it works all the same."""

ROOT = Path(__file__).parents[2]
ADDRESS = "https://wiki.example.org/specwiki/"
"""Where the real site is said to stand; nothing is asked of it."""


@dataclass(frozen=True)
class BuiltSite:
    """A site in a folder of a server, and the result that it shows."""

    base: str
    published: Result


@dataclass(frozen=True)
class RealSite:
    """The published site in a folder of a server, its files, and the address that its pages give."""

    base: str
    folder: Path
    address: str


@dataclass
class Visit:
    """One opened page, and everything that went wrong while it was open."""

    page: Page
    heard: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """What went wrong until now: errors and warnings of the console, refusals by the policy, failed responses."""
        return [one for one in self.heard if HARMLESS not in one]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium as it is installed here."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        pytest.exit("browser tests need Chromium: install Debian's package 'chromium', or Google Chrome", returncode=3)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def built(
    tmp_path_factory: pytest.TempPathFactory,
    make_project: Callable[[Path], Layout],
    make_result: Callable[..., Result],
    add: Callable[[Store, Result], None],
) -> Iterator[BuiltSite]:
    """A site of one published result, at `/site/` of its server: links must not rely on the root."""
    project = make_project(tmp_path_factory.mktemp("wiki") / "wiki")
    published = make_result()
    add(project.published, published)
    build_site(project)
    with served(project.root, 0) as address:
        yield BuiltSite(f"{address}site/", published)


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealSite]:
    """The site as it is published: this project's pages and its published results, with an address of its own."""
    root = tmp_path_factory.mktemp("wiki") / "wiki"
    for name in ("docs", "data"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copyfile(ROOT / "mkdocs.yml", root / "mkdocs.yml")
    with pytest.MonkeyPatch.context() as patch:
        for lang in LANGS:
            patch.setenv(f"SPECWIKI_SITE_{lang.upper()}", f"{ADDRESS}{lang}/")
        site = build_site(Layout(root, Store(root / ".specwiki" / "data")))
    with served(root, 0) as address:
        yield RealSite(f"{address}site/", site, ADDRESS)


@pytest.fixture(scope="session")
def built_here(
    tmp_path_factory: pytest.TempPathFactory,
    make_project: Callable[[Path], Layout],
    make_result: Callable[..., Result],
    add: Callable[[Store, Result], None],
) -> Iterator[BuiltSite]:
    """A site of a quick local result beside a published one that is out of date."""
    project = make_project(tmp_path_factory.mktemp("wiki") / "wiki")
    published = make_result(good_until=dt.date(2000, 1, 1))
    add(project.published, published)
    add(project.local, make_result(best="depth", gain=1.15, effort="quick", run_id="r2"))
    build_site(project)
    with served(project.root, 0) as address:
        yield BuiltSite(f"{address}site/", published)


@pytest.fixture
def visit(browser: Browser) -> Iterator[Any]:
    """Opens a page and remembers console errors, failed responses and every address asked for."""
    contexts = []

    def opened(address: str, *, width: int = 1280, dark: bool = False, scripts: bool = True) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        contexts.append(context)
        seen = Visit(context.new_page())
        page, heard = seen.page, seen.heard
        page.on("console", lambda said: heard.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda failure: heard.append(str(failure)))
        page.on("response", lambda answer: heard.append(answer.url) if answer.status >= 400 else None)
        page.on("request", lambda asked: seen.requests.append(asked.url))
        page.goto(address, wait_until="load")
        page.wait_for_timeout(200)
        return seen

    yield opened
    for context in contexts:
        context.close()
