"""The application: its options, and every way in which it ends."""

from __future__ import annotations

import logging
import signal
import sys
from typing import Annotated, NoReturn

import typer

from specwiki.cli.output import print_error
from specwiki.errors import EngineError, InputError, ProblemsError, SpecwikiError

INTERRUPTED = 130

app = typer.Typer(
    name="specwiki",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="A wiki about speculative decoding on vLLM whose numbers re-run themselves.",
)
state = {"debug": False}


@app.callback()
def _options(*, debug: Annotated[bool, typer.Option(help="Show tracebacks of errors.")] = False) -> None:
    state["debug"] = debug
    if not debug:
        # What libraries log about a kernel that ends would stand between our own lines; errors reach us as exceptions.
        logging.disable(logging.CRITICAL)


def main() -> NoReturn:
    """Run the command line; say every error in one line each, and exit with its code."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = app(standalone_mode=False)
    except typer.Exit as ended:
        code = ended.exit_code
    except SpecwikiError as failure:
        code = _fail(failure)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except ModuleNotFoundError as failure:
        if state["debug"]:
            raise
        # After `make site` only what builds the site is there; measuring needs more.
        print_error(
            f"specwiki: the package '{failure.name}' is not installed, and this command needs it. Run 'make engine'."
        )
        code = EngineError.exit_code
    except Exception as failure:
        if state["debug"] or not hasattr(failure, "format_message"):
            raise
        print_error(f"command line: {failure.format_message()} Run 'specwiki --help'.")
        code = InputError.exit_code
    if code == INTERRUPTED:
        print_error("interrupted; what was measured is kept, and the same command goes on from there")
    sys.exit(code or 0)


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _fail(failure: SpecwikiError) -> int:
    if state["debug"]:
        raise failure
    if isinstance(failure, ProblemsError):
        for problem in failure.problems:
            print_error(str(problem))
        print_error(f"{len(failure.problems)} problems")
        return failure.worst_exit_code
    print_error(str(failure))
    return failure.exit_code
