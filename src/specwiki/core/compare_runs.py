"""Repeated runs of other tools' benchmarks, side against side, or the reasons why they cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specwiki.core.answers import Answer, read_answers
from specwiki.core.compare import Comparison, Verdict, cannot, verdict_of
from specwiki.core.depth import replicates_needed
from specwiki.core.impossible import in_bench_result, number_in, position_rates
from specwiki.core.in_step import InStep, regress
from specwiki.core.stats import AT_LEAST, CONFIDENCE, MIN_FLOOR, Interval, LogMean, log_mean, t_quantile

WORKLOAD_KEYS = ("backend", "endpoint_type", "model_id", "tokenizer_id", "num_prompts", "request_rate", "burstiness",
                 "max_concurrency", "total_input_tokens")  # fmt: skip
"""Keys of a `vllm bench serve` result that two comparable ones have alike (`endpoint_type` before 0.10)."""
POSITION_GAP = 0.02
"""Difference of first positions, as a fraction of drafts, from which on it is spoken of. Our choice."""


@dataclass(frozen=True)
class Run:
    """One run of one side.

    Attributes:
        output_tok_s: Aggregate throughput, above 0.
        length: Tokens per draft or step, bonus token included; None where nothing was drafted or it is not known.
        positions: Acceptance by position, unconditional, 0 to 1; empty where it is not known.
        power: What the file says about power: key → value.
    """

    output_tok_s: float
    length: float | None = None
    positions: tuple[float, ...] = ()
    power: tuple[tuple[str, str], ...] = ()


def compare_benches(ones: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> list[Comparison]:
    """Compare `vllm bench serve` results: repeated runs of A with repeated runs of B.

    Args:
        ones: Results of A, one per run; at least 1.
        others: Results of B.

    Returns:
        Throughput first; then, where all runs drafted, acceptance length and what is left at equal length.

    Raises:
        MeasurementError: If a file has impossible numbers, or the workloads differ; names all of it.
    """
    sides = (("A", ones), ("B", others))
    problems = [f"{side}: {found}" for side, runs in sides for run in runs for found in in_bench_result(run)]
    problems += [
        f"{side}: output_throughput is {run.get('output_throughput')!r}, expected a number above 0"
        for side, runs in sides
        for run in runs
        if not (number_in(run, "output_throughput") or 0) > 0
    ]
    problems += _other_workloads([*ones, *others])
    if problems:
        raise cannot(problems, "Measure both with the same prompts, load and client")
    return compare_runs([_bench_run(run) for run in ones], [_bench_run(run) for run in others])


def compare_answers(
    ones: Sequence[Sequence[Mapping[str, Any]]], others: Sequence[Sequence[Mapping[str, Any]]]
) -> list[Comparison]:
    """Compare Spec-Bench answers: for each run the tokens of all questions over their time, not a mean of speeds.

    Args:
        ones: For each run of A its lines; at least one run.
        others: The same of B.

    Raises:
        MeasurementError: If a side does not count its tokens itself, or no question is in every file.
    """
    sides = (("A", ones), ("B", others))
    read = [(side, *read_answers(lines)) for side, runs in sides for lines in runs]
    problems = [f"{side}: {one}" for side, _, found in read for one in found]
    everywhere = set.intersection(*(set(answers) for _, answers, _ in read))
    if not everywhere and not problems:
        problems.append("no question is in every file")
    if problems:
        raise cannot(problems, "Answer the same questions with one program that counts new_tokens for both")
    a, b = ([_answers_run(answers, everywhere) for name, answers, _ in read if name == side] for side, _ in sides)
    first, *rest = compare_runs(a, b)
    alone = len(set.union(*(set(answers) for _, answers, _ in read)) - everywhere)
    paired = f"over the {len(everywhere)} questions that every file answers, {alone} left out"
    return [_with_note(first, paired), *rest]


def compare_runs(a: Sequence[Run], b: Sequence[Run]) -> list[Comparison]:
    """Throughput of B over A; then acceptance length, and throughput at equal length where it moves in step.

    Args:
        a: Runs of A; with fewer than 2 of either side there is a ratio and no interval.
        b: Runs of B.
    """
    throughput = _compared("output_throughput", [one.output_tok_s for one in a], [one.output_tok_s for one in b])
    drafted_a, drafted_b = ([(r.output_tok_s, r.length) for r in side if r.length] for side in (a, b))
    if len(drafted_a) < len(a) or len(drafted_b) < len(b):
        return [_with_note(throughput, *_power(a, b))]
    lengths = _compared("acceptance_length", [one for _, one in drafted_a], [one for _, one in drafted_b], floor=0.0)
    found = [_with_note(throughput, *_power(a, b)), _with_note(_worded_length(lengths), *_first_position(a, b))]
    fit = regress(drafted_a, drafted_b)
    if fit is None or not fit.is_seen:
        return found
    return [_with_note(found[0], _in_step(fit)), found[1], *_at_equal_length(fit, drafted_a, drafted_b)]


def _bench_run(result: Mapping[str, Any]) -> Run:
    power = sorted((key, str(value)) for key, value in result.items()
                   if "power" in key.lower() and isinstance(value, str | int | float))  # fmt: skip
    length = number_in(result, "spec_decode_acceptance_length")
    rates = tuple(position_rates(result))
    return Run(number_in(result, "output_throughput") or 0.0, length, rates, tuple(power))


def _answers_run(answers: Mapping[str, Answer], questions: set[str]) -> Run:
    mine = [answers[one] for one in questions]
    steps = sum(one.steps for one in mine)
    length = sum(one.step_tokens for one in mine) / steps if steps else None
    return Run(math.fsum(one.tokens for one in mine) / math.fsum(one.wall_s for one in mine), length)


def _compared(metric: str, a: Sequence[float], b: Sequence[float], floor: float = MIN_FLOOR) -> Comparison:
    """B over A from independent runs: Welch's t on logarithms."""
    if min(len(a), len(b)) < AT_LEAST:
        note = "one run of a side is suggestive at most: two or more of each give an interval"
        ratio = (sum(b) / len(b)) / (sum(a) / len(a))
        return Comparison(metric, ratio, None, None, "cannot be told", (note,))
    one, other = (log_mean([math.log(number) for number in side]) for side in (a, b))
    interval = _unpaired(one, other)
    verdict = verdict_of(interval, floor)
    notes = (_more_pairs(one, other),) if verdict == "no difference seen" else ()
    return Comparison(metric, interval.point, interval.low, interval.high, verdict, notes)


