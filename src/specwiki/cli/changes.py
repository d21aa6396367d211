"""The command for those who review what publishing changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from specwiki.cli.application import app
from specwiki.cli.output import say


@app.command()
def changes(
    experiment: Annotated[
        str | None, typer.Argument(help="Name of a folder in `experiments/`; all if not given.")
    ] = None,
    since: Annotated[
        str, typer.Option(metavar="REF", help="A commit to compare the work tree with, or `A..B`: B compared with A.")
    ] = "HEAD",
    at_most: Annotated[
        int | None,
        typer.Option(
            min=1, help="Characters; a longer report leaves out the values of least interest, and counts them."
        ),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Report, as Markdown, what changed in the published results since a commit.

    For each profile and machine: decisions, claims that flipped, and values with intervals, those first that decide or
    that pages name; then the blocks of both languages to read again.

    Example: `specwiki changes`, or `specwiki changes depth --since origin/main`
    """
    from specwiki.study.changes import changes as study  # noqa: PLC0415 - needs more than the command line does
    from specwiki.study.project import find_layout  # noqa: PLC0415

    report = study(find_layout(Path.cwd()), experiment, since)
    say(report.as_dict(), as_json, report.text(at_most))
