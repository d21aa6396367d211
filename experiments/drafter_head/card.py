"""The model card that lies beside the head: what it is, what it was made from, and how often it was right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_CARD = """---
license: apache-2.0
base_model: HuggingFaceTB/SmolLM2-135M-Instruct
tags: [speculative-decoding, eagle]
---
# EAGLE head for SmolLM2-135M-Instruct

One decoder layer that drafts for this one target: it reads the target's hidden state and the next token, and borrows
the target's embedding and output layer. vLLM loads it with `method: eagle`; a profile of specwiki that names this folder
checks its files by the hashes in `manifest.json` before it uses them.

- **Data**: {answers} answers of the target itself, greedy, {tokens} tokens, to prompts that were drawn from the patterns
  in `../prompts.toml`, and to what the target writes where a user would, both with a recorded seed. None of them shares
  eight words in a row with a prompt that specwiki measures.
- **Training**: {epochs} epochs on two cores of a CPU, chains of {num_steps} drafts; the recipe stands in `../training.py`.
- **Command**: `.venv/bin/python experiments/drafter_head/make_head.py`, after `make engine`.
- **Weights**: `{weights}`, bfloat16, {megabytes:.1f} MB, SHA-256 `{sha256}`.
- **Licence**: Apache-2.0, as the target's.

Share of chains of drafts that are right up to each position, greedy, on {held_out} answers that it never saw:

| Position | {positions} |
| --- | {rule} |
| Right | {right} |

These answers are to prompts of the same kinds as those it learned from. What it reaches on prompts of other people's
making is for the engine's own counters to say, and is not told here.
"""


@dataclass(frozen=True)
class Facts:
    """What the card says.

    Attributes:
        answers: Answers that were trained on.
        tokens: Tokens of these answers.
        epochs: How often each was seen.
        num_steps: Drafts in a chain.
        weights: Name of the file.
        size: Of it, in bytes.
        sha256: Of it.
        held_out: Answers that were judged by.
        right: Share of chains that are right up to each position.
    """

    answers: int
    tokens: int
    epochs: int
    num_steps: int
    weights: str
    size: int
    sha256: str
    held_out: int
    right: Sequence[float]


def card(facts: Facts) -> str:
    """The card as Markdown."""
    return _CARD.format(
        **vars(facts) | {"right": " | ".join(f"{one:.3f}" for one in facts.right)},
        megabytes=facts.size / 1e6,
        positions=" | ".join(str(position) for position in range(len(facts.right))),
        rule=" | ".join("---:" for _ in facts.right),
    )
