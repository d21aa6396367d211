"""Prompts for the drafter head's training data: patterns with slots, and what the target itself would ask.

Patterns alone are not enough: a head that learns from answers to them alone is far better on other such answers than on
prompts that people wrote. The target itself may be asked what its user says (Xu et al. 2024, "Magpie",
arXiv:2406.08464). And where an answer repeats its prompt such a head is at its worst, therefore the prompts about texts.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import target
import torch
from target import BATCH

from specwiki.edges.store import read_json, to_json, write_atomic

FILE = Path(__file__).parent / "prompts.toml"
SLOT = re.compile(r"\{(\w+)\}")
TEXTS = ("passage", "snippet")
"""Slots that earlier answers fill."""
MAX_TOKENS = 96
"""Of a question of the target's own; a longer one is dropped."""
LIKELIEST = 200
"""Tokens that one is drawn from, where the target makes up a question; our choice."""
WINDOW = 8
"""A question that has so many words in a row from a measured prompt is dropped."""


@dataclass(frozen=True)
class Question:
    """One prompt, and what kind of prompt it is."""

    kind: str
    text: str


def draw(number: int, seed: int, texts: Mapping[str, tuple[str, ...]] | None = None) -> list[Question]:
    """Different prompts, in a random order.

    Args:
        number: How many; fewer are drawn of a kind whose patterns have no more fillings.
        seed: The same seed draws the same prompts.
        texts: For each slot of `TEXTS`, what fills it, for the kinds that are about a text. Without any, these kinds
            are left out, and with some, the others are: from answers to the others the texts are taken.
    """
    known = tomllib.loads(FILE.read_text(encoding="utf-8"))
    kinds = {
        name: kind
        for name, kind in known["kinds"].items()
        if bool(texts) == any(slot in TEXTS for pattern in kind["patterns"] for slot in SLOT.findall(pattern))
    }
    slots = {**known["slots"], **(texts or {})}
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


def ask(
    model: Any,
    tokenizer: Any,
    number: int,
    seed: int,
    measured: Iterable[str],
    folder: Path,
    tell: Callable[[int, int], None],
) -> list[str]:
    """Let the target write what its user says, `BATCH` at a time; what is in the folder already is kept.

    Args:
        model: The target, as `target.load` gives it.
        tokenizer: Its tokenizer, with the chat template that the engine uses too.
        number: How many are written; those that do not end, that repeat another, or that say what a measured prompt
            says, are dropped afterwards.
        seed: The same seed writes the same.
        measured: Texts of the prompts that are measured.
        folder: Where they go.
        tell: Called before and after each batch with how many are written, and how many there will be.
    """
    start = _before_the_user(tokenizer)
    found: dict[str, None] = {}
    for begin in range(0, number, BATCH):
        path = folder / f"asked-{begin // BATCH:04d}.json"
        if not path.exists():
            tell(begin, number)
            rng = torch.Generator().manual_seed(seed * 1_000_003 + begin)
            prompts = [start] * min(BATCH, number - begin)
            texts, _ = target.write(model, prompts, tokenizer.eos_token_id, MAX_TOKENS, target.drawn(rng, LIKELIEST))
            whole = [tokenizer.decode(one[:-1]).strip() for one in texts if one[-1] == tokenizer.eos_token_id]
            write_atomic(path, to_json(whole))
            tell(min(begin + BATCH, number), number)
        found |= dict.fromkeys(read_json(path))
    return unmeasured(filter(None, found), measured)


def unmeasured(texts: Iterable[str], measured: Iterable[str]) -> list[str]:
    """Those of the texts that have no `WINDOW` words in a row from a measured prompt."""
    taken = {window for text in measured for window in windows(text)}
    return [text for text in texts if not windows(text) & taken]


def windows(text: str) -> set[tuple[str, ...]]:
    """All runs of `WINDOW` words in a text, or all its words where it is shorter."""
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + WINDOW]) for i in range(max(1, len(words) - WINDOW + 1))}


def _before_the_user(tokenizer: Any) -> list[int]:
    """What stands before the user's first word."""
    word = "word"
    text = tokenizer.apply_chat_template([{"role": "user", "content": word}], tokenize=False)
    return list(tokenizer(text[: text.rindex(word)]).input_ids)
