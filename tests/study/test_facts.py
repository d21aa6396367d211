"""What a run says about itself."""

from __future__ import annotations

import datetime as dt
import json

from specwiki.core.blocks import BlockRecord
from specwiki.study.facts import run_facts
from specwiki.study.project import load_experiment

STARTED = dt.datetime(2026, 11, 28, 8, tzinfo=dt.UTC)
KNOWN = {"engine": "vllm", "cpu": "Sample CPU", "cores": 2, "memory_gib": 24, "started_utc": STARTED.isoformat()}


def block(arm):
    return BlockRecord(
        index=1, boot=0, arm=arm, depth=4, concurrency=1, group="pooled", replicate=1, status="ok", reason=None,
        started_utc=STARTED, elapsed_s=60.0, counters=None, absence=None, prefix_hits=0, prefix_queries=0,
        preemptions=0, requests=(),
    )  # fmt: skip


def test_a_config_names_weights_of_the_project(project):
    """Without them the engine would not start; a drafter without weights names none."""
    facts = run_facts(load_experiment(project, "depth", "laptop-eagle", "full"), KNOWN, [block("d4")])
    others = run_facts(load_experiment(project, "drafters", "laptop", "full"), KNOWN, [block("eagle"), block("ngram")])

    folder = "experiments/drafter_head/head"
    assert json.loads(facts["drafter_config"])["model"] == folder
    assert json.loads(others["drafter_config.eagle"])["model"] == folder
    assert "model" not in json.loads(others["drafter_config.ngram"])


def test_the_type_is_told_where_the_machine_chose_it(project):
    """Otherwise the weights' own holds, and nothing is said."""
    experiment = load_experiment(project, "depth", "laptop", "full")

    assert run_facts(experiment, KNOWN | {"dtype": "float32"}, [block("d4")])["dtype"] == "float32"
    assert "dtype" not in run_facts(experiment, KNOWN, [block("d4")])
