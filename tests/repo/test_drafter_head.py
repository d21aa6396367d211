"""The making of the drafter head: its prompts, its layer, and a training that is cut and goes on."""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors import safe_open
from transformers import LlamaConfig, LlamaForCausalLM

from specwiki.edges.model_cache import checked_model

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "experiments" / "drafter_head"
CONFIG = {
    "hidden_size": 32, "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 16, "rms_norm_eps": 1e-5,
    "rope_parameters": {"rope_theta": 1e4}, "intermediate_size": 48,
}  # fmt: skip
VOCABULARY = 40


@pytest.fixture(scope="module")
def maker():
    """The modules beside the script, as it imports them."""
    names = ("answers", "card", "head", "questions", "target", "training")
    sys.path.insert(0, str(FOLDER))
    try:
        yield {name: __import__(name) for name in names}
    finally:
        sys.path.remove(str(FOLDER))
        for name in names:
            sys.modules.pop(name, None)


def words(text):
    return re.findall(r"\w+", text.lower())


def test_questions_are_many_different_and_the_same_each_time(maker):
    """Of every kind, as many as its share; about a text only where one is given."""
    draw = maker["questions"].draw
    drawn = draw(2000, 1)

    assert drawn == draw(2000, 1)
    assert len({one.text for one in drawn}) == len(drawn)
    assert len(drawn) > 1900
    assert {one.kind for one in drawn} == {"explaining", "essays", "chat", "code", "lists"}
    assert not any(re.search(r"\{\w+\}", one.text) for one in drawn)
    about = draw(50, 1, {"passage": ("A text.", "Another text."), "snippet": ("a = 1", "b = 2")})
    assert {one.kind for one in about} == {"passages", "snippets"}
    assert not any(re.search(r"\{\w+\}", one.text) for one in about)


def test_no_question_is_measured(maker):
    """None shares eight words in a row with a prompt of a set that is measured."""
    measured = set()
    for path in (ROOT / "data" / "prompts").glob("*.toml"):
        for prompt in tomllib.loads(path.read_text(encoding="utf-8"))["prompts"]:
            text = words(prompt["text"])
            measured |= {tuple(text[i : i + 8]) for i in range(max(1, len(text) - 7))}
    script = (FOLDER / "make_head.py").read_text(encoding="utf-8")
    number, seed = (int(re.search(rf"^{name} = (\d+)$", script, re.MULTILINE)[1]) for name in ("QUESTIONS", "SEED"))
    draw = maker["questions"].draw
    about = draw(1000, seed, {"passage": tuple(map(str, range(60))), "snippet": tuple(map(str, range(60)))})
    for one in [*draw(number, seed), *about]:
        text = words(one.text)
        assert not {tuple(text[i : i + 8]) for i in range(max(1, len(text) - 7))} & measured, one.text


def test_what_a_measured_prompt_says_is_dropped(maker):
    """Eight words in a row; seven may be."""
    measured = ["Say the first nine words of this short text, please."]
    texts = ["He said: the first nine words of this short text!", "The first nine words of this short one.", "Else."]
    assert maker["questions"].unmeasured(texts, measured) == texts[1:]


class Answers:
    """A tokenizer whose one answer is a text of its own."""

    def __init__(self, text):
        self.text = text

    def decode(self, _tokens, **_):
        """The text, whatever the tokens."""
        return self.text


@pytest.mark.parametrize(("text", "found"), [
    ("Here:\n```python\na = 1\nb = 2\nc = 3\n```\nThat is it.", ("a = 1\nb = 2\nc = 3",)),
    ("Here:\n```\na = 1\nb = 2\nc = 3\nd = (", ("a = 1\nb = 2\nc = 3",)),
    ("Here:\n```\na = 1\n```", ()),
    ("No code.\nAt all.\nIn four.\nLines.", ()),
    ("```", ()),
])  # fmt: skip
def test_snippets_are_whole_lines_of_the_first_block(maker, text, found):
    """Of a block that is cut, the last line is left out; a short one is no code to work on; each once."""
    tokens, starts = np.zeros(4, np.int32), np.array([0, 2, 4])
    sequences = maker["answers"].Sequences(tokens, np.zeros((4, 1), np.uint16), starts, starts[:-1])
    assert maker["answers"].snippets(sequences, Answers(text), 10) == found


