"""What is wrong with a speculative config before anything is launched: as vLLM 0.32 reads it.

Source: vLLM 0.32, vllm/config/speculative.py, vllm/v1/spec_decode/dynamic/utils.py and the asserts of the drafters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeGuard

from specwiki.core.keys import nearest

FIXED_DEPTH_METHODS = ("suffix", "medusa", "ngram_gpu", "mlp_speculator")
"""Drafters that assert one fixed depth at run time: with a schedule they die at its first step at another depth."""
TESTED_DEPTH = 128
"""Deepest draft that vLLM's rejection tests cover."""
TRIPLE = 3

SCHEDULE = "num_speculative_tokens_per_batch_size"

KNOWN = (
    "attention_backend", "code_revision", "disable_eagle_block_drop", "disable_padded_drafter_batch",
    "draft_load_config", "draft_sample_method", "draft_tensor_parallel_size", "dspark_draft_topk",
    "enable_adaptive_verification", "enforce_eager", "index_share_for_mtp_iteration", "kv_cache_dtype", "max_model_len",
    "method", "model", "moe_backend", "num_speculative_tokens", "num_speculative_tokens_per_batch_size",
    "parallel_drafting", "prompt_lookup_max", "prompt_lookup_min", "quantization", "rejection_sample_method",
    "revision", "suffix_decoding_max_cached_requests", "suffix_decoding_max_spec_factor",
    "suffix_decoding_max_tree_depth", "suffix_decoding_min_token_prob", "synthetic_acceptance_length",
    "synthetic_acceptance_rates", "tensor_parallel_size", "use_heterogeneous_vocab", "use_local_argmax_reduction",
)  # fmt: skip
"""Keys that a user may set."""
RENAMED = {
    "adaptive_verification": "enable_adaptive_verification",
    "synthetic_acceptance_rate": "synthetic_acceptance_rates, a list, or synthetic_acceptance_length",
    "ngram_prompt_lookup_max": "prompt_lookup_max",
    "ngram_prompt_lookup_min": "prompt_lookup_min",
    "speculative_model": "model",
    "speculative_method": "method",
    "speculative_num_steps": "num_speculative_tokens",
    "speculative_num_draft_tokens": "num_speculative_tokens",
    "speculative_algorithm": "method",
    "speculative_draft_model_path": "model",
}
"""Keys of older versions, and of SGLang → what they are called now."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or that does not do what it seems to.

    Attributes:
        severity: `error`: vLLM refuses it, or dies of it later; `warning`: it is accepted and does something else.
        place: Key, with index where there is one.
        what: The fact, with the value and what was expected.
        hint: What to do.
    """

    severity: Literal["error", "warning"]
    place: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.what}. {self.hint}."


def lint_speculative_config(config: Mapping[str, Any]) -> list[Finding]:
    """Everything that can be found in the object of `--speculative-config` without launching it.

    Args:
        config: The parsed JSON object.

    Returns:
        Errors and warnings, in the order of the checks; empty if nothing was found.
    """
    return [
        *_keys(config),
        *_tree(config),
        *_depth(config),
        *_schedule(config),
        *_synthetic(config),
        *_lookup(config),
        *_without_effect(config),
    ]


def _keys(config: Mapping[str, Any]) -> list[Finding]:
    found = []
    for key in config:
        if key in RENAMED:
            found.append(Finding("error", key, "vLLM 0.32 does not know this key", f"Write {RENAMED[key]}"))
        elif key not in KNOWN:
            found.append(Finding("error", key, "vLLM 0.32 does not know this key", nearest(key, KNOWN).rstrip(".")))
    return found


def _tree(config: Mapping[str, Any]) -> list[Finding]:
    """Case C18: draft tokens of a tree are not those of a chain, and depth times steps is not what was drafted."""
    steps, drafted = config.get("speculative_num_steps"), config.get("speculative_num_draft_tokens")
    if not _is_int(steps) or not _is_int(drafted) or drafted == steps + 1:
        return []
    said = f"it is {drafted}, expected {steps + 1} for a chain of {steps} steps: it is a tree, of which one path counts"
    return [
        Finding("warning", "speculative_num_draft_tokens", said,
                "Divide accepted tokens by what was drafted as observed, and compare acceptance lengths")
    ]  # fmt: skip


def _depth(config: Mapping[str, Any]) -> list[Finding]:
    depth = config.get("num_speculative_tokens")
    if depth is None:
        return [Finding("error", "num_speculative_tokens", "it is missing, expected a whole number above 0", "Set it")]
    if not _is_int(depth) or depth <= 0:
        return [
            Finding("error", "num_speculative_tokens", f"it is {depth!r}, expected a whole number above 0",
                    "To switch speculation off, start the server without a speculative config")
        ]  # fmt: skip
    if depth > TESTED_DEPTH:
        said = f"it is {depth}; vLLM's own tests end at {TESTED_DEPTH}"
        return [Finding("warning", "num_speculative_tokens", said, "Set less")]
    return []


