"""Fixtures that several folders of tests share: a made-up result, and a project in a temporary folder that has it."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from specwiki.core.layout import Layout, Store
from specwiki.core.result import Cell, Outcome, Registration, Result, StripBlock, Table, Value
from specwiki.edges.store import write_result
from specwiki.render.charts import position_chart, ratio_chart

# No test asserts a time, nor does hypothesis: on a fresh machine it first builds its tables of characters.
# The same examples every time, so that a red run is about the change; `make soak` draws new ones, and more of them.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("test", _PATIENT, derandomize=True)
settings.register_profile("soak", _PATIENT, max_examples=2000)
settings.load_profile("test")

ROOT = Path(__file__).parents[1]
HOSTILE = "<script>document.title='owned'</script> **bold** `x` [a](javascript:alert(1)) @{{ 7*7 }} | \u202eevil\u202c"
"""What a model or a log may say; wherever it is shown, it must be shown and do nothing."""

CURRENT_COLUMNS = ("output_tok_s", "ratio", "tokens_per_step", "acceptance_rate", "coverage", "cycle_ratio", "ttft_ms")
STRATA_COLUMNS = ("ratio", "acceptance_rate", "coverage")
NOTHING_DRAFTED = (("acceptance_rate", "fraction"), ("tokens_per_step", "tokens"), ("coverage", "fraction"))


def _interval(number: float, share: float = 0.03, **more: Any) -> Value:
    return Value(number=number, low=number * (1 - share), high=number * (1 + share), **more)


def sample_values(depths: tuple[int, ...], gain: float) -> dict[str, Value]:
    """Values of a made-up run: `gain` is what depth 4 reaches over off at one stream."""
    values: dict[str, Value] = {"boots": Value(number=5, unit="count")}
    for load, base in ((1, 59.9), (4, 194.2)):
        values[f"output_tok_s.c{load}.off"] = _interval(base, unit="tok_s", n=4)
        values[f"ttft_ms.c{load}.off"] = _interval(47.3, unit="ms", n=4)
        for metric, unit in NOTHING_DRAFTED:
            values[f"{metric}.c{load}.off"] = Value(number=None, unit=unit, missing="speculation_off")
        values[f"aa.c{load}"] = _interval(1.004, 0.012, unit="ratio", n=4)
        values[f"floor.c{load}"] = Value(number=0.012, unit="fraction")
        for depth in depths:
            arm = f"c{load}.d{depth}"
            ratio = 0.94 + (gain - 0.94) * min(depth, 4) / 4 - 0.03 * max(0, depth - 4)
            values[f"ratio.{arm}"] = _interval(ratio, unit="ratio", n=4)
            values[f"output_tok_s.{arm}"] = _interval(base * ratio, unit="tok_s", n=4)
            values[f"ttft_ms.{arm}"] = _interval(48.21 + depth, unit="ms", n=4)
            values[f"tpot_ms.{arm}"] = _interval(16.7 / ratio, unit="ms", n=4)
            values[f"cycle_ratio.{arm}"] = _interval(1.06 + 0.02 * depth, unit="ratio", n=4)
            if depth == 0:
                values[f"acceptance_rate.{arm}"] = Value(number=None, unit="fraction", missing="drafter_did_not_run")
                values[f"tokens_per_step.{arm}"] = Value(number=1, unit="tokens")
                continue
            values[f"acceptance_rate.{arm}"] = _interval(0.4 - 0.02 * depth, 0.1, unit="fraction", n=24)
            values[f"acceptance_length.{arm}"] = _interval(1.9, 0.05, unit="tokens", n=24)
            values[f"tokens_per_step.{arm}"] = _interval(1.1 + 0.01 * depth, 0.02, unit="tokens", n=24)
            values[f"coverage.{arm}"] = _interval(0.11, 0.1, unit="fraction", n=24)
            values[f"geometric_a.{arm}"] = _interval(0.512, 0.05, unit="fraction", n=24)
            for position in range(depth):
                key = f"position_acceptance.{arm}.p{position}"
                values[key] = _interval(0.731 * 0.6**position, 0.1, unit="fraction", n=24)
    for stratum, ratio in (("chat", 0.93), ("code", 0.96), ("explaining", 0.92), ("copy-heavy", 1.21)):
        values[f"ratio.c1.d4.{stratum}"] = _interval(ratio, unit="ratio", n=4)
        values[f"acceptance_rate.c1.d4.{stratum}"] = _interval(ratio - 0.6, 0.1, unit="fraction", n=6)
        values[f"repeated_4grams.{stratum}"] = Value(number=0.1 * ratio, unit="fraction", n=6)
    values["repeated_4grams.vietnamese"] = Value(number=0.52, unit="fraction", n=6)
    return values


def _cell(values: dict[str, Value], key: str) -> Cell:
    return Cell(value=key) if key in values else Cell()


def _tables(depths: tuple[int, ...], values: dict[str, Value]) -> dict[str, Table]:
    """Of the shapes that the depth experiment makes."""
    current = [
        (Cell(label=f"arm.{arm}"), Cell(label=f"streams.{load}"),
         *(_cell(values, f"{metric}.c{load}.{arm}") for metric in CURRENT_COLUMNS))
        for load in (1, 4)
        for arm in ("off", *(f"d{depth}" for depth in depths))
    ]  # fmt: skip
    strata = [
        (Cell(label=f"stratum.{one}"), *(_cell(values, f"{metric}.c1.d4.{one}") for metric in STRATA_COLUMNS),
         _cell(values, f"repeated_4grams.{one}"))
        for one in ("chat", "code", "explaining", "copy-heavy", "vietnamese")
    ]  # fmt: skip
    arms = [f"d{depth}" for depth in depths if depth]
    acceptance = [
        (Cell(label=f"position.{at}"), *(_cell(values, f"position_acceptance.c1.{arm}.p{at}") for arm in arms))
        for at in range(max(depths))
    ]
    named = [f"column.{metric}" for metric in CURRENT_COLUMNS]
    by_kind = [f"column.{metric}" for metric in (*STRATA_COLUMNS, "repeated_4grams")]
    return {
        "current": Table(columns=("column.arm", "column.streams", *named), rows=tuple(current)),
        "strata": Table(columns=("column.stratum", *by_kind), rows=tuple(strata)),
        "acceptance": Table(columns=("column.position", *(f"arm.{arm}" for arm in arms)), rows=tuple(acceptance)),
    }


def _charts(depths: tuple[int, ...], values: dict[str, Value]) -> dict[str, Any]:
    ratio = [
        {"depth": depth, "concurrency": load, "ratio": value.number, "low": value.low, "high": value.high}
        for load in (1, 4)
        for depth in depths
        for value in (values[f"ratio.c{load}.d{depth}"],)
    ]
    position = [
        {"depth": depth, "position": at, "share": value.number, "low": value.low, "high": value.high}
        for depth in depths
        for at in range(depth)
        for value in (values[f"position_acceptance.c1.d{depth}.p{at}"],)
    ]
    return {"ratio": ratio_chart(ratio), "position": position_chart(position)}


def _strip(depths: tuple[int, ...]) -> tuple[StripBlock, ...]:
    arms = [f"d{depth}" for depth in depths] + ["d4-twin"]
    blocks: list[StripBlock] = []
    for boot in (1, 2, 3, 4):
        ran = ["off"] * 2 if boot % 2 else arms
        blocks.append(StripBlock(boot=boot, arm=ran[0], concurrency=1, replicate=0, status="warm-up"))
        blocks += [
            StripBlock(boot=boot, arm=arm, concurrency=load, replicate=replicate, status="ok")
            for replicate in (1, 2)
            for load in (1, 4)
            for arm in (ran if replicate == 1 else ran[::-1])
        ]
    blocks.append(StripBlock(boot=4, arm="d4", concurrency=1, replicate=3, status="split"))
    return tuple(blocks)


def sample_result(
    *, best: str = "off", gain: float = 0.93, depths: tuple[int, ...] = (0, 2, 4, 8), **changed: Any
) -> Result:
    """A made-up result; every number in it is invented.

    Args:
        best: `off`, `depth` or `undecided`.
        gain: Depth 4 over off.
        depths: That were measured.
        changed: Any field of `Result`.
    """
    values = sample_values(depths, gain)
    outcome = {
        "off": Outcome(verdict="off"),
        "depth": Outcome(verdict="depth", depth=4),
        "undecided": Outcome(verdict="undecided", replicates_needed=11),
    }[best]
    fields: dict[str, Any] = {
        "experiment": "depth",
        "profile": "laptop",
        "machine": "2-core-sample-24g",
        "run_id": "r0001",
        "as_of": dt.date(2026, 11, 28),
        "good_until": dt.date(2027, 2, 26),
        "effort": "full",
        "prompt_kind": "written",
        "measured_under": {"plan": "a"},
        "derived_under": {"render": "b"},
        "registration": Registration(plan_sha256="c" * 64, committed_before=True, commit="d" * 40),
        "facts": {
            "engine": "vLLM", "engine_version": "0.32.0+cpu", "target": "SmolLM2-135M-Instruct", "drafter": HOSTILE,
            "drafter_config": '{"method": "ngram", "num_speculative_tokens": 8}', "measured_minutes": 3.2,
            "cpu": "Sample CPU", "cores": 2, "memory_gib": 24.0, "seed": 20261129, "prompts": 24,
            "prompt_set": "written", "max_tokens": 48, "replicates": 4, "boots": 4, "blocks": 50,
            "started_utc": "2026-11-28T08:00:00Z", "wall_minutes": 6.44, "temperature": 0,
        },
        "values": values,
        "tables": _tables(depths, values),
        "charts": _charts(depths, values),
        "outcomes": {
            "best.c1": outcome, "best.c4": outcome,
            "adopt.c1": Outcome(verdict={"off": "keep", "depth": "adopt"}.get(best, best), depth=outcome.depth),
            "adopt.c4": Outcome(verdict={"off": "adopt", "depth": "keep"}.get(best, best), depth=outcome.depth),
            "schedule": Outcome(verdict="offered" if best == "depth" else "not-offered"),
        },
        "schedule": ((1, 3, 4), (4, 8, 2)) if best == "depth" else None,
        "strip": _strip(depths),
    }  # fmt: skip
    return Result(**(fields | changed))


def sample_notebook() -> dict[str, Any]:
    """An executed notebook with hostile output and the place of a chart."""
    stream = {"output_type": "stream", "name": "stdout", "text": f"{HOSTILE}\n```\n# not a heading\n\x1b[31mred\x1b[0m"}
    html = {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<b onclick=x>raw</b>"}}
    chart = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"application/vnd.specwiki.chart+json": {"id": "ratio"}, "text/plain": "chart ratio"},
    }
    code = {"cell_type": "code", "execution_count": 1, "id": "b", "metadata": {}, "source": "x = '```'\nprint(x)",
            "outputs": [stream, html, chart]}  # fmt: skip
    injected = code | {"id": "c", "metadata": {"tags": ["injected-parameters"]}, "outputs": [], "source": "secret = 1"}
    words = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Depth\n\nWords of the *notebook*."}
    return {"cells": [words, injected, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(scope="session")
def make_result() -> Callable[..., Result]:
    """Makes made-up results; arguments as of `sample_result`."""
    return sample_result


@pytest.fixture
def notebook() -> dict[str, Any]:
    """An executed notebook with hostile output."""
    return sample_notebook()


def add_result(store: Store, result: Result) -> None:
    """Put a result with its raw files into a store."""
    write_result(store, result)
    folder = store.run_folder(result)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notebook.ipynb").write_text(json.dumps(sample_notebook()), encoding="utf-8")
    (folder / "blocks.csv").write_text("boot,arm\n1,off\n", encoding="utf-8")


def copy_project(folder: Path) -> Layout:
    """This project's pages, theme and quoted figures in another folder, with two empty stores."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copytree(ROOT / "data" / "quoted", folder / "data" / "quoted")
    shutil.copyfile(ROOT / "mkdocs.yml", folder / "mkdocs.yml")
    return Layout(folder, Store(folder / ".specwiki" / "data"))


@pytest.fixture(scope="session")
def make_project() -> Callable[[Path], Layout]:
    """Copies this project's pages into a folder, with nothing measured."""
    return copy_project


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    """A project of its own, with nothing measured."""
    return copy_project(tmp_path)


@pytest.fixture(scope="session")
def add() -> Callable[[Store, Result], None]:
    """Puts a result with its raw files into a store."""
    return add_result
