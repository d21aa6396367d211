"""Answers of an offline benchmark, one line a question, as Spec-Bench writes them: tokens and time of each question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

QUESTION = "question_id"


@dataclass(frozen=True)
class Answer:
    """What one question cost, all of its turns together.

    Attributes:
        tokens: New tokens, as the program that made them counted; above 0.
        wall_s: Seconds; above 0.
        steps: Decode steps.
        step_tokens: Tokens that these steps committed; 0 where the file does not say.
    """

    tokens: float
    wall_s: float
    steps: int
    step_tokens: float


def read_answers(lines: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Answer], list[str]]:
    """Read the lines of one file.

    Text is never counted again: another tokeniser, or the same over joined text, counts otherwise than the program
    that made the tokens, and a ratio of two ways of counting is none.

    Args:
        lines: Objects with `question_id` and `choices`, of which the first has `new_tokens` and `wall_time`, one
            number a turn, and may have `accept_lengths`, one number a step.

    Returns:
        Question → answer, and everything that is wrong with the file.

    Source: Spec-Bench, evaluation/eval.py (writes) and evaluation/speed.py (counts its two arms differently).
    """
    found: dict[str, Answer] = {}
    twice, uncounted, untimed = [], 0, 0
    for line in lines:
        question, choice = str(line.get(QUESTION)), _first_choice(line)
        tokens, wall_s = _sum(choice.get("new_tokens")), _sum(choice.get("wall_time"))
        uncounted += tokens is None
        untimed += wall_s is None
        if question in found:
            twice.append(question)
        if tokens is not None and wall_s is not None:
            lengths = choice.get("accept_lengths")
            found[question] = Answer(tokens, wall_s, len(lengths or ()), _sum(lengths) or 0.0)
    problems = []
    if uncounted:
        what = f"{uncounted} of {len(lines)} answers have no new_tokens above 0, expected a count for each turn"
        problems.append(f"{what}: their text, tokenised again, would be counted by another rule than the other side's")
    if untimed:
        problems.append(f"{untimed} of {len(lines)} answers have no wall_time above 0, expected seconds for each turn")
    if twice:
        problems.append(f"question {twice[0]} is there twice, expected each once")
    return found, problems


def _first_choice(line: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = line.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    return first if isinstance(first, Mapping) else {}


def _sum(numbers: Any) -> float | None:
    """Sum of a list of numbers; None if it is no such list, or the sum is not above 0."""
    if not isinstance(numbers, list) or not all(isinstance(one, int | float) for one in numbers):
        return None
    total = math.fsum(numbers)
    return total if 0 < total < math.inf else None
