"""Commands of a wiki: measure, derive, publish, render, build, look."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from specwiki.cli.application import app
from specwiki.cli.output import console, progress, say
from specwiki.core.layout import Layout
from specwiki.errors import InputError

Effort = Annotated[str, typer.Option(help="How much: `quick`, `full`, or `tiny` (only whether it works).")]
ProfileName = Annotated[str, typer.Option("--profile", help="Name of a file in `profiles/`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Parameters = Annotated[
    list[str] | None, typer.Option("--parameter", "-p", help="A parameter of the notebook, as `name=value`.")
]


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
    with progress() as show:
        result = study.run(wanted, _pairs(parameter), show)
    path = wanted.layout.local.result_file(result)
    say({"result": str(path), "run_id": result.run_id, "values": len(result.values)}, as_json,
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
    from specwiki.study.project import load_experiment, measured_by  # noqa: PLC0415
    from specwiki.study.status import newest_result  # noqa: PLC0415

    layout = _layout()
    source = newest_result(layout, measured_by(layout, experiment), profile, run_id)
    wanted = load_experiment(layout, experiment, profile, source.effort)
    with progress() as show:
        result = study.derive(wanted, source.run_id, _pairs(parameter), show)
    path = layout.local.result_file(result)
    say({"result": str(path), "run_id": result.run_id}, as_json, f"{experiment}: derived into {_relative(path)}")


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
    say(published.as_dict(), as_json, published.text())


@app.command()
def status(*, as_json: AsJson = False) -> None:
    """Show each current result: measured when, where, and what made it stale.

    Example: `specwiki status --json`
    """
    from specwiki.study.status import states  # noqa: PLC0415

    found = states(_layout())
    lines = [f"{one.experiment} on {one.machine} ({one.profile}, {one.store}): {one.text()}" for one in found]
    say([one.as_dict() for one in found], as_json, "\n".join(lines) or "nothing has been measured yet")


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
def check(
    *,
    max_age: Annotated[
        int | None, typer.Option("--max-age", min=0, help="Refuse published results older than so many days.")
    ] = None,
    links: Annotated[
        bool, typer.Option("--links", help="Ask others whether what the built site links to is there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find every problem in the stored data and the pages.

    Example: `specwiki check --max-age 90`
    """
    from specwiki.study.check import all_problems  # noqa: PLC0415

    found, notes = all_problems(_layout(), max_age, ask_others=links)
    text = "\n".join([*notes, *(f"error: {one}" for one in found), f"{len(found)} problems"])
    say([str(one) for one in found], as_json, text)
    if found:
        raise typer.Exit(1)


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
