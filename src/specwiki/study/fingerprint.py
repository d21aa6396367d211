"""The two keys of freshness: what a result was measured under, and what it was derived under."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import specwiki
from specwiki.core.model import Drafter
from specwiki.edges import engine, model_cache
from specwiki.study.project import Experiment
from specwiki.study.starts import dtype_here, engine_boot, measured_order

NO_CORES = engine.Cores((), ())
PACKAGE = Path(specwiki.__file__).parent
MEASURING_CODE = (
    "core/blocks.py",
    "core/prometheus.py",
    "edges/client.py",
    "study/block.py",
    "vllm_ext/launcher.py",
    "vllm_ext/scheduler.py",
)
"""What decides how requests are sent, and what is recorded of the answers. Which blocks run, in which order, and how
the engine is started, is compared as what comes out, not by the code that makes it."""
DERIVING_CODE = (
    "core/acceptance.py",
    "core/counters.py",
    "core/cycle.py",
    "core/depth.py",
    "core/depth_acceptance.py",
    "core/depth_findings.py",
    "core/depth_values.py",
    "core/drafter_values.py",
    "core/geometric.py",
    "core/judge.py",
    "core/rates.py",
    "core/stats.py",
    "core/synthetic_values.py",
    "render/charts.py",
    "render/marks.py",
)
"""What turns blocks into values and charts; a change needs `specwiki derive`, not a new measurement."""


def measured_under(experiment: Experiment, without: Sequence[str] = ()) -> dict[str, str]:
    """Part → short hash of what a measurement made now would be made under.

    Parts: plan, prompts, code, engine, machine. The rule is not among them: it decides, and measures nothing.

    Args:
        experiment: As it stands now.
        without: Parts to leave out: `engine` where none is installed.

    Raises:
        EngineError: If the engine is asked for and none is installed.
    """
    plan = experiment.plan
    asked = {
        "temperature": plan.temperature,
        "max_tokens": experiment.effort.max_tokens,
        "order": [asdict(boot) for boot in measured_order(experiment)],
    }
    prompts = [prompt for group in experiment.groups.values() for prompt in group] + [*experiment.warm_up_prompts]
    parts: dict[str, Callable[[], str]] = {
        "plan": lambda: short_hash(asked),
        "prompts": lambda: short_hash([prompt.model_dump() for prompt in prompts]),
        "code": lambda: code_hash([PACKAGE / name for name in MEASURING_CODE]),
        "engine": lambda: short_hash([engine.version(experiment.profile), *_started(experiment)]),
        "machine": lambda: " ".join(filter(None, (experiment.machine, dtype_here(experiment.profile)))),
    }
    return {part: tell() for part, tell in parts.items() if part not in without}


def _started(experiment: Experiment) -> list[Any]:
    """The words and variables that start the engine of each kind of boot; port, folders, cores and type left out.

    Cores and type belong to the machine: a result of another machine is another result, not a stale one.
    """
    target = experiment.profile.target
    weights = model_cache.GGUF if target.embedded else str(target.model)

    def named(drafter: Drafter) -> str | None:
        if drafter.folder is not None:
            return short_hash(model_cache.manifest_text(experiment.layout.root / drafter.folder))
        if drafter.layers in {None, "all"}:
            return drafter.layers and weights
        return f"{weights}, {drafter.layers} layers"

    boots = [
        engine_boot(experiment, kind, weights, named, NO_CORES, Path())
        for kind in sorted({boot.kind for boot in measured_order(experiment)})
    ]
    return [[engine.command(boot, 0), engine.variables(boot)] for boot in boots]


def derived_under(experiment: Experiment) -> dict[str, str]:
    """Part → short hash of what values derived now would be derived under: notebook, rule, code."""
    return {
        "notebook": short_hash((experiment.folder / "notebook.py").read_text(encoding="utf-8")),
        "rule": short_hash(experiment.plan.rule.model_dump(mode="json")),
        "code": code_hash([PACKAGE / name for name in DERIVING_CODE]),
    }


def short_hash(data: Any) -> str:
    """First 16 hex digits of the SHA-256 of the data's one JSON form."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def code_hash(paths: list[Path]) -> str:
    """Hash of what Python files do: comments, layout and docstrings do not count."""
    return short_hash([_stripped(path.read_text(encoding="utf-8")) for path in paths])


def _stripped(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [one for one in node.body if not _is_text(one)] or [ast.Pass()]
    return ast.dump(tree)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
