"""Commands about prompt sets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from specwiki.cli.application import app
from specwiki.cli.output import say
from specwiki.core.prompt_import import MAX_CHARACTERS, Format, Kind

prompts = typer.Typer(no_args_is_help=True, help="Prompt sets: what is sent to an engine when it is measured.")
app.add_typer(prompts, name="prompts")


@prompts.callback()
def _group() -> None:
    """Prompt sets: what is sent to an engine when it is measured."""


@prompts.command("import")
def import_file(  # noqa: PLR0913 - options, each with a name
    file: Annotated[Path, typer.Argument(help="The file to read, UTF-8.")],
    out: Annotated[str, typer.Option(help="Name of the new set, or the path of a .toml file to write.")],
    kind: Annotated[Kind, typer.Option(help="Sent by somebody, written for measuring, or generated.")] = "traffic",
    lang: Annotated[Literal["en", "vi"], typer.Option(help="Language of the prompts.")] = "en",
    file_format: Annotated[
        Format | None, typer.Option("--format", help="What the file is; told from its content if not given.")
    ] = None,
    max_characters: Annotated[int, typer.Option(min=1, help="Longest prompt to take.")] = MAX_CHARACTERS,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a prompt set of a file that another program wrote; every refused row is listed with its reason.

    FILE is ShareGPT JSON (a list, or an object a line), OpenAI batch JSONL, a session of Claude Code, the log of
    `vllm serve --enable-log-requests` at level DEBUG, or plain text: a prompt a paragraph if it has blank lines,
    otherwise a prompt a line.

    A prompt is one message: the first of the user in a conversation, or each one that was typed in a session.
    System messages, later turns and what was said before are left out, and counted.

    The set is private. It is written into this machine's store, which git ignores, and none of its text is published.
    Refused rows go to standard error, or into the JSON. The exit code is 0 when at least one row was taken, and
    2 when none was; then nothing is written.

    Example: `specwiki prompts import ShareGPT_V3.json --out mine`
    """
    from specwiki.study.prompts import Wanted, import_prompts  # noqa: PLC0415

    report = import_prompts(file, Wanted(out, kind, lang, file_format, max_characters), Path.cwd())
    if not as_json:
        for line in report.refusals():
            print(line, file=sys.stderr)  # noqa: T201 - not through rich, which would fold lines
    say(report.as_dict(), as_json, report.text())
