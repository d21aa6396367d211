"""What is useful without a wiki: acceptance of any server, and what is wrong with a config."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from specwiki.core.acceptance_report import AcceptanceReport, compare_snapshots, running_requests
from specwiki.core.answers import QUESTION
from specwiki.core.compare import Comparison, compare_results
from specwiki.core.compare_runs import compare_answers, compare_benches
from specwiki.core.impossible import in_bench_result
from specwiki.core.lint import SCHEDULE, Finding, lint_speculative_config
from specwiki.core.lint_answer import PREFIX, lint_answer, read_stream
from specwiki.core.model import Profile, parse
from specwiki.core.result import Result
from specwiki.edges.client import read_metrics
from specwiki.edges.engine import speculative_config
from specwiki.edges.store import read_toml
from specwiki.errors import CrashError, EngineError, InputError

UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0}
READ_EVERY_S = 1.0
"""Between two readings of the load: often enough for a share, seldom enough to cost the server nothing."""
BENCH, ANSWERS, OURS = "vllm bench serve", "Spec-Bench", "specwiki"


def acceptance_of_files(before: Path, after: Path) -> AcceptanceReport:
    """Acceptance between two saved `/metrics` texts.

    Raises:
        InputError: If a file cannot be read.
        MeasurementError: If the server was restarted in between.
    """
    return compare_snapshots(_text(before), _text(after))


def acceptance_of_server(
    url: str,
    seconds: float,
    schedule: list[tuple[int, int, int]] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> AcceptanceReport:
    """Acceptance of a running server over the next `seconds`.

    Args:
        url: Address of the server, with or without `/metrics`.
        seconds: How long to wait between the two readings; above 0.
        schedule: Tiers that it runs; the load is then read every second and held against their edges.
        sleep: Waits.

    Raises:
        EngineError: If nothing answers at that address.
        MeasurementError: If the server was restarted meanwhile.
    """
    base = url.rstrip("/").removesuffix("/metrics")
    texts = [_read(base)]
    pauses = 1 if schedule is None else max(1, round(seconds / READ_EVERY_S))
    for _ in range(pauses):
        sleep(seconds / pauses)
        texts.append(_read(base))
    loads = [] if schedule is None else [running_requests(text) for text in texts]
    return compare_snapshots(texts[0], texts[-1], [load for load in loads if load is not None], schedule)


def schedule_of(path: Path) -> list[tuple[int, int, int]]:
    """The tiers of a speculative config.

    Raises:
        InputError: If the file cannot be read, or has no schedule that vLLM would take.
    """
    config = _json_object(path)
    wrong = [one for one in lint_speculative_config(config) if one.severity == "error" and SCHEDULE in one.place]
    if wrong:
        raise InputError(str(path), f"{wrong[0].place}: {wrong[0].what}", wrong[0].hint)
    if SCHEDULE not in config:
        raise InputError(
            str(path), f"there is no {SCHEDULE}, expected a schedule", "Leave --config out, or name another"
        )
    return [(first, last, depth) for first, last, depth in config[SCHEDULE]]


def _read(base: str) -> str | None:
    try:
        return read_metrics(base)
    except CrashError as failure:
        raise EngineError(
            base,
            f"nothing answers there ({failure.what})",
            "Give the address of a vLLM server, e.g. http://localhost:8000",
        ) from failure


def seconds_of(text: str) -> float:
    """A duration such as `60s`, `5m` or `90`, in seconds.

    Raises:
        InputError: If it is not one, or not above 0.
    """
    unit = UNITS_S.get(text[-1:])
    try:
        seconds = float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise InputError("--for", f"'{text}' is no duration, expected one such as 60s, 5m or 1h", "Write it like that")
    return seconds


def lint_file(path: Path) -> list[Finding]:
    """What is wrong with a profile, a speculative config, a benchmark's result, or a saved answer of a server.

    Raises:
        InputError: If the file cannot be read, is none of these, or is a profile with keys that profiles do not have.
    """
    if path.suffix == ".toml":
        profile = parse(Profile, read_toml(_existing(path)), where=str(path))
        return lint_speculative_config(speculative_config(profile, [1]))
    text = _text(path)
    if any(line.startswith(PREFIX) for line in text.splitlines()[:9]):
        chunks, unreadable = read_stream(text)
        return [*unreadable, *lint_answer(chunks)]
    content = _json(path)
    rows = content if isinstance(content, list) and content else [content]
    if all(isinstance(row, dict) and _is_measured(row) for row in rows):
        return [_not_to_quote(str(one)) for row in rows for one in in_bench_result(row)]
    if isinstance(content, dict) and "choices" in content:
        return lint_answer([content])
    return lint_speculative_config(_object(content, path))


def _is_measured(row: dict[str, Any]) -> bool:
    return "output_throughput" in row or "speedup_vs_baseline" in row


def _not_to_quote(said: str) -> Finding:
    place, _, what = said.partition(": ")
    return Finding("error", place, what, "Do not quote this file")


def compare_files(one: Path, other: Path) -> list[Comparison]:
    """Compare two results of specwiki, or repeated runs of a benchmark: two files, or two folders with one file a run.

    Raises:
        InputError: If a path cannot be read, or the two are of different kinds.
        MeasurementError: If they cannot be compared; says why.
    """
    ones, others = ([_content(path) for path in _runs(side)] for side in (one, other))
    kinds = {_kind(content, side) for side, contents in ((one, ones), (other, others)) for content in contents}
    if len(kinds) > 1:
        raise InputError("compare", f"one is of {' and the other of '.join(sorted(kinds))}", "Compare two of one kind")
    if kinds == {BENCH}:
        return compare_benches(ones, others)
    if kinds == {ANSWERS}:
        return compare_answers(ones, others)
    results = [parse(Result, contents[0], where=str(side)) for side, contents in ((one, ones), (other, others))]
    return compare_results(*results)


def _runs(path: Path) -> list[Path]:
    found = sorted([*path.glob("*.json"), *path.glob("*.jsonl")]) if path.is_dir() else [path]
    if not found:
        raise InputError(str(path), "the folder has no .json or .jsonl file", "Name a result, or a folder of runs")
    return found


def _content(path: Path) -> Any:
    """The object of a JSON file, or the objects of the lines of a `.jsonl` file."""
    if path.suffix != ".jsonl":
        return _json_object(path)
    numbered = [(number, line) for number, line in enumerate(_text(path).splitlines(), 1) if line.strip()]
    return [_object(_parsed(line, f"{path}, line {number}"), path) for number, line in numbered]


def _kind(content: Any, path: Path) -> str:
    if isinstance(content, list) and content and all(QUESTION in line for line in content):
        return ANSWERS
    if "output_throughput" in content:
        return BENCH
    if "measured_under" in content:
        return OURS
    hint = "Name a result of specwiki, of `vllm bench serve`, or answers of Spec-Bench (.jsonl)"
    raise InputError(str(path), "it is no result", hint)


def _json_object(path: Path) -> dict[str, Any]:
    return _object(_json(path), path)


def _object(content: Any, path: Path) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise InputError(str(path), f"it holds {type(content).__name__}, expected an object", "Write {…}")
    return content


def _json(path: Path) -> Any:
    return _parsed(_text(path), str(path))


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as failure:
        raise InputError(where, f"it is not JSON: {failure}", "Correct it at that place") from failure


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(str(path), "there is no such file", "Name a profile (.toml) or a speculative config (.json)")
    return path


def _text(path: Path) -> str:
    return _existing(path).read_text(encoding="utf-8", errors="replace")