class Words:
    """A tokenizer of forty words, the third of which ends a text."""

    eos_token_id = 2

    def apply_chat_template(self, messages, **_):
        """The user's words between two marks."""
        return f"w0 w1 {messages[0]['content']} w2"

    def __call__(self, text):
        """Words that it knows."""
        return SimpleNamespace(input_ids=[int(one[1:]) for one in text.split()])

    def decode(self, tokens):
        """The words again."""
        return " ".join(f"w{token}" for token in tokens)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Folder of a small model with random weights."""
    folder = tmp_path_factory.mktemp("small")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, initializer_range=0.3,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("prompts", [[[5, 9, 30], [7], [12, 12, 3, 8, 21, 17]], [[5, 9, 30, 11], [8, 21, 12, 17]]])
def test_many_texts_at_once_are_what_each_is_alone(maker, small, prompts):
    """Prompts of different lengths and of one, against the library's own attention on one at a time."""
    write = maker["target"].write
    texts, hidden = write(maker["target"].load(small), prompts, 2, 12)
    library = LlamaForCausalLM.from_pretrained(small, dtype=torch.float32).eval()

    for prompt, text, states in zip(prompts, texts, hidden, strict=True):
        (alone,), (expected,) = write(library, [prompt], 2, 12)
        assert text == alone
        assert states.shape == (len(prompt) + len(text) - 1, 32)
        torch.testing.assert_close(states, expected, atol=1e-4, rtol=1e-4)


def test_the_targets_own_questions_are_whole_different_and_not_measured(maker, small, tmp_path):
    """Cut after the first batch, the rest is written and the first is kept; the same seed writes the same."""
    ask, model = maker["questions"].ask, maker["target"].load(small)
    told = []

    def tell(done, total):
        told.append((done, total))
        if stop and done == maker["questions"].BATCH:
            raise KeyboardInterrupt

    stop = True
    with pytest.raises(KeyboardInterrupt):
        ask(model, Words(), 160, 1, [], tmp_path / "a", tell)
    stop = False
    asked = ask(model, Words(), 160, 1, [], tmp_path / "a", tell)
    assert told == [(0, 160), (128, 160), (128, 160), (160, 160)]
    assert asked == ask(model, Words(), 160, 1, [], tmp_path / "b", tell)
    assert len(set(asked)) == len(asked)
    assert 100 < len(asked) < 160
    assert not any("w2 " in f"{text} " for text in asked)
    long = next(text for text in asked if len(text.split()) > 20)
    inside = " ".join(long.split()[3:14])
    left = ask(model, Words(), 160, 1, [f"Before. {inside} after"], tmp_path / "a", tell)
    assert long not in left
    assert len(left) < len(asked)
    assert set(left) < set(asked)


