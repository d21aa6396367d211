"""Every value, verdict and quoted figure of the site in one file for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from specwiki.core.claims import Claim, evaluate
from specwiki.core.result import Result, Value
from specwiki.render.evidence import Evidence
from specwiki.render.values import Sourced


def values_json(by_experiment: Mapping[str, Evidence]) -> str:
    """All values with unit, n, interval, kind and dates, what each result says of each claim, and what is quoted.

    Args:
        by_experiment: What the pages of each experiment show.
    """
    first = next(iter(by_experiment.values()), Evidence())
    content = {
        "format": 1,
        "experiments": {
            name: [_result(one, evidence) for one in evidence.results] for name, evidence in by_experiment.items()
        },
        "quoted": _quoted(first),
        "claims": {name: _verdict(name, claim, {}, first) for name, claim in first.claims.items() if claim.is_quoted},
    }
    return json.dumps(content, ensure_ascii=False, sort_keys=True, indent=1) + "\n"


def _result(sourced: Sourced, evidence: Evidence) -> dict[str, Any]:
    result: Result = sourced.result
    named = ("profile", "machine", "effort", "run_id", "derivation", "prompt_kind", "measured_under", "derived_under")
    stored = result.model_dump(mode="json")
    dates = {"as_of": result.as_of.isoformat(), "good_until": result.good_until.isoformat()}
    return {
        "origin": sourced.origin,
        **dates,
        **{name: stored[name] for name in named},
        "changed_since": None if sourced.changed is None else list(sourced.changed),
        "values": {key: value | dates for key, value in stored["values"].items()},
        "outcomes": stored["outcomes"],
        "claims": {
            name: _verdict(name, claim, result.values, evidence)
            for name, claim in evidence.claims.items()
            if not claim.is_quoted
        },
    }


def _quoted(evidence: Evidence) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in evidence.quoted_values.items():
        found[key] = value.model_dump(mode="json", exclude_none=True)
        if key in evidence.quoted:
            source, figure = evidence.quoted[key]
            found[key] |= {"as_of": figure.as_of.isoformat(), "machine": source.machine, "source": source.title,
                           "place": figure.place}  # fmt: skip
    return found


def _verdict(name: str, claim: Claim, measured: Mapping[str, Value], evidence: Evidence) -> dict[str, Any]:
    verdict = evaluate(name, claim.expression, measured, evidence.quoted_values)
    return {"state": verdict.state, "reason": verdict.reason, "expression": claim.expression}
