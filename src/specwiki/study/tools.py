"""What is useful without a wiki: acceptance of any server, and what is wrong with a config."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from specwiki.core.acceptance_report import AcceptanceReport, compare_snapshots
from specwiki.core.compare import Comparison, compare_benches, compare_results
from specwiki.core.impossible import in_bench_result
from specwiki.core.lint import Finding, lint_speculative_config
from specwiki.core.model import Profile, parse
from specwiki.core.result import Result
from specwiki.edges.client import read_metrics
from specwiki.edges.engine import speculative_config
from specwiki.edges.store import read_toml
from specwiki.errors import EngineError, InputError

UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0}


def acceptance_of_files(before: Path, after: Path) -> AcceptanceReport:
    """Acceptance between two saved `/metrics` texts.

    Raises:
        InputError: If a file cannot be read.
        MeasurementError: If the server was restarted in between.
    """
    return compare_snapshots(_text(before), _text(after))


def acceptance_of_server(url: str, seconds: float, sleep: Callable[[float], None] = time.sleep) -> AcceptanceReport:
    """Acceptance of a running server over the next `seconds`.

    Args:
        url: Address of the server, with or without `/metrics`.
        seconds: How long to wait between the two readings; above 0.
        sleep: Waits.

    Raises:
        EngineError: If nothing answers at that address.
        MeasurementError: If the server was restarted meanwhile.
    """
    base = url.rstrip("/").removesuffix("/metrics")
    before = _read(base)
    sleep(seconds)
    return compare_snapshots(before, _read(base))


def _read(base: str) -> str | None:
    try:
        return read_metrics(base)
    except (httpx.TransportError, httpx.InvalidURL, httpx.UnsupportedProtocol) as failure:
        raise EngineError(
            base, f"nothing answers there ({failure})", "Give the address of a vLLM server, e.g. http://localhost:8000"
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
    """What is wrong with a profile (TOML), the JSON of `--speculative-config`, or a result of `vllm bench serve`.

    Raises:
        InputError: If the file cannot be read, is neither, or is a profile with keys that profiles do not have.
    """
    if path.suffix == ".toml":
        profile = parse(Profile, read_toml(_existing(path)), where=str(path))
        return lint_speculative_config(speculative_config(profile, [1]))
    content = _json_object(path)
    if "output_throughput" in content:
        return [Finding("error", one.kind, one.what, "Do not quote this file") for one in in_bench_result(content)]
    return lint_speculative_config(content)


def compare_files(one: Path, other: Path) -> list[Comparison]:
    """Compare two results of specwiki, or two results of `vllm bench serve`, or two folders of such (one file a run).

    Raises:
        InputError: If a path cannot be read, or the two are of different kinds.
        MeasurementError: If they cannot be compared; says why.
    """
    ones, others = ([_json_object(path) for path in _runs(side)] for side in (one, other))
    kinds = {_kind(content, side) for side, contents in ((one, ones), (other, others)) for content in contents}
    if len(kinds) > 1:
        raise InputError("compare", f"one is of {' and the other of '.join(sorted(kinds))}", "Compare two of one kind")
    if kinds == {"vllm bench serve"}:
        return [compare_benches(ones, others)]
    results = [parse(Result, contents[0], where=str(side)) for side, contents in ((one, ones), (other, others))]
    return compare_results(*results)


def _runs(path: Path) -> list[Path]:
    found = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not found:
        raise InputError(
            str(path), "the folder has no .json file", "Name a result, or a folder of `vllm bench serve` results"
        )
    return found


def _kind(content: dict[str, Any], path: Path) -> str:
    if "output_throughput" in content:
        return "vllm bench serve"
    if "measured_under" in content:
        return "specwiki"
    raise InputError(str(path), "it is no result", "Name a result of specwiki or of `vllm bench serve`")


def _json_object(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(_text(path))
    except ValueError as failure:
        raise InputError(str(path), f"it is not JSON: {failure}", "Correct it at that place") from failure
    if not isinstance(config, dict):
        raise InputError(str(path), f"it holds {type(config).__name__}, expected an object", "Write {…}")
    return config


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(str(path), "there is no such file", "Name a profile (.toml) or a speculative config (.json)")
    return path


def _text(path: Path) -> str:
    return _existing(path).read_text(encoding="utf-8", errors="replace")
