"""Train the head on the target's answers, and see how often it is right on answers that it has not seen.

The library `speculators` does not do this job here: its trainer (0.9.0, November 2026) needs an accelerator,
and of EAGLE's it trains EAGLE-3.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from answers import Sequences, batches
from head import Head
from torch.nn import functional

Tell = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Recipe:
    """How the head is trained; our choices, after what was seen to help.

    Attributes:
        epochs: How often each answer is seen.
        num_steps: Drafts in a chain: the later ones are made from the head's own output.
        step_weights: Weight of each draft's loss.
        batch_tokens: Tokens of a batch, prompts included. Small batches were seen to learn faster in the first minutes;
            after some millions of tokens large ones were as far.
        learning_rate: Highest, after the warm-up.
        noise: Standard deviation of the noise on the target's hidden states, over theirs.
        hard: Share of the loss that asks for the target's likeliest token; the rest asks for its distribution.
        regression: Weight of the distance to the target's hidden state, over its scatter.
        frequent: Tokens that stand in the softmax of every batch, the most frequent ones, beside the batch's own.
        negatives: Tokens that stand in it too, drawn anew for each batch from the whole vocabulary.
        checkpoint_every: Steps of the optimiser between two checkpoints.
        seed: Of order, noise and weights.
    """

    epochs: int = 3
    num_steps: int = 3
    step_weights: tuple[float, ...] = (1.0, 0.6, 0.3)
    batch_tokens: int = 1024
    learning_rate: float = 1.5e-3
    noise: float = 0.1
    hard: float = 0.5
    regression: float = 0.1
    frequent: int = 4096
    negatives: int = 1024
    checkpoint_every: int = 500
    seed: int = 20261130


@dataclass(frozen=True)
class Frozen:
    """What the target lends.

    Attributes:
        embeddings: Shape: (vocabulary, width); also its output layer, which is tied to it.
        common: Tokens that occur in the answers, the most frequent first.
        scatter: Standard deviation of the hidden states.
        num_shared: Tokens that all sequences begin with: what the chat template says before the user does.
    """

    embeddings: torch.Tensor
    common: torch.Tensor
    scatter: float
    num_shared: int


def frozen(embeddings: torch.Tensor, sequences: Sequences) -> Frozen:
    """Take what the training needs of the target."""
    some = sequences.hidden[:: max(1, len(sequences.hidden) // 20000)]
    states = torch.from_numpy(some.copy()).view(torch.bfloat16).float()
    occurring, counts = np.unique(sequences.tokens, return_counts=True)
    common = torch.from_numpy(occurring[np.argsort(-counts, kind="stable")]).long()
    shortest = int(np.diff(sequences.starts).min())
    begin = sequences.tokens[sequences.starts[:-1, None] + np.arange(shortest)]
    num_shared = int((begin == begin[0]).all(0).cumprod().sum())
    return Frozen(embeddings.float(), common, float(states.std()), num_shared)


def train(
    head: Head,
    target: Frozen,
    sequences: Sequences,
    chosen: npt.NDArray[np.int64],
    recipe: Recipe,
    folder: Path,
    tell: Tell,
) -> None:
    """Train until the recipe's epochs are over; goes on from the last checkpoint in `folder`.

    Args:
        head: Changed in place.
        target: What it borrows.
        sequences: All of them.
        chosen: Those to train on.
        recipe: How.
        folder: For the checkpoint.
        tell: Called after each step with the step, how many there are, and how it goes.
    """
    plan = [list(batches(sequences, chosen, recipe.batch_tokens, np.random.default_rng(recipe.seed + epoch)))
            for epoch in range(recipe.epochs)]  # fmt: skip
    steps = [batch for epoch in plan for batch in epoch]
    optimiser = torch.optim.AdamW(head.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.95), weight_decay=0.01)
    checkpoint = folder / "checkpoint.pt"
    made_from = _made_from(recipe, sequences, chosen)
    began = _resume(checkpoint, head, optimiser, made_from)
    smooth: list[float] = []
    for number in range(began, len(steps)):
        rng = torch.Generator().manual_seed(recipe.seed * 1_000_003 + number)
        for group in optimiser.param_groups:
            group["lr"] = recipe.learning_rate * _schedule(number, len(steps))
        loss, right = _loss(head, target, sequences, steps[number], recipe, rng)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimiser.step()
        smooth = [*smooth[-49:], right]
        tell(number + 1, len(steps), f"loss {loss.item():.3f}, first drafts right {np.mean(smooth):.3f}")
        if (number + 1) % recipe.checkpoint_every == 0 or number + 1 == len(steps):
            _save(checkpoint, head, optimiser, made_from, number + 1)


def _schedule(number: int, total: int) -> float:
    """Share of the learning rate: a short rise, then a cosine down to a twentieth."""
    rise = max(1, min(200, total // 20))
    if number < rise:
        return (number + 1) / rise
    return 0.05 + 0.95 * (1 + math.cos(math.pi * (number - rise) / max(1, total - rise))) / 2


def _made_from(recipe: Recipe, sequences: Sequences, chosen: npt.NDArray[np.int64]) -> str:
    """By which a checkpoint knows its recipe and its data."""
    parts = (repr(asdict(recipe)).encode(), sequences.tokens.tobytes(), sequences.starts.tobytes(), chosen.tobytes())
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _resume(path: Path, head: Head, optimiser: torch.optim.Optimizer, made_from: str) -> int:
    """The step to go on with; 0 if there is no checkpoint, or it is of another recipe or of other data."""
    if not path.exists():
        return 0
    found: dict[str, Any] = torch.load(path, weights_only=True)
    if found.get("made_from") != made_from:
        return 0
    head.load_state_dict(found["head"])
    optimiser.load_state_dict(found["optimiser"])
    return int(found["step"])


def _save(path: Path, head: Head, optimiser: torch.optim.Optimizer, made_from: str, step: int) -> None:
    temporary = path.with_suffix(".tmp")
    torch.save(
        {"head": head.state_dict(), "optimiser": optimiser.state_dict(), "made_from": made_from, "step": step},
        temporary,
    )
    os.replace(temporary, path)


@dataclass(frozen=True)
class _Batch:
    """Sequences side by side, shorter ones filled up.

    Attributes:
        tokens: Shape: (batch, length).
        hidden: Shape: (batch, length, width).
        first: Index in each text of the first token that is asked for. Shape: (batch,).
        lengths: Shape: (batch,).
    """

    tokens: torch.Tensor
    hidden: torch.Tensor
    first: torch.Tensor
    lengths: torch.Tensor

    def asked(self, step: int) -> torch.Tensor:
        """Where a chain's draft `step` has a token of the text to be right about. Shape: (batch, length - step)."""
        i = torch.arange(self.tokens.shape[1] - step)[None]
        # A chain starts at the token before the text, with the text's first token known; its draft `step` is for the
        # token that stands step + 1 further on.
        return (i >= self.first[:, None] - 1) & (i + step + 1 < self.lengths[:, None])


