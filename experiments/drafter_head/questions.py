"""Prompts for the drafter head's training data: patterns with slots, drawn at random from a fixed seed."""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).parent / "prompts.toml"
SLOT = re.compile(r"\{(\w+)\}")
PASSAGE = "passage"
"""The slot that an earlier answer fills."""


@dataclass(frozen=True)
class Question:
    """One prompt, and what kind of prompt it is."""

    kind: str
    text: str


def draw(number: int, seed: int, passages: tuple[str, ...] = ()) -> list[Question]:
    """Different prompts, in a random order.

    Args:
        number: How many; fewer are drawn of a kind whose patterns have no more fillings.
        seed: The same seed draws the same prompts.
        passages: Texts for the kinds that are about a passage. Without any, these kinds are left out, and with some,
            the others are: the answers to the others are the passages.
    """
    known = tomllib.loads(FILE.read_text(encoding="utf-8"))
    kinds = {
        name: kind
        for name, kind in known["kinds"].items()
        if bool(passages) == any(PASSAGE in SLOT.findall(pattern) for pattern in kind["patterns"])
    }
    slots = {**known["slots"], PASSAGE: passages}
    shares = sum(kind["share"] for kind in kinds.values())
    rng = random.Random(seed)  # noqa: S311 - no secret
    found: dict[str, Question] = {}
    for name, kind in kinds.items():
        wanted = round(number * kind["share"] / shares)
        mine: set[str] = set()
        for _ in range(wanted * 20):
            if len(mine) == wanted:
                break
            pattern = rng.choice(kind["patterns"])
            mine.add(SLOT.sub(lambda slot: rng.choice(slots[slot[1]]), pattern))
        found |= {text: Question(name, text) for text in sorted(mine)}
    questions = list(found.values())
    rng.shuffle(questions)
    return questions
