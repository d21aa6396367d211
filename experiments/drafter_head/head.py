"""An EAGLE head in the form in which it is trained, and as the files that vLLM reads.

The layer follows vLLM 0.32, `model_executor/models/llama_eagle.py`: the embedding of the next token and the target's
hidden state are fused, one decoder layer without its first norm follows, and its output stands for the target's next
hidden state, from which the target's own output layer makes the draft token.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

WEIGHTS = "model.safetensors"
CONFIG = "config.json"


class Head(nn.Module):
    """The trained part of the drafter; embedding and output layer are the target's.

    It starts as "pass the hidden state through": the fusion takes it as it is, attention and feed-forward add nothing.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.width, self.num_heads = config["hidden_size"], config["num_attention_heads"]
        self.num_key_heads, self.head_dim = config["num_key_value_heads"], config["head_dim"]
        self.theta, self.eps = config["rope_parameters"]["rope_theta"], config["rms_norm_eps"]
        inner = config["intermediate_size"]
        self.fc = nn.Linear(2 * self.width, self.width, bias=False)
        self.q_proj = nn.Linear(self.width, self.num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(self.width, self.num_key_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(self.width, self.num_key_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.num_heads * self.head_dim, self.width, bias=False)
        self.norm = nn.Parameter(torch.ones(self.width))
        self.gate_proj = nn.Linear(self.width, inner, bias=False)
        self.up_proj = nn.Linear(self.width, inner, bias=False)
        self.down_proj = nn.Linear(inner, self.width, bias=False)
        for linear in (self.q_proj, self.k_proj, self.v_proj, self.gate_proj, self.up_proj):
            nn.init.normal_(linear.weight, std=0.02)
        for linear in (self.o_proj, self.down_proj):
            nn.init.zeros_(linear.weight)
        with torch.no_grad():
            self.fc.weight.zero_()
            self.fc.weight[:, self.width :].copy_(torch.eye(self.width))

    def forward(self, embeddings: torch.Tensor, hidden: torch.Tensor, num_steps: int) -> list[torch.Tensor]:
        """Outputs of a chain of drafts that starts at every position, as the engine makes them.

        The first step sees the target's hidden states; each later one the output of the step before it, with the next
        token that the target really wrote, and attends to the first step's keys up to where its chain started, and to
        its own chain's.

        Args:
            embeddings: Of all tokens. Shape: (batch, length, width).
            hidden: Of the target, at the same tokens. Shape: (batch, length, width).
            num_steps: Drafts in a chain, at least 1.

        Returns:
            One tensor a step. Shape: (batch, length - step, width); row i of step s stands for the target's hidden
            state at token i + s, which predicts token i + s + 1.
        """
        keys: list[torch.Tensor] = []
        values: list[torch.Tensor] = []
        outputs: list[torch.Tensor] = []
        state = hidden
        for step in range(1, num_steps + 1):
            length = embeddings.shape[1] - step
            fused = self.fc(torch.cat([embeddings[:, step : step + length], state[:, :length]], -1))
            query, key, value = self._heads(fused, step - 1)
            keys, values = (
                [one[:, :, :length] for one in [*keys, key]],
                [one[:, :, :length] for one in [*values, value]],
            )
            mixed = self._attend(query, keys, values)
            residual = fused + self.o_proj(mixed.transpose(1, 2).flatten(2))
            normed = functional.rms_norm(residual.float(), (self.width,), self.norm, self.eps)
            state = residual + self.down_proj(functional.silu(self.gate_proj(normed)) * self.up_proj(normed))
            outputs.append(state)
        return outputs

    def _heads(self, fused: torch.Tensor, offset: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Query, key and value by head, at positions that start at `offset`. Shape: (batch, heads, length, head_dim)."""
        batch, length, _ = fused.shape

        def split(projected: torch.Tensor, heads: int) -> torch.Tensor:
            return projected.view(batch, length, heads, self.head_dim).transpose(1, 2)

        repeated = self.num_heads // self.num_key_heads
        query = self._turned(split(self.q_proj(fused), self.num_heads), offset)
        key = self._turned(split(self.k_proj(fused), self.num_key_heads), offset).repeat_interleave(repeated, 1)
        value = split(self.v_proj(fused), self.num_key_heads).repeat_interleave(repeated, 1)
        return query, key, value

    def _turned(self, heads: torch.Tensor, offset: int) -> torch.Tensor:
        """Rotary position embedding, halves paired as in Llama."""
        half = self.head_dim // 2
        frequencies = self.theta ** (-torch.arange(half, dtype=torch.float32) / half)
        angles = (torch.arange(heads.shape[2], dtype=torch.float32) + offset)[:, None] * frequencies
        cosine, sine = angles.cos().to(heads.dtype), angles.sin().to(heads.dtype)
        first, second = heads[..., :half], heads[..., half:]
        return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)

    def _attend(self, query: torch.Tensor, keys: list[torch.Tensor], values: list[torch.Tensor]) -> torch.Tensor:
        """Each chain over the first step's keys up to its start, and over its own."""
        scale = self.head_dim**-0.5
        length = query.shape[2]
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        scores = (query @ keys[0].transpose(2, 3) * scale).masked_fill(~causal, float("-inf"))
        own = [(query * key).sum(-1, keepdim=True) * scale for key in keys[1:]]
        weights = torch.cat([scores, *own], -1).float().softmax(-1).to(query.dtype)
        mixed = weights[..., :length] @ values[0]
        for i, value in enumerate(values[1:]):
            mixed = mixed + weights[..., length + i : length + i + 1] * value
        return mixed


_NAMES = {
    "fc.weight": "fc.weight",
    "q_proj.weight": "layers.0.self_attn.q_proj.weight",
    "k_proj.weight": "layers.0.self_attn.k_proj.weight",
    "v_proj.weight": "layers.0.self_attn.v_proj.weight",
    "o_proj.weight": "layers.0.self_attn.o_proj.weight",
    "norm": "layers.0.post_attention_layernorm.weight",
    "gate_proj.weight": "layers.0.mlp.gate_proj.weight",
    "up_proj.weight": "layers.0.mlp.up_proj.weight",
    "down_proj.weight": "layers.0.mlp.down_proj.weight",
}
"""Name of a weight in `Head` → its name in vLLM's file."""


def save(head: Head, config: dict[str, Any], folder: Path) -> None:
    """Write the files that vLLM reads, weights in bfloat16; the target's config, cut to one layer, describes it."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = head.state_dict()
    save_file({new: weights[old].to(torch.bfloat16).contiguous() for old, new in _NAMES.items()}, folder / WEIGHTS)
    described = {**config, "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 1, "tie_word_embeddings": False}
    described.pop("_model_name_or_path", None)
    (folder / CONFIG).write_text(json.dumps(described, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def load(folder: Path) -> Head:
    """What `save` wrote, as it is trained."""
    head = Head(json.loads((folder / CONFIG).read_text(encoding="utf-8")))
    weights = load_file(folder / WEIGHTS)
    head.load_state_dict({old: weights[new].float() for old, new in _NAMES.items()})
    return head