def _unpaired(a: LogMean, b: LogMean) -> Interval:
    se = math.hypot(a.se, b.se)
    weight = a.se**4 / a.df + b.se**4 / b.df
    half = t_quantile(se**4 / weight if weight else math.inf, (1 + CONFIDENCE) / 2) * se
    mean = b.mean - a.mean
    return Interval(math.exp(mean), math.exp(mean - half), math.exp(mean + half), min(a.n, b.n))


def _more_pairs(a: LogMean, b: LogMean) -> str:
    sd = math.hypot(a.se * math.sqrt(a.n), b.se * math.sqrt(b.n))
    needed = replicates_needed(b.mean - a.mean, sd)
    pairs = "more than 1000" if needed is None else f"about {needed}"
    return f"{pairs} runs of each would tell {math.exp(b.mean - a.mean):.3f} from 1 at this scatter"


def _power(a: Sequence[Run], b: Sequence[Run]) -> list[str]:
    """Case C36: a power cap is part of what was measured, equal or not."""
    keys = sorted({key for run in (*a, *b) for key, _ in run.power})
    notes = []
    for key in keys:
        of_a, of_b = ({dict(run.power).get(key, "not said") for run in side} for side in (a, b))
        values = f"{' and '.join(sorted(of_a))} in A, {' and '.join(sorted(of_b))} in B"
        same = len(of_a | of_b) == 1
        said = "the ratio is known at that power only" if same else "the ratio is that of the power as well"
        notes.append(f"{key} is {values}: {said}")
    return notes


def _first_position(a: Sequence[Run], b: Sequence[Run]) -> list[str]:
    """Cases C34 and C35: first positions of two depths differ without either drafter being worse."""
    depths = [{len(run.positions) for run in side} for side in (a, b)]
    if any(len(one) != 1 or 0 in one for one in depths) or depths[0] == depths[1]:
        return []
    firsts = [sum(run.positions[0] for run in side) / len(side) for side in (a, b)]
    if abs(firsts[0] - firsts[1]) < POSITION_GAP:
        return []
    (depth_a,), (depth_b,) = depths
    said = (
        f"position 0 is accepted in {firsts[0]:.3f} of drafts at depth {depth_a} (A), {firsts[1]:.3f} at {depth_b} (B)"
    )
    if (firsts[1] < firsts[0]) == (depth_b > depth_a):
        why = (
            "an unchanged drafter shows this too, as a deeper draft that is accepted carries the start of the next one "
            "past easy text"
        )
    else:
        why = (
            "where drafts start would make it lower at the deeper one, so look first for other text, or for prompts "
            "that were answered before"
        )
    return [f"{said}: {why}; compare lengths, not first positions"]


def _in_step(fit: InStep) -> str:
    return (
        f"throughput moves in step with acceptance length (as its power {fit.slope:.2f}; {fit.explained:.0%} of the "
        f"scatter within sides, which is {fit.scatter:.1%}): what was answered differs from run to run, so pair runs "
        "by prompt and make more"
    )


def _at_equal_length(
    fit: InStep, a: Sequence[tuple[float, float]], b: Sequence[tuple[float, float]]
) -> list[Comparison]:
    """Nothing where the lengths of the sides do not overlap: there would be no run of both to rest on."""
    lengths = [[length for _, length in side] for side in (a, b)]
    if max(min(one) for one in lengths) > min(max(one) for one in lengths):
        return []
    ratio = fit.at_equal_length
    name = "output_throughput at equal acceptance length"
    return [Comparison(name, ratio.point, ratio.low, ratio.high, verdict_of(ratio, MIN_FLOOR))]


def _worded_length(found: Comparison) -> Comparison:
    words: dict[Verdict, Verdict] = {"faster": "longer", "slower": "shorter"}
    verdict = words.get(found.verdict, found.verdict)
    return Comparison(found.metric, found.ratio, found.low, found.high, verdict, found.notes)


def _with_note(found: Comparison, *notes: str) -> Comparison:
    return Comparison(found.metric, found.ratio, found.low, found.high, found.verdict, (*found.notes, *notes))


def _other_workloads(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    for key in WORKLOAD_KEYS:
        values = {str(run.get(key)) for run in runs}
        if len(values) > 1:
            found.append(f"{key} is {' and '.join(sorted(values))}")
    return found