def _batch(sequences: Sequences, chosen: npt.NDArray[np.int64], first: npt.NDArray[np.int64]) -> _Batch:
    """Sequences by index, and for each the index in it of the first token that is asked for."""
    starts, ends = sequences.starts[chosen], sequences.starts[chosen + 1]
    length = int((ends - starts).max())
    tokens = np.zeros((len(chosen), length), dtype=np.int64)
    hidden = np.zeros((len(chosen), length, sequences.hidden.shape[1]), dtype=np.uint16)
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        tokens[row, : end - start] = sequences.tokens[start:end]
        hidden[row, : end - start] = sequences.hidden[start:end]
    states = torch.from_numpy(hidden).view(torch.bfloat16).float()
    return _Batch(torch.from_numpy(tokens), states, torch.from_numpy(first), torch.from_numpy(ends - starts))


def _loss(
    head: Head,
    target: Frozen,
    sequences: Sequences,
    chosen: npt.NDArray[np.int64],
    recipe: Recipe,
    rng: torch.Generator,
) -> tuple[torch.Tensor, float]:
    """Loss of a batch, and the share of first drafts that are right among the tokens that stand in its softmax.

    What the user says is learned from too: there the target's likeliest token need not be the one that follows.
    """
    batch = _batch(sequences, chosen, np.full(len(chosen), target.num_shared))
    noise = torch.randn(batch.hidden.shape, generator=rng) * (recipe.noise * target.scatter)
    vocabulary = _vocabulary(batch, target, recipe, rng)
    output = target.embeddings[vocabulary]
    # What the target itself would say after each token: drafts that stand for the same token share it.
    heard = functional.pad(batch.asked(1), (1, 0))
    taught = functional.linear(batch.hidden[heard], output).softmax(-1)
    likeliest = taught.argmax(-1)
    row = heard.flatten().cumsum(0).view(heard.shape) - 1

    total, right = torch.zeros(()), 0.0
    outputs = head(target.embeddings[batch.tokens], batch.hidden + noise, recipe.num_steps)
    for step, (made, weight) in enumerate(zip(outputs, recipe.step_weights, strict=True), start=1):
        where = batch.asked(step)
        states, truth = made[where], batch.hidden[:, step:][where]
        of = row[:, step:][where]
        logits = functional.linear(states, output)
        said = logits.log_softmax(-1)
        hard = functional.nll_loss(said, likeliest[of])
        soft = -(taught[of] * said).sum(-1).mean()
        distance = functional.smooth_l1_loss(states / target.scatter, truth / target.scatter)
        total = total + weight * (recipe.hard * hard + (1 - recipe.hard) * soft + recipe.regression * distance)
        if step == 1:
            right = float((logits.argmax(-1) == likeliest[of]).float().mean())
    return total / sum(recipe.step_weights), right


