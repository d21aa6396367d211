"""Make the EAGLE head for the embedded target: its answers, the training, the files, and how often it is right.

Run from the project's folder, after `make engine`: `.venv/bin/python experiments/drafter_head/make_head.py`. It takes a
few hours on two cores; cut short, it goes on where it was. Answers and checkpoints lie in specwiki's cache folder, some
four gigabytes; the head is written beside this file, into `head/`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from answers import Sequences, passages, read_shards, snippets, write_shards
from head import WEIGHTS, Head, save
from card import Facts, card
from questions import ask, draw, unmeasured
from target import load
from training import Recipe, evaluate, frozen, train
from transformers import AutoTokenizer

from specwiki.core.model import MAX_DEPTH, PromptSet, parse
from specwiki.edges.model_cache import cache_folder, embedded_model, write_manifest
from specwiki.edges.store import read_toml

HERE = Path(__file__).parent
QUESTIONS = 11500
"""Prompts from patterns, those about a text aside."""
OWN_QUESTIONS = 10000
"""Prompts that the target makes up."""
ABOUT_TEXTS = 6000
PASSAGES = 4000
SNIPPETS = 1000
SEED = 20261130
CARD = "README.md"
HELD_OUT = 0.03
"""Share of the answers that the head is judged by, and never sees."""


class Progress:
    """How far a stage is, in one line that changes on a terminal, and elsewhere in one line a minute."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.began: float | None = None
        self.at_first = 0
        self.told = 0.0

    def __call__(self, done: int, total: int, how: str = "") -> None:
        now = time.monotonic()
        if self.began is None:
            self.began, self.at_first = now, done
        if now - self.told < (1 if sys.stdout.isatty() else 60) and done < total:
            return
        self.told = now
        fresh = done - self.at_first
        left = f", {(now - self.began) / fresh * (total - done) / 60:.0f} min left" if fresh else ""
        line = f"{self.what}: {done} of {total}{left}{', ' if how else ''}{how}"
        print(f"\r\033[K{line}" if sys.stdout.isatty() else line, end="" if sys.stdout.isatty() else "\n", flush=True)


def main() -> None:
    """All stages, each only as far as it is not done yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=cache_folder() / "drafter_head", help="answers and checkpoints")
    parser.add_argument("--out", type=Path, default=HERE / "head", help="where the head is written")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="prompts from patterns")
    parser.add_argument("--own-questions", type=int, default=OWN_QUESTIONS, help="prompts that the target makes up")
    parser.add_argument("--epochs", type=int, default=Recipe.epochs, help="how often each answer is seen")
    asked = parser.parse_args()
    folder = embedded_model(cache_folder())
    model = load(folder)
    questions = [one.text for one in draw(asked.questions, SEED)]
    # Named after the questions, so that other ones never find these answers.
    work = asked.work / digest([questions, asked.own_questions])
    sequences = answers(model, AutoTokenizer.from_pretrained(folder), questions, asked, work)
    print(f"\n{len(sequences)} answers, {sequences.num_answer_tokens} tokens of the target's own", flush=True)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    target = frozen(model.get_input_embeddings().weight.detach(), sequences)
    del model
    held_out, seen = split(len(sequences))
    recipe = Recipe(epochs=asked.epochs)
    torch.manual_seed(SEED)
    head = Head(config)
    train(head, target, sequences, seen, recipe, work, Progress("training"))
    right = evaluate(head, target, sequences, held_out, MAX_DEPTH)
    print("\nheld-out acceptance by position: " + " ".join(f"{one:.3f}" for one in right))
    (asked.out / CARD).unlink(missing_ok=True)
    save(head, config, asked.out)
    # The card is not among the files of the manifest: a word in it changes no measurement.
    write_manifest(asked.out)
    weights = (asked.out / WEIGHTS).read_bytes()
    told = Facts(
        len(seen), sum(sequences.num_tokens_of(i) for i in seen), recipe.epochs, recipe.num_steps, WEIGHTS, len(weights),
        hashlib.sha256(weights).hexdigest(), len(held_out), right,
    )  # fmt: skip
    (asked.out / CARD).write_text(card(told), encoding="utf-8")
    print(f"wrote {asked.out} ({len(weights) / 1e6:.1f} MB)")


def answers(model: Any, tokenizer: Any, questions: list[str], asked: argparse.Namespace, work: Path) -> Sequences:
    """The target's answers: to questions from patterns, to questions about texts and code in these answers, to its own."""
    first = write_shards(model, tokenizer, questions, work, Progress("answers"), "answers")
    about = about_texts(first, tokenizer, asked.questions * ABOUT_TEXTS // QUESTIONS)
    second = write_shards(model, tokenizer, about, work, Progress("answers about texts"), f"about-{digest(about)}")
    own = ask(model, tokenizer, asked.own_questions, SEED, measured(), work, Progress("its own questions"))
    third = write_shards(model, tokenizer, own, work, Progress("answers to its own questions"), "own")
    return read_shards([*first, *second, *third])


def about_texts(shards: list[Path], tokenizer: Any, number: int) -> list[str]:
    """Questions about texts and code that stand in earlier answers; none says what a measured prompt says."""
    earlier = read_shards(shards)
    texts = {"passage": passages(earlier, tokenizer, PASSAGES), "snippet": snippets(earlier, tokenizer, SNIPPETS)}
    return unmeasured([one.text for one in draw(number, SEED + 1, texts)], measured())


def digest(texts: list[Any]) -> str:
    """By which what was made from these texts is known again."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:12]


def measured() -> list[str]:
    """Texts of all prompts of the project's prompt sets."""
    files = sorted((HERE.parents[1] / "data" / "prompts").glob("*.toml"))
    return [prompt.text for path in files for prompt in parse(PromptSet, read_toml(path), where=path.name).prompts]


def split(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices that are held out, and the others."""
    order = np.random.default_rng(SEED).permutation(number)
    cut = max(1, round(number * HELD_OUT))
    return np.sort(order[:cut]), np.sort(order[cut:])


if __name__ == "__main__":
    main()
