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

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
HARMLESS = "Function is not registered with pipeline"
"""What lunr's Vietnamese support says on the console; it works all the same."""


@dataclass(frozen=True)
class BuiltSite:
    """A site in a folder of a server, and the result that it shows."""

    base: str
    published: Result


@dataclass
class Visit:
    """One opened page, and everything that went wrong while it was open."""

    page: Page
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


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

    def opened(address: str, *, width: int = 1280, dark: bool = False) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        seen = Visit(context.new_page())
        page, problems = seen.page, seen.problems
        page.on("console", lambda said: problems.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda failure: problems.append(str(failure)))
        page.on("response", lambda answer: problems.append(answer.url) if answer.status >= 400 else None)
        page.on("request", lambda asked: seen.requests.append(asked.url))
        page.goto(address, wait_until="load")
        page.wait_for_timeout(200)
        problems[:] = [one for one in problems if HARMLESS not in one]
        return seen

    yield opened
    for context in contexts:
        context.close()