def _vocabulary(batch: _Batch, target: Frozen, recipe: Recipe, rng: torch.Generator) -> torch.Tensor:
    others = torch.randint(len(target.embeddings), (recipe.negatives,), generator=rng)
    return torch.unique(torch.cat([target.common[: recipe.frequent], batch.tokens.flatten(), others]))


@torch.inference_mode()
def evaluate(
    head: Head, target: Frozen, sequences: Sequences, chosen: npt.NDArray[np.int64], depth: int
) -> Sequence[float]:
    """Share of chains whose drafts are right up to each position, over the whole vocabulary.

    Args:
        head: The head.
        target: What it borrows.
        sequences: All of them.
        chosen: Those to look at.
        depth: Positions.

    Returns:
        Unconditional acceptance at positions 0 to depth - 1, over the chains that have that many tokens to come.
    """
    right, asked = np.zeros(depth), np.zeros(depth)
    for one in batches(sequences, chosen, 4096, np.random.default_rng(0)):
        batch = _batch(sequences, one, sequences.answers[one] - sequences.starts[one])
        outputs = head(target.embeddings[batch.tokens], batch.hidden, depth)
        so_far = torch.ones(batch.tokens.shape, dtype=torch.bool)
        for step, made in enumerate(outputs, start=1):
            where = batch.asked(step)
            drafted = torch.zeros(where.shape, dtype=torch.long)
            drafted[where] = functional.linear(made[where], target.embeddings).argmax(-1)
            wanted = functional.pad(batch.tokens[:, step + 1 :], (0, 1), value=-1)
            so_far = so_far[:, : where.shape[1]] & (drafted == wanted)
            right[step - 1] += int((so_far & where).sum())
            asked[step - 1] += int(where.sum())
    return [float(one) for one in right / np.maximum(asked, 1)]
