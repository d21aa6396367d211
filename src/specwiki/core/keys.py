"""Names of values: which keys exist at all, and what a key that does not exist was probably meant to be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

_LOAD = r"c[1-9]\d*"
DRAFTERS = ("ngram", "eagle", "suffix", "suffix-memory", "cut", "target")
"""Arms of the embedded profile that pages name; a profile of somebody's own may have others."""
_ARM = rf"((off|d[0-8])(-twin)?|{'|'.join(DRAFTERS)})"
_STRATUM = r"[a-z][a-z-]*"

KEYS: dict[str, str] = {
    "output_tok_s": rf"{_LOAD}\.{_ARM}",
    "ratio": rf"{_LOAD}\.{_ARM}(\.{_STRATUM})?",
    "stream_tok_s": rf"{_LOAD}\.{_ARM}(\.{_STRATUM})?",
    "ttft_ms": rf"{_LOAD}\.{_ARM}",
    "tpot_ms": rf"{_LOAD}\.{_ARM}",
    "acceptance_rate": rf"{_LOAD}\.{_ARM}(\.{_STRATUM})?",
    "acceptance_length": rf"{_LOAD}\.{_ARM}(\.{_STRATUM})?",
    "tokens_per_step": rf"{_LOAD}\.{_ARM}(\.{_STRATUM})?",
    "coverage": rf"{_LOAD}\.{_ARM}(\.{_STRATUM})?",
    "position_acceptance": rf"{_LOAD}\.{_ARM}\.p[0-7]",
    "conditional_acceptance": rf"{_LOAD}\.{_ARM}\.p[1-7]",
    "geometric_a": rf"{_LOAD}\.{_ARM}",
    "cycle_ratio": rf"{_LOAD}\.{_ARM}",
    "rest": rf"{_LOAD}\.{_ARM}",
    "aa": _LOAD,
    "regret": _LOAD,
    "floor": _LOAD,
    "repeated_4grams": _STRATUM,
    "boots": "",
}
"""Metric → pattern of what follows it. Whether a run measured a key is another question: an effort has its depths."""

DESCRIPTIVE = {"repeated_4grams", "boots"}
"""Metrics that describe what was run, of which an interval would infer nothing."""

TABLES = ("current", "acceptance", "strata", "parts", "kinds", "drafters", "drafter-strata", "drafter-acceptance")
CHARTS = ("ratio", "position", "kinds-ratio", "kinds-acceptance_rate", "drafters-ratio", "drafters-acceptance_rate")
"""What pages may show; an effort may lack some of them."""


def is_key(key: str) -> bool:
    """Whether a result can have a value of this name."""
    metric, _, rest = key.partition(".")
    return metric in KEYS and re.fullmatch(KEYS[metric], rest) is not None


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for a message: `Did you mean 'x'?`, or what there is when nothing is near."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"Did you mean '{close[0]}'?"
    return f"There is: {', '.join(names[:12])}" if names else "There is none"


def nearest_key(key: str, present: Iterable[str]) -> str:
    """A hint for a key that cannot exist: the nearest one that a result has, else the metrics that there are."""
    names = list(present)
    return nearest(key, names or [metric + ("." if rest else "") for metric, rest in KEYS.items()])


def matching(pattern: str, present: Iterable[str]) -> list[str]:
    """Keys that a pattern with `*` and `[…]` names, sorted."""
    return sorted(key for key in present if fnmatchcase(key, pattern))