def texts(maker, number=160, length=24, following=True):
    """Sequences whose next token follows from the last one, or from none; the hidden state tells what would follow."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, VOCABULARY, VOCABULARY)
    tokens = rng.integers(0, VOCABULARY, (number, length)).astype(np.int32)
    for i in range(1, length if following else 0):
        tokens[:, i] = table[tokens[:, i - 1]]
    embeddings = torch.randn(VOCABULARY, 32, generator=torch.Generator().manual_seed(0))
    hidden = embeddings[torch.from_numpy(table[tokens]).long()].to(torch.bfloat16).view(torch.uint16).numpy()
    starts = np.arange(number + 1) * length
    answers = starts[:-1] + (4 if following else length - 1)
    sequences = maker["answers"].Sequences(tokens.ravel(), hidden.reshape(-1, 32), starts, answers)
    return sequences, maker["training"].frozen(embeddings, sequences)


def trained(maker, folder, epochs=24, stop=None, following=True):
    sequences, target = texts(maker, following=following)
    torch.manual_seed(0)
    head = maker["head"].Head(CONFIG)
    recipe = maker["training"].Recipe(
        epochs=epochs, batch_tokens=240, learning_rate=3e-3, negatives=8, checkpoint_every=5
    )
    told = []

    def tell(step, *_):
        told.append(step)
        if step == stop:
            raise KeyboardInterrupt

    chosen = np.arange(len(sequences))
    try:
        maker["training"].train(head, target, sequences, chosen, recipe, folder, tell)
    except KeyboardInterrupt:
        assert stop is not None
    right = maker["training"].evaluate(head, target, texts(maker)[0], chosen, 3)
    return head, right, told


def test_what_can_be_learned_is_learned(maker, tmp_path):
    """Before, the head repeats the hidden state, and is wrong; after it, chains of three drafts are mostly right."""
    sequences, target = texts(maker)
    before = maker["training"].evaluate(maker["head"].Head(CONFIG), target, sequences, np.arange(len(sequences)), 3)
    _, right, _ = trained(maker, tmp_path)

    assert before[0] < 0.4
    assert right[0] > 0.8
    assert right == sorted(right, reverse=True)


def test_what_the_user_says_is_learned_from_too(maker, tmp_path):
    """From texts that go on otherwise than the target would, what the target would have said."""
    _, right, _ = trained(maker, tmp_path, following=False)

    assert right[0] > 0.8


def test_what_all_texts_begin_with_is_not_learned_from(maker, tmp_path):
    """Up to the first token in which two of them differ; it is learned if none of it is held to be shared."""
    answers, training = maker["answers"], maker["training"]
    sequences, _ = texts(maker)
    embeddings = torch.randn(VOCABULARY, 32, generator=torch.Generator().manual_seed(0))
    tokens, hidden = sequences.tokens.reshape(-1, 24), sequences.hidden.reshape(-1, 24, 32)
    tokens[:, :16] = np.arange(8, 24)
    hidden[:, :16] = embeddings[9:25].to(torch.bfloat16).view(torch.uint16).numpy()
    tokens[:2, 16], hidden[:, 16:] = [3, 4], 0
    target = training.frozen(embeddings, sequences)
    assert target.num_shared == 16
    shared = answers.Sequences(
        tokens[:, :16].ravel(), hidden[:, :16].reshape(-1, 32), np.arange(161) * 16, np.arange(160) * 16 + 4
    )

    def learned(known, folder):
        torch.manual_seed(0)
        head = maker["head"].Head(CONFIG)
        recipe = training.Recipe(epochs=12, batch_tokens=240, learning_rate=3e-3, negatives=8)
        folder.mkdir()
        training.train(head, known, sequences, np.arange(160), recipe, folder, lambda *_: None)
        return training.evaluate(head, known, shared, np.arange(160), 1)[0]

    assert learned(target, tmp_path / "a") < 0.4
    assert learned(replace(target, num_shared=0), tmp_path / "b") > 0.8


def test_a_training_that_is_cut_goes_on(maker, tmp_path):
    """With the same result as one that was not."""
    for name in "ab":
        (tmp_path / name).mkdir()
    whole, _, told = trained(maker, tmp_path / "a", epochs=2)
    trained(maker, tmp_path / "b", epochs=2, stop=7)
    again, _, later = trained(maker, tmp_path / "b", epochs=2)

    assert later[0] == 6
    assert later[-1] == told[-1]
    for name, weight in whole.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], weight)


def test_a_checkpoint_of_other_data_is_left(maker, tmp_path):
    """Also where a training on it takes as many steps."""
    trained(maker, tmp_path, epochs=2, stop=7, following=False)
    _, _, told = trained(maker, tmp_path, epochs=2)

    assert told[0] == 1


def test_a_chain_is_what_the_engine_would_compute(maker):
    """Draft by draft with a growing text, each step's row equals that of the whole chain at once."""
    head = maker["head"].Head(CONFIG)
    with torch.no_grad():
        for weight in head.parameters():
            weight.copy_(torch.randn(weight.shape, generator=torch.Generator().manual_seed(1)) * 0.2)
    generator = torch.Generator().manual_seed(2)
    embeddings, hidden = torch.randn(1, 9, 32, generator=generator), torch.randn(1, 9, 32, generator=generator)
    with torch.no_grad():
        whole = head(embeddings, hidden, 3)
        for start in range(2, 6):
            # The chain that starts at `start` sees nothing of the hidden states behind it.
            blind = hidden.clone()
            blind[:, start + 1 :] = 99.0
            for made, other in zip(whole, head(embeddings, blind, 3), strict=True):
                torch.testing.assert_close(other[:, start], made[:, start])


def test_files_are_those_that_vllm_reads(maker, tmp_path):
    """Saved and loaded again, in bfloat16, under vLLM's names."""
    head = maker["head"].Head(CONFIG)
    maker["head"].save(head, {**CONFIG, "architectures": ["X"], "num_hidden_layers": 30}, tmp_path)
    with safe_open(tmp_path / "model.safetensors", framework="pt") as file:
        names = list(file.keys())
        assert "layers.0.self_attn.q_proj.weight" in names
        assert not any("embed" in name or "lm_head" in name for name in names)
    again = maker["head"].load(tmp_path)
    for name, weight in head.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], weight.to(torch.bfloat16).float())


def test_the_card_says_what_it_was_made_from(maker):
    """Data, recipe, hash, and a column for each position."""
    facts = maker["card"].Facts(12000, 1_050_000, 3, 3, "model.safetensors", 8_400_000, "ab" * 32, 370, [0.5, 0.25])
    text = maker["card"].card(facts)

    for said in (
        "license: apache-2.0",
        "12000 answers",
        "1050000 tokens",
        "3 epochs",
        "8.4 MB",
        "ab" * 32,
        "370 answers",
    ):
        assert said in text
    assert "| Right | 0.500 | 0.250 |" in text
    assert "| Position | 0 | 1 |" in text


def test_the_published_head_is_whole(maker):
    """Its files are those of its manifest, small enough for a repository, and those that its card tells of."""
    folder = checked_model(FOLDER / "head")
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 10e6
    weights = (folder / "model.safetensors").read_bytes()
    said = (folder / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(weights).hexdigest() in said
    assert "license: apache-2.0" in said
    right = [float(one) for one in re.search(r"^\| Right \| (.+) \|$", said, re.MULTILINE)[1].split(" | ")]
    assert right == sorted(right, reverse=True)
    assert all(0 < one < 1 for one in right)
    maker["head"].load(folder)
