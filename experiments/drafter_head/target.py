"""The target as it writes many texts at once: greedily its answers, by lot its own questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AttentionInterface, AutoModelForCausalLM
from transformers.masking_utils import AttentionMaskInterface, eager_mask

ATTENTION = "grouped"
BATCH = 128
"""Texts that are written together; as many as keep both cores busy."""
Choose = Callable[[torch.Tensor], torch.Tensor]
"""From logits to tokens. Shapes: (batch, vocabulary) to (batch,)."""


def load(folder: Path) -> Any:
    """The model, computing in float32: on a CPU without matrix instructions for bfloat16 a third faster."""
    AttentionInterface.register(ATTENTION, _attend)
    # Always a mask, and a finite one: a row of padding sees nothing, and must not become NaN.
    AttentionMaskInterface.register(ATTENTION, eager_mask)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation=ATTENTION).eval()


def _attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    scaling: float,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Heads that share a key stand side by side. The library's way copies the keys for each of them: half its time."""
    batch, heads, length, width = query.shape
    shared = key.shape[1]
    rows = query.reshape(batch, shared, -1, width)
    scores = (rows @ key.transpose(2, 3)).view(batch, shared, heads // shared, length, -1) * scaling
    mixed = (scores + attention_mask[:, :, None]).softmax(-1).view(batch, shared, -1, key.shape[2]) @ value
    return mixed.view(batch, heads, length, width).transpose(1, 2).contiguous(), None


def greedy(logits: torch.Tensor) -> torch.Tensor:
    """The likeliest token."""
    return logits.argmax(-1)


def drawn(rng: torch.Generator, most: int) -> Choose:
    """One of the `most` likeliest tokens, by lot at temperature 1."""

    def choose(logits: torch.Tensor) -> torch.Tensor:
        likeliest, tokens = logits.topk(min(most, logits.shape[-1]))
        which = torch.multinomial(likeliest.softmax(-1), 1, generator=rng)
        return tokens.gather(1, which)[:, 0]

    return choose


@torch.inference_mode()
def write(
    model: Any, prompts: Sequence[Sequence[int]], end: int, limit: int, choose: Choose = greedy
) -> tuple[list[list[int]], list[torch.Tensor]]:
    """Write on after each prompt.

    Args:
        model: As `load` gives it.
        prompts: Tokens.
        end: The token that ends a text.
        limit: Tokens of a text at most.
        choose: How a token is chosen.

    Returns:
        The texts, their end token included where they have one; and of each the hidden state, after the last norm, at
        every token of prompt and text but the last. Shape of one: (tokens - 1, width).
    """
    longest = max(map(len, prompts))
    padded = torch.tensor([[end] * (longest - len(one)) + list(one) for one in prompts])
    mask = torch.tensor([[0] * (longest - len(one)) + [1] * len(one) for one in prompts])
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    out = model.model(input_ids=padded, attention_mask=mask, position_ids=positions, use_cache=True)
    states = [out.last_hidden_state]
    tokens: list[torch.Tensor] = []
    done = torch.zeros(len(prompts), dtype=torch.bool)
    for _ in range(limit):
        tokens.append(choose(model.lm_head(states[-1][:, -1]))[:, None])
        done |= tokens[-1][:, 0] == end
        if done.all():
            break
        mask = torch.cat([mask, mask.new_ones(len(prompts), 1)], 1)
        positions = positions[:, -1:] + 1
        out = model.model(
            input_ids=tokens[-1], attention_mask=mask, position_ids=positions, use_cache=True,
            past_key_values=out.past_key_values,
        )  # fmt: skip
        states.append(out.last_hidden_state)
    rows = torch.cat(tokens, 1).tolist()
    texts = [row[: row.index(end) + 1] if end in row else row for row in rows]
    hidden = torch.cat(states, 1)
    cut = [
        hidden[i, longest - len(prompt) :][: len(prompt) + len(text) - 1]
        for i, (prompt, text) in enumerate(zip(prompts, texts, strict=True))
    ]
    return texts, cut
