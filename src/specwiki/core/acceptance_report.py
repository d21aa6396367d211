"""What two `/metrics` texts of any vLLM server say about its speculation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specwiki.core.acceptance import (
    acceptance_length,
    acceptance_rate,
    conditional_from_counters,
    mean_draft_length,
    num_tested,
    position_acceptance,
)
from specwiki.core.counters import Absence, SpecCounters
from specwiki.core.geometric import fit_beta_geometric, fit_counters
from specwiki.core.prometheus import Counters, difference, read_snapshot, spec_counters
from specwiki.core.schedule_edges import AT_LEAST_SAMPLES, Edge, Tiers, edges_of

RUNNING = "num_requests_running"


@dataclass(frozen=True)
class AcceptanceReport:
    """Acceptance between two snapshots, of all engines together and of each.

    Attributes:
        total: Of all engines; an absence when there is nothing to report.
        by_engine: The same for each engine, where there are several.
        counts: Other counters of the interval: tokens, prefix-cache queries and hits, preemptions.
        requests: Finished requests by reason.
        edges: How the load lay about the schedule's edges; None: no schedule was named.
    """

    total: SpecCounters | Absence
    by_engine: dict[str, SpecCounters | Absence]
    counts: dict[str, int]
    requests: dict[str, int]
    edges: list[Edge] | None = None

    def as_dict(self) -> dict[str, Any]:
        """For programs: counts, fractions of 1, and tokens per draft with the bonus token counted."""
        return {
            **_figures(self.total),
            "by_engine": {engine: _figures(one) for engine, one in self.by_engine.items()},
            "counts": self.counts,
            "requests": self.requests,
            "schedule_edges": None if self.edges is None else [vars(one) for one in self.edges],
        }

    def text(self) -> str:
        """For people: a line a figure, with what it means."""
        lines = _lines(self.total)
        for engine, one in self.by_engine.items():
            lines += ["", f"engine {engine}", *(f"  {line}" for line in _lines(one))]
        lines += ["", *(f"{name.replace('_', ' ')}: {count}" for name, count in sorted(self.counts.items()))]
        lines += [f"requests finished by {reason}: {count}" for reason, count in sorted(self.requests.items()) if count]
        lines += _edge_lines(self.edges)
        return "\n".join(lines)


def running_requests(text: str | None) -> int | None:
    """Requests that run at this moment, of all engines; None if the text does not say."""
    gauges = read_snapshot(text or "").gauges
    running = [count for series, count in gauges.items() if series.name == RUNNING]
    return int(sum(running)) if running else None


def compare_snapshots(
    before: str | None, after: str | None, running: Sequence[int] = (), schedule: Tiers | None = None
) -> AcceptanceReport:
    """Report on what was counted between two texts.

    Args:
        before: Body of `/metrics`; None: it did not answer.
        after: The same, later.
        running: Requests that ran at each of many moments in between, in order.
        schedule: Tiers `(first, last, depth)` that the server runs, valid; None: not known.

    Raises:
        MeasurementError: If the server was restarted in between, or a counter makes no sense.
    """
    if before is None or after is None:
        return AcceptanceReport(Absence.METRICS_FAILED, {}, {}, {})
    counted = difference(read_snapshot(before), read_snapshot(after))
    engines = counted.by_engine if len(counted.by_engine) > 1 else {}
    return AcceptanceReport(
        spec_counters(counted, completion_tokens=counted.counts.get("generation_tokens")),
        {engine: spec_counters(one) for engine, one in engines.items()},
        _other_counts(counted),
        dict(counted.request_success),
        None if schedule is None else edges_of(running, schedule),
    )


def _edge_lines(edges: list[Edge] | None) -> list[str]:
    if edges is None:
        return []
    if not edges:
        return [f"schedule edges: not judged, fewer than {AT_LEAST_SAMPLES} readings with requests running, or no edge"]
    crossed = [f"warning: {edge}" for edge in edges if edge.is_straddled]
    return crossed or ["schedule edges: the load stayed clear of them"]


def _other_counts(counted: Counters) -> dict[str, int]:
    return {name: count for name, count in counted.counts.items() if not name.startswith("spec_decode")}


def _figures(found: SpecCounters | Absence) -> dict[str, Any]:
    if isinstance(found, Absence):
        return {"absence": found.value}
    conditional = conditional_from_counters(found)
    return {
        "absence": found.absence and found.absence.value,
        "num_drafts": found.num_drafts,
        "num_draft_tokens": found.num_draft_tokens,
        "num_accepted_tokens": found.num_accepted_tokens,
        "mean_draft_length": mean_draft_length(found),
        "acceptance_rate": acceptance_rate(found),
        "num_tested_tokens": num_tested(found),
        "acceptance_of_tested": _of_tested(found),
        "acceptance_length": acceptance_length(found),
        "position_acceptance": list(position_acceptance(found)),
        "conditional_acceptance": list(conditional.rates),
        "conditional_is_lower_bound": conditional.is_lower_bound,
        "geometric": _geometric(found),
    }


def _geometric(found: SpecCounters) -> dict[str, Any] | None:
    """One acceptance for every position; None where drafts were not all full, so that it is not known."""
    if not found.every_draft_full:
        return None
    fit = fit_counters(found)
    figures = {"acceptance": fit.acceptance, "se": fit.se, "is_rejected": fit.is_rejected, "p_value": fit.p_value}
    beta = fit_beta_geometric(found) if fit.is_rejected else None
    return {**figures, "beta": None if beta is None else {**vars(beta), "is_rejected": beta.is_rejected}}


def _of_tested(found: SpecCounters) -> float | None:
    """The other denominator: tokens after a refused one were drafted, and never tested."""
    tested = num_tested(found)
    return None if tested is None else found.num_accepted_tokens / tested


ABSENT = {
    Absence.SPECULATION_OFF: "speculation is off: the server has no speculative counters",
    Absence.STATS_NOT_COLLECTED: "statistics are not collected: the server has no counters of its engine",
    Absence.METRICS_FAILED: "/metrics did not answer with metrics: acceptance is unknown, not zero",
    Absence.DRAFTER_DID_NOT_RUN: "the drafter did not run: not one draft in this time",
    Absence.NOTHING_ACCEPTED: "nothing was accepted",
}
"""The five kinds of nothing, as a person reads them."""


def _lines(found: SpecCounters | Absence) -> list[str]:
    if isinstance(found, Absence):
        return [ABSENT[found]]
    positions = " ".join(f"{one:.3f}" for one in position_acceptance(found))
    conditional = conditional_from_counters(found)
    rates = " ".join("-" if one is None else f"{one:.3f}" for one in conditional.rates)
    bound = " (lower bounds: some drafts were shorter than the depth)" if conditional.is_lower_bound else ""
    counts = f"{found.num_accepted_tokens} / {found.num_draft_tokens}"
    lines = [
        f"acceptance rate      {acceptance_rate(found):.3f}   accepted / drafted = {counts}",
        *_tested_line(found),
        f"acceptance length    {acceptance_length(found):.3f}   tokens per draft, the bonus token counted",
        f"drafts               {found.num_drafts}   {mean_draft_length(found):.2f} tokens each",
        f"by position          {positions}   of all drafts",
        f"conditional          {rates}   given the position before{bound}",
    ]
    return [*lines, *_model_lines(found), *([ABSENT[found.absence]] if found.absence else [])]


def _tested_line(found: SpecCounters) -> list[str]:
    rate = _of_tested(found)
    if rate is None:
        return ["  of tested tokens   -       accepted / tested is unknown: some drafts were shorter than the depth"]
    counts = f"{found.num_accepted_tokens} / {num_tested(found)}"
    return [f"  of tested tokens   {rate:.3f}   accepted / tested = {counts}, leaving out what follows a refused token"]


def _model_lines(found: SpecCounters) -> list[str]:
    fit = _geometric(found)
    if fit is None:
        return []
    verdict = "does not hold" if fit["is_rejected"] else "is not rejected"
    lines = [f"geometric model      a = {fit['acceptance']:.3f}   one acceptance for all positions {verdict}"]
    beta = fit["beta"]
    if beta is not None:
        said = "does not hold either" if beta["is_rejected"] else "is not rejected"
        lines.append(
            f"beta-geometric       a = {beta['acceptance']:.3f}   an acceptance for each draft, spread "
            f"{beta['spread']:.3f} (0: all alike), {said}"
        )
    return lines