def _schedule(config: Mapping[str, Any]) -> list[Finding]:
    key = SCHEDULE
    schedule = config.get(key)
    if schedule is None:
        return []
    if isinstance(schedule, Mapping):
        return [Finding("error", key, "it is an object of ranges, the form before vLLM 0.32",
                        f"Write {_converted(schedule)}")]  # fmt: skip
    if not isinstance(schedule, list) or not schedule:
        return [Finding("error", key, f"it is {schedule!r}, expected a list of [first, last, depth]", "Write a list")]
    found = _entries(key, schedule)
    if not found:
        found = _ranges(key, sorted(schedule), config.get("num_speculative_tokens"))
    if config.get("method") in FIXED_DEPTH_METHODS:
        said = f"method '{config['method']}' asserts one fixed depth, and a schedule changes it"
        found.append(Finding("error", key, said, "Leave the schedule out"))
    return found


def _entries(key: str, schedule: list[Any]) -> list[Finding]:
    found = []
    for i, entry in enumerate(schedule):
        place = f"{key}[{i}]"
        if not isinstance(entry, list) or len(entry) != TRIPLE or not all(_is_int(one) for one in entry):
            found.append(
                Finding("error", place, f"it is {entry!r}, expected [first, last, depth], whole numbers", "Correct it")
            )
        elif not 1 <= entry[0] <= entry[1] or entry[2] < 0:
            said = f"it is {entry!r}, expected 1 <= first <= last and a depth of 0 or more"
            found.append(Finding("error", place, said, "Correct it"))
    return found


def _ranges(key: str, schedule: list[list[int]], depth: Any) -> list[Finding]:
    found = []
    if schedule[0][0] != 1:
        found.append(Finding("error", key, f"it starts at batch size {schedule[0][0]}, expected 1", "Start at 1"))
    for (_, last, before), (first, _, _) in pairwise(schedule):
        if first <= last:
            found.append(Finding("error", key, f"{first} is in two ranges, expected one", "Let ranges not overlap"))
        elif first > last + 1:
            said = f"batch sizes {last + 1} to {first - 1} are in no range: depth {before} is carried on"
            found.append(Finding("warning", key, said, "Name them if you mean another depth"))
    if _is_int(depth):
        found += [
            Finding(
                "warning",
                key,
                f"depth {entry[2]} is cut to num_speculative_tokens {depth}",
                "Raise it, or lower the tier",
            )
            for entry in schedule
            if entry[2] > depth
        ]
    return found


def _synthetic(config: Mapping[str, Any]) -> list[Finding]:
    rates = config.get("synthetic_acceptance_rates")
    length = config.get("synthetic_acceptance_length")
    if rates is None and length is None:
        return []
    found = []
    if config.get("rejection_sample_method") != "synthetic":
        said = "it is not 'synthetic', so forced acceptance does nothing"
        found.append(
            Finding("warning", "rejection_sample_method", said, "Set it to 'synthetic', or leave the rates out")
        )
    depth = config.get("num_speculative_tokens")
    if isinstance(rates, list):
        if _is_int(depth) and len(rates) != depth:
            said = f"{len(rates)} rates for depth {depth}, expected one a position"
            found.append(Finding("error", "synthetic_acceptance_rates", said, "Give as many"))
        if not all(_is_number(one) and 0 <= one <= 1 for one in rates):
            said = f"{rates}, expected fractions of 1"
            found.append(Finding("error", "synthetic_acceptance_rates", said, "Correct them"))
        elif any(one < other for one, other in pairwise(rates)):
            said = f"{rates} rise: they are unconditional, so none can be above the one before it"
            found.append(Finding("error", "synthetic_acceptance_rates", said, "Multiply conditional rates first"))
    if _is_number(length) and _is_int(depth) and not 1 <= length <= depth + 1:
        said = f"it is {length}, expected 1 to {depth + 1}, the bonus token included"
        found.append(Finding("error", "synthetic_acceptance_length", said, "Correct it"))
    return found


def _lookup(config: Mapping[str, Any]) -> list[Finding]:
    low, high = config.get("prompt_lookup_min"), config.get("prompt_lookup_max")
    if _is_int(low) and _is_int(high) and low > high:
        return [Finding("error", "prompt_lookup_min", f"it is {low}, above prompt_lookup_max {high}", "Lower it")]
    return []


def _without_effect(config: Mapping[str, Any]) -> list[Finding]:
    if "max_model_len" in config:
        said = "it is accepted and does not keep longer inputs from being drafted for (vLLM issue 52258)"
        return [Finding("warning", "max_model_len", said, "Check with the counters whether the drafter still runs")]
    return []


def _converted(schedule: Mapping[str, Any]) -> str:
    """The list form of an object like {"1-16": 3, "17-": 0}; open ends stay for the reader to close."""
    triples = []
    for span, depth in schedule.items():
        first, _, last = str(span).partition("-")
        triples.append(f"[{first}, {last or first}, {depth}]")
    return f"[{', '.join(triples)}]"


def _is_int(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
