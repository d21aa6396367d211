"""The application: its options, and every way in which it ends."""

from __future__ import annotations

import errno
import logging
import signal
import sys
from typing import Annotated, NoReturn

import typer

from specwiki.cli.output import print_error
from specwiki.errors import EngineError, InputError, ProblemsError, SpecwikiError

INTERRUPTED = 130
UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
"""A full disk or a folder that may not be written, wherever it shows: the user's to mend, and no fault of the code."""

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
    except Exception as failure:
        said = None if state["debug"] else _explained(failure)
        if said is None:
            raise
        message, code = said
        if message:
            print_error(message)
    if code == INTERRUPTED:
        print_error("interrupted; what was measured is kept, and the same command goes on from there")
    sys.exit(code or 0)


def _explained(failure: Exception) -> tuple[str, int] | None:
    """Line, if any, and exit code for an error that is the user's to mend; None: a fault of the code."""
    if isinstance(failure, ModuleNotFoundError):
        # After `make site` only what builds the site is there; measuring needs more.
        name = failure.name
        return (
            f"specwiki: the package '{name}' is not installed, and this command needs it. Run 'make engine'.",
            EngineError.exit_code,
        )
    if isinstance(failure, OSError) and failure.errno in UNWRITABLE:
        hint = "Free space or correct the folder's permissions; what was measured is kept."
        return f"{failure.filename or 'disk'}: {failure.strerror}. {hint}", InputError.exit_code
    if hasattr(failure, "format_message"):
        # Without any words the help was printed, and there is no message.
        message = failure.format_message()
        return message and f"command line: {message} Run 'specwiki --help'.", InputError.exit_code
    return None


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
