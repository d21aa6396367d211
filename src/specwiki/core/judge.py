"""Whether a block can be trusted: the engine's counters against the step arrays of its answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from specwiki.core.acceptance import disagreements, step_counters
from specwiki.core.blocks import RequestRecord, SpecTotals
from specwiki.core.counters import Absence, RequestSteps, SpecCounters
from specwiki.core.prometheus import Counters, spec_counters
from specwiki.errors import MeasurementError


@dataclass(frozen=True)
class Judgement:
    """What a block's speculation came to.

    Attributes:
        counters: Cut to the arm's depth; None: `absence` says why there are none.
        absence: Also beside counters of which nothing was accepted.
        void: Why the block counts nowhere; None: it counts.
    """

    counters: SpecTotals | None
    absence: Absence | None
    void: str | None


_COMPILED = re.compile(r"^.*\bJIT compilation during inference: .*$", re.MULTILINE)
"""Source: vLLM 0.32, vllm/utils/jit_monitor.py; "kernel JIT compilation" for Triton, "JIT compilation" for others."""


def judge(requests: Sequence[RequestRecord], counted: Counters | None, depth: int | None, log: str = "") -> Judgement:
    """Compare what the engine counted with what its answers and its log say.

    Args:
        requests: All requests of the block.
        counted: Difference of the counters around it; None: they could not be read.
        depth: Depth of the arm; None: the engine was started without speculation.
        log: What the engine printed during the block: one that compiled in it measured its compiler.
    """
    try:
        judgement = _judge(requests, counted, depth)
    except MeasurementError as failure:
        judgement = Judgement(None, None, f"{failure.where}: {failure.what}")
    compiled = _COMPILED.search(log)
    if compiled and not judgement.void:
        return replace(judgement, void=f"engine log: {compiled[0][:300]}")
    return judgement


def _judge(requests: Sequence[RequestRecord], counted: Counters | None, depth: int | None) -> Judgement:
    found = spec_counters(counted, depth, sum(request.completion_tokens for request in requests))
    if isinstance(found, SpecCounters):
        if depth is None:
            return Judgement(None, None, f"an engine without speculation made {found.num_drafts} drafts")
        differences = disagreements(found, step_counters([steps_of(request) for request in requests], depth))
        reason = "; ".join(str(one) for one in differences) or None
        return Judgement(_totals(found), found.absence, reason)
    if depth is None:
        expected = found is Absence.SPECULATION_OFF
        return Judgement(None, found, None if expected else f"{found}, expected {Absence.SPECULATION_OFF}")
    if found is not Absence.DRAFTER_DID_NOT_RUN:
        return Judgement(None, found, f"{found}, expected counters at depth {depth}")
    drafts = sum(len(steps_of(request).drafted) for request in requests)
    return Judgement(None, found, f"no draft was counted, the answers have {drafts}" if drafts else None)


def steps_of(request: RequestRecord) -> RequestSteps:
    """A request's step arrays.

    Raises:
        MeasurementError: If the engine did not send them.
    """
    if request.drafted is None or request.accepted is None:
        raise MeasurementError(
            f"request '{request.prompt_id}'",
            "the answer has no step arrays",
            "Start the engine with --per-request-spec-decode-metrics detailed",
        )
    return RequestSteps(request.drafted, request.accepted, request.completion_tokens)


def _totals(counters: SpecCounters) -> SpecTotals:
    return SpecTotals(
        num_drafts=counters.num_drafts,
        num_draft_tokens=counters.num_draft_tokens,
        num_accepted_tokens=counters.num_accepted_tokens,
        accepted_per_position=counters.accepted_per_position,
    )
