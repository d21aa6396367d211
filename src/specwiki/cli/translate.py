"""The command for those who keep the two languages in step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from specwiki.cli.application import app
from specwiki.cli.output import say
from specwiki.errors import InputError


@app.command()
def translate(
    page: Annotated[
        str | None, typer.Argument(help="A page, a file in `docs/claims/`, or both of that name; all if not given.")
    ] = None,
    more: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="More ids after `--done`.")] = None,
    done: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Record as translated: ids as listed, or `all`.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List Vietnamese blocks and wordings that are out of date, with both texts; record those that are done.

    Example: `specwiki translate depth`, then `specwiki translate depth --done what-2 claims.drafting-pays`
    """
    from specwiki.study import translation as study  # noqa: PLC0415 - needs more than the command line does
    from specwiki.study.project import find_layout  # noqa: PLC0415

    layout = find_layout(Path.cwd())
    if done:
        recorded = study.record(layout, page, [*done, *(more or [])])
        say(recorded.as_dict(), as_json, recorded.text())
        if recorded.left:
            raise typer.Exit(1)
        return
    if more:
        raise InputError("translate", f"'{more[0]}' after the page, expected nothing", "Put --done before ids")
    found = study.outdated(layout, page)
    text = "\n\n".join([*(entry.text() for entry in found), f"{len(found)} out of date"])
    say([entry.as_dict() for entry in found], as_json, text)
    if found:
        raise typer.Exit(1)
