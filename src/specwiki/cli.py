"""The command line: parse, call study, print. The only place that exits."""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from specwiki.core.layout import Layout
from specwiki.edges.progress import Progress
from specwiki.errors import InputError, ProblemsError, SpecwikiError

INTERRUPTED = 130

app = typer.Typer(
    name="specwiki",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="A wiki about speculative decoding on vLLM whose numbers re-run themselves.",
)
console = Console(soft_wrap=True)
state = {"debug": False}

Effort = Annotated[str, typer.Option(help="How much: `quick`, `full`, or `tiny` (only whether it works).")]
ProfileName = Annotated[str, typer.Option("--profile", help="Name of a file in `profiles/`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Parameters = Annotated[
    list[str] | None, typer.Option("--parameter", "-p", help="A parameter of the notebook, as `name=value`.")
]


@app.callback()
def _options(*, debug: Annotated[bool, typer.Option(help="Show tracebacks of errors.")] = False) -> None:
    state["debug"] = debug
    if not debug:
        # What libraries log about a kernel that ends would stand between our own lines; errors reach us as exceptions.
        logging.disable(logging.CRITICAL)


@app.command()
def run(
    experiment: Annotated[str, typer.Argument(help="Name of a folder in `experiments/`.")],
    profile: ProfileName = "laptop",
    effort: Effort = "quick",
    parameter: Parameters = None,
    *,
    if_stale: Annotated[bool, typer.Option(help="Only if there is no result that would be measured the same.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure an experiment against a live engine; a run that was cut goes on.

    Example: `specwiki run depth --effort full`
    """
    from specwiki.study import experiment as study  # noqa: PLC0415 - needs more than the site does
    from specwiki.study.project import load_experiment  # noqa: PLC0415
    from specwiki.study.status import fresh_result  # noqa: PLC0415

    wanted = load_experiment(_layout(), experiment, profile, effort)
    found = fresh_result(wanted) if if_stale else None
    if found is not None:
        console.print(f"{experiment}: measured on {found.as_of}, nothing changed since")
        return
    with _progress() as show:
        result = study.run(wanted, _pairs(parameter), show)
    path = wanted.layout.local.result_file(result)
    _say({"result": str(path), "run_id": result.run_id, "values": len(result.values)}, as_json,
         f"{experiment}: {len(result.values)} values in {_relative(path)}")  # fmt: skip


@app.command()
def derive(
    experiment: Annotated[str, typer.Argument(help="Name of a folder in `experiments/`.")],
    run_id: Annotated[str | None, typer.Option(help="A stored run; the newest current one if not given.")] = None,
    profile: ProfileName = "laptop",
    parameter: Parameters = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Derive an experiment's values again from stored blocks, without an engine.

    Example: `specwiki derive depth`
    """
    from specwiki.study import experiment as study  # noqa: PLC0415
    from specwiki.study.project import load_experiment  # noqa: PLC0415
    from specwiki.study.status import newest_result  # noqa: PLC0415

    layout = _layout()
    source = newest_result(layout, experiment, profile, run_id)
    wanted = load_experiment(layout, experiment, profile, source.effort)
    with _progress() as show:
        result = study.derive(wanted, source.run_id, _pairs(parameter), show)
    path = layout.local.result_file(result)
    _say({"result": str(path), "run_id": result.run_id}, as_json, f"{experiment}: derived into {_relative(path)}")


@app.command()
def publish(
    experiment: Annotated[str, typer.Argument(help="Name of a folder in `experiments/`.")],
    profile: ProfileName = "laptop",
    *,
    as_json: AsJson = False,
) -> None:
    """Copy this machine's newest full result into `data/`, and print what it changes.

    Example: `specwiki publish depth`
    """
    from specwiki.study import publish as study  # noqa: PLC0415

    published = study.publish(_layout(), experiment, profile)
    _say(published.as_dict(), as_json, published.text())


@app.command()
def status(*, as_json: AsJson = False) -> None:
    """Show each current result: measured when, where, and what made it stale.

    Example: `specwiki status --json`
    """
    from specwiki.study.status import states  # noqa: PLC0415

    found = states(_layout())
    lines = [f"{one.experiment} on {one.machine} ({one.profile}, {one.store}): {one.text()}" for one in found]
    _say([one.as_dict() for one in found], as_json, "\n".join(lines) or "nothing has been measured yet")


@app.command()
def render() -> None:
    """Write the pages of both languages as plain Markdown into `build/pages/`.

    Example: `specwiki render`
    """
    from specwiki.study.site import render_site  # noqa: PLC0415

    layout = _layout()
    paths = render_site(layout)
    console.print(f"{len(paths)} pages in {_relative(layout.pages)}")


@app.command()
def build(
    *, if_changed: Annotated[bool, typer.Option(help="Only if something that the site is made from changed.")] = False
) -> None:
    """Render the pages and build the site of both languages into `site/`.

    Example: `specwiki build`
    """
    from specwiki.study.site import build_site, site_is_current  # noqa: PLC0415

    layout = _layout()
    if if_changed and site_is_current(layout):
        console.print("site: nothing changed since it was built")
    else:
        build_site(layout)
    console.print(f"look at {_relative(layout.site / 'index.html')}, or run 'specwiki serve'")


@app.command()
def serve(port: Annotated[int, typer.Option(help="On loopback.")] = 8000) -> None:
    """Serve the built site on loopback, and build it again when a page or a result changes.

    Example: `specwiki serve --port 8080`
    """
    from specwiki.study.site import serve_site  # noqa: PLC0415

    serve_site(_layout(), port, console.print)


@app.command()
def check(*, as_json: AsJson = False) -> None:
    """Find every problem in the stored data and the pages.

    Example: `specwiki check`
    """
    from specwiki.study.check import problems  # noqa: PLC0415

    found = problems(_layout())
    text = "\n".join([*(f"error: {one}" for one in found), f"{len(found)} problems"])
    _say([str(one) for one in found], as_json, text)
    if found:
        raise typer.Exit(1)


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
        if state["debug"] or not hasattr(failure, "format_message"):
            raise
        _error(f"command line: {failure.format_message()} Run 'specwiki --help'.")
        code = InputError.exit_code
    if code == INTERRUPTED:
        _error("interrupted; what was measured is kept, and the same command goes on from there")
    sys.exit(code or 0)


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _fail(failure: SpecwikiError) -> int:
    if state["debug"]:
        raise failure
    if isinstance(failure, ProblemsError):
        for problem in failure.problems:
            _error(str(problem))
        _error(f"{len(failure.problems)} problems")
        return failure.worst_exit_code
    _error(str(failure))
    return failure.exit_code


def _error(text: str) -> None:
    print(f"error: {text}", file=sys.stderr)  # noqa: T201 - the one place that speaks of errors


def _say(data: object, as_json: bool, text: str) -> None:
    if as_json:
        print(json.dumps(data, ensure_ascii=False, indent=1))  # noqa: T201 - not through rich, which would fold lines
    else:
        console.print(text, markup=False, highlight=False)


def _pairs(parameters: list[str] | None) -> dict[str, object]:
    pairs: dict[str, object] = {}
    for given in parameters or []:
        name, equals, value = given.partition("=")
        if not equals:
            raise InputError("--parameter", f"'{given}' has no '=', expected name=value", "Write it as -p name=value")
        pairs[name] = value
    return pairs


def _layout() -> Layout:
    from specwiki.study.project import find_layout  # noqa: PLC0415

    return find_layout(Path.cwd())


def _relative(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
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
