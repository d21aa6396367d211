"""What the command line prints: results, errors, progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from specwiki.edges.progress import Progress

console = Console(soft_wrap=True)


def print_error(text: str) -> None:
    """Say one error, on a line of its own."""
    print(f"error: {text}", file=sys.stderr)  # noqa: T201 - the one place that speaks of errors


def say(data: object, as_json: bool, text: str) -> None:
    """Print a result: as JSON for programs, or as text for people."""
    if as_json:
        print(json.dumps(data, ensure_ascii=False, indent=1))  # noqa: T201 - not through rich, which would fold lines
    else:
        console.print(text, markup=False, highlight=False)


@contextmanager
def progress() -> Iterator[Callable[[Progress], None]]:
    """A bar on a terminal; elsewhere a plain line now and then."""
    if not console.is_terminal:
        yield _plain_lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TextColumn("{task.fields[left]}"))  # fmt: skip
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting the notebook", total=None, left="")

        def show(now: Progress) -> None:
            bar.update(task, description=now.what, completed=now.done, total=now.total, left=_left(now))

        yield show


def _plain_lines() -> Callable[[Progress], None]:
    last = {"what": ""}

    def show(now: Progress) -> None:
        if now.what != last["what"]:
            last["what"] = now.what
            console.print(f"{now.done}/{now.total} {now.what} {_left(now)}".rstrip(), highlight=False)

    return show


def _left(now: Progress) -> str:
    return "" if now.left_s is None else f"about {max(1, round(now.left_s / 60))} min left"
