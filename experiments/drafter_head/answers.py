"""The target's own greedy answers with the hidden state at each token, in shards that are written once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import target
import torch
from target import BATCH

MAX_NEW_TOKENS = 96
MAX_PROMPT_TOKENS = 320
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Sequences:
    """Prompts with their answers, one after another.

    Attributes:
        tokens: All tokens. Shape: (tokens,).
        hidden: Hidden state of the target at each token, after its last norm, as bfloat16 bits. Shape: (tokens, width).
        starts: Where each sequence starts, and where the last one ends. Shape: (sequences + 1,).
        answers: Where each answer starts. Shape: (sequences,).
    """

    tokens: npt.NDArray[np.int32]
    hidden: npt.NDArray[np.uint16]
    starts: npt.NDArray[np.int64]
    answers: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def num_answer_tokens(self) -> int:
        """Tokens that the target wrote."""
        return int((self.starts[1:] - self.answers).sum())

    def num_tokens_of(self, i: int) -> int:
        """Tokens that the target wrote in one answer."""
        return int(self.starts[i + 1] - self.answers[i])


def write_shards(
    model: Any, tokenizer: Any, texts: Sequence[str], folder: Path, tell: Tell, name: str = "shard"
) -> list[Path]:
    """Answer every text, `BATCH` at a time; a shard that is there already is kept.

    Args:
        model: The target, as `target.load` gives it.
        tokenizer: Its tokenizer, with the chat template that the engine uses too.
        texts: User messages.
        folder: Where the shards go.
        tell: Called before and after each new shard with how many texts are answered, and how many there are.
        name: Start of the shards' names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    prompts = [_prompt(tokenizer, text) for text in texts]
    order = sorted((len(tokens), i) for i, tokens in enumerate(prompts) if len(tokens) <= MAX_PROMPT_TOKENS)
    shards = []
    for start in range(0, len(order), BATCH):
        path = folder / f"{name}-{start // BATCH:04d}.npz"
        shards.append(path)
        if path.exists():
            continue
        # Told only of what takes time, so that what is left is not reckoned from shards that were there.
        tell(start, len(order))
        batch = [prompts[i] for _, i in order[start : start + BATCH]]
        _write(path, batch, *target.write(model, batch, tokenizer.eos_token_id, MAX_NEW_TOKENS))
        tell(min(start + BATCH, len(order)), len(order))
    return shards


def _prompt(tokenizer: Any, text: str) -> list[int]:
    message = [{"role": "user", "content": text}]
    found = tokenizer.apply_chat_template(message, add_generation_prompt=True, tokenize=True, return_dict=True)
    return list(found["input_ids"])


def _write(
    path: Path, prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]], hidden: Sequence[torch.Tensor]
) -> None:
    """One shard, whole or not at all; the hidden state that no token follows is zeros."""
    tokens = [[*prompt, *answer] for prompt, answer in zip(prompts, answers, strict=True)]
    starts = np.cumsum([0, *map(len, tokens)])
    padded = [
        torch.cat([one, one.new_zeros(len(row) - len(one), one.shape[1])])
        for one, row in zip(hidden, tokens, strict=True)
    ]
    temporary = path.with_suffix(".tmp.npz")
    np.savez(
        temporary,
        tokens=np.concatenate([np.array(row, dtype=np.int32) for row in tokens]),
        hidden=torch.cat(padded).to(torch.bfloat16).view(torch.uint16).numpy(),
        starts=starts,
        answers=starts[:-1] + np.array([len(prompt) for prompt in prompts]),
    )
    os.replace(temporary, path)


def read_shards(paths: Sequence[Path]) -> Sequences:
    """All shards as one.

    Raises:
        ValueError: If there is none.
    """
    if not paths:
        msg = "there are no shards, expected at least one"
        raise ValueError(msg)
    shards = [Sequences(**{name: file[name] for name in ("tokens", "hidden", "starts", "answers")})
              for file in map(np.load, paths)]  # fmt: skip
    ends = np.cumsum([0, *(shard.starts[-1] for shard in shards)])
    return Sequences(
        np.concatenate([shard.tokens for shard in shards]),
        np.concatenate([shard.hidden for shard in shards]),
        np.concatenate([shard.starts[:-1] + end for shard, end in zip(shards, ends, strict=False)] + [ends[-1:]]),
        np.concatenate([shard.answers + end for shard, end in zip(shards, ends, strict=False)]),
    )


def passages(sequences: Sequences, tokenizer: Any, number: int, max_tokens: int = 110) -> tuple[str, ...]:
    """The beginnings of answers, up to their last whole sentence, for prompts that are about a text."""
    found = []
    for i in range(len(sequences)):
        answer = sequences.tokens[sequences.answers[i] : sequences.starts[i + 1]][:max_tokens]
        text = tokenizer.decode(answer, skip_special_tokens=True)
        whole, stop, _ = text.rpartition(". ")
        if len(whole) > 120:  # noqa: PLR2004 - shorter ones are no text to summarise
            found.append(whole + stop.strip())
        if len(found) == number:
            break
    return tuple(found)


def snippets(sequences: Sequences, tokenizer: Any, number: int, most_lines: int = 14) -> tuple[str, ...]:
    """Code from answers, whole lines from the first of a fenced block on, for prompts that are about code."""
    found: dict[str, None] = {}
    for i in range(len(sequences)):
        answer = tokenizer.decode(sequences.tokens[sequences.answers[i] : sequences.starts[i + 1]])
        _, fence, rest = answer.partition("```")
        code, _, _ = rest.partition("```")
        lines = code.split("\n")[1:-1][:most_lines]
        if fence and len(lines) > 2:  # noqa: PLR2004 - fewer lines are no code to work on
            found["\n".join(lines)] = None
        if len(found) == number:
            break
    return tuple(found)


def batches(
    sequences: Sequences, chosen: npt.NDArray[np.int64], num_tokens: int, rng: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:
    """Indices of sequences of like length, about `num_tokens` tokens each, in a random order."""
    lengths = np.diff(sequences.starts)[chosen]
    order = chosen[np.lexsort((rng.random(len(chosen)), lengths // 16))]
    made: list[list[int]] = [[]]
    for i in order:
        length = int(sequences.starts[i + 1] - sequences.starts[i])
        if made[-1] and (len(made[-1]) + 1) * length > num_tokens:
            made.append([])
        made[-1].append(int(i))
    for one in rng.permutation(len(made)):
        yield np.array(made[one])
