"""Commands that need no wiki: they read a file or an address."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from specwiki.cli.application import app
from specwiki.cli.output import say
from specwiki.errors import InputError

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def acceptance(
    source: Annotated[
        str, typer.Argument(metavar="BEFORE|URL", help="A saved `/metrics` text, or a server's address.")
    ],
    after: Annotated[Path | None, typer.Argument(help="A `/metrics` text saved later.")] = None,
    duration: Annotated[str | None, typer.Option("--for", help="How long to watch a server, e.g. `60s`.")] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="JSON of the server's `--speculative-config`: say how the load lies about its schedule."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Show the acceptance of any vLLM server, from two `/metrics` texts or live.

    Example: `specwiki acceptance before.txt after.txt`, or `specwiki acceptance http://localhost:8000 --for 60s`
    """
    from specwiki.study import tools  # noqa: PLC0415 - needs more than the site does

    if source.startswith(("http://", "https://")):
        if after is not None:
            raise InputError(
                "acceptance", f"an address and the file '{after}'", "Give two files, or an address and --for"
            )
        schedule = None if config is None else tools.schedule_of(config)
        report = tools.acceptance_of_server(source, tools.seconds_of(duration or "60s"), schedule)
    elif config is not None:
        raise InputError(
            "--config", f"'{config}' with files, which hold no load in between", "Give an address and --for"
        )
    elif after is None:
        raise InputError("acceptance", f"one file, '{source}', expected two", "Give BEFORE.txt and AFTER.txt")
    else:
        report = tools.acceptance_of_files(Path(source), after)
    say(report.as_dict(), as_json, report.text())


@app.command()
def lint(
    file: Annotated[
        Path,
        typer.Argument(
            help="A profile (.toml), the JSON of `--speculative-config`, a result of `vllm bench serve`, "
            "or a saved answer of a server."
        ),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with a profile, a speculative config, a benchmark's result, or a server's saved answer.

    Example: `specwiki lint speculative.json`
    """
    from specwiki.study.tools import lint_file  # noqa: PLC0415

    found = lint_file(file)
    errors = sum(one.severity == "error" for one in found)
    lines = [str(one) for one in found] + [f"{errors} errors, {len(found) - errors} warnings"]
    say([vars(one) for one in found], as_json, "\n".join(lines))
    if errors:
        raise typer.Exit(1)


@app.command()
def compare(
    a: Annotated[
        Path,
        typer.Argument(help="A result, or a folder of `vllm bench serve` or Spec-Bench files, one file a run."),
    ],
    b: Annotated[Path, typer.Argument(help="The same, to be compared with it.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Show how much faster B is than A, how sure that is, or why they cannot be compared.

    Example: `specwiki compare before.json after.json`
    """
    from specwiki.study.tools import compare_files  # noqa: PLC0415

    found = compare_files(a, b)
    say([vars(one) for one in found], as_json, "\n".join(str(one) for one in found))
