"""What a page says about how a run was made: engine, models, machine, amounts, times."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from specwiki.core.blocks import BlockRecord
from specwiki.core.plan_file import Plan
from specwiki.edges import engine
from specwiki.study.project import Experiment


def run_facts(
    experiment: Experiment, known: Mapping[str, Any], blocks: Sequence[BlockRecord]
) -> dict[str, str | int | float]:
    """Facts by label key.

    Args:
        experiment: What was measured.
        known: What was written down when the run began.
        blocks: All of the run.
    """
    profile, effort = experiment.profile, experiment.effort
    return {
        "engine": known["engine"],
        "target": profile.target.name,
        **_drafters(experiment, blocks),
        "cpu": known["cpu"],
        "cores": known["cores"],
        "memory_gib": known["memory_gib"],
        **({"dtype": known["dtype"]} if "dtype" in known else {}),
        "seed": experiment.plan.seed,
        "prompt_set": experiment.prompt_set.id,
        **({} if experiment.synthetic_set is None else {"synthetic_set": experiment.synthetic_set.id}),
        "prompts": sum(len(group) for group in experiment.groups.values()),
        "max_tokens": effort.max_tokens,
        "temperature": experiment.plan.temperature,
        "replicates": effort.replicates,
        "boots": len({block.boot for block in blocks}),
        "blocks": sum(block.status == "ok" for block in blocks),
        "started_utc": known["started_utc"],
        "measured_minutes": round(sum(block.elapsed_s for block in blocks) / 60, 1),
        **_wall_minutes(dt.datetime.fromisoformat(known["started_utc"]), blocks),
    }


def _drafters(experiment: Experiment, blocks: Sequence[BlockRecord]) -> dict[str, str]:
    """Which drafters ran, and the config to paste for each; weights that the project has by their folder in it."""
    profile, plan = experiment.profile, experiment.plan
    if isinstance(plan, Plan):
        deepest = max(plan.efforts[experiment.effort_name].depths)
        return {
            "drafter": profile.drafter.name,
            "drafter_config": json.dumps(engine.speculative_config(profile, [deepest], profile.drafter.folder)),
        }
    ran = [one for one in profile.drafters if any(block.arm == one.slug for block in blocks)]
    configs = {
        f"drafter_config.{one.slug}": engine.speculative_config(
            profile.model_copy(update={"drafter": one}), [plan.depth], one.folder
        )
        for one in ran
    }
    return {"drafter": "; ".join(one.name for one in ran)} | {key: json.dumps(one) for key, one in configs.items()}


def _wall_minutes(started: dt.datetime, blocks: Sequence[BlockRecord]) -> dict[str, float]:
    """From the start of the run to its last answer; nothing where the host's clock went back in between."""
    times = [started, *(block.started_utc for block in blocks)]
    if any(later < earlier for earlier, later in pairwise(times)):
        return {}
    return {"wall_minutes": round(((times[-1] - started).total_seconds() + blocks[-1].elapsed_s) / 60, 1)}
