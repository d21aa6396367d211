"""A file's content as a prompt set: its format, its rows, what is refused and why. Pure; no content crashes it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any, Literal, get_args

from specwiki.core.model import PromptSet, parse
from specwiki.core.prompt_log import is_log_line, read_vllm_log
from specwiki.core.prompt_rows import (
    Reading,
    Refused,
    RowError,
    Taken,
    load_json,
    numbered_lines,
    read_claude_code,
    read_openai_batch,
    read_sharegpt,
    shown,
)
from specwiki.errors import InputError

Format = Literal["sharegpt", "openai-batch", "claude-code", "vllm-log", "paragraphs", "lines"]
Kind = Literal["traffic", "written", "synthetic"]


def read_lines(text: str) -> Reading:
    """Plain text with one prompt a line; blank lines are no rows."""
    return Reading(tuple(Taken(number, line) for number, line in numbered_lines(text)))


def read_paragraphs(text: str) -> Reading:
    """Plain text with one prompt a paragraph: blank lines stand between them; rows are numbers of paragraphs."""
    found = re.split(r"\n(?:[ \t]*\n)+", text.replace("\r\n", "\n").strip())
    return Reading(tuple(Taken(number, part.strip()) for number, part in enumerate(found, 1) if part.strip()))


READERS: dict[Format, Callable[[str], Reading]] = {
    "sharegpt": read_sharegpt,
    "openai-batch": read_openai_batch,
    "claude-code": read_claude_code,
    "vllm-log": read_vllm_log,
    "paragraphs": read_paragraphs,
    "lines": read_lines,
}
EXPECTED = (
    "ShareGPT JSON, OpenAI batch JSONL, Claude Code session JSONL, a vLLM log with requests, or plain text that "
    "does not begin with '[', '{' or '<'"
)
MAX_CHARACTERS = 100_000
"""Of one prompt, unless the caller says otherwise; our choice: about 25 000 tokens of English."""
LOOKED_AT = 1000
"""Lines that the format is told from."""
SESSION_KEYS = {"sessionId", "uuid", "leafUuid", "messageId", "message"}
SURROGATE = re.compile("[\ud800-\udfff]")
NEAR = 20


@dataclass(frozen=True)
class Imported:
    """What a file gave: its rows are the taken and the refused ones together.

    Attributes:
        format: As it was told from the content, or given.
        taken: Rows that become prompts, in the file's order; no text occurs twice.
        refused: All others, each with its reason.
        passed_over: What the format has beside users' texts → how many lines; these are no rows.
    """

    format: Format
    taken: tuple[Taken, ...]
    refused: tuple[Refused, ...]
    passed_over: Mapping[str, int]

    @property
    def left_out(self) -> dict[str, int]:
        """What the prompts cannot hold of their conversations → how many of it."""
        total: Counter[str] = Counter()
        for one in self.taken:
            total.update(one.left_out)
        return {what: count for what, count in total.items() if count}

    @property
    def characters(self) -> tuple[int, int, int]:
        """Characters of the shortest, the median and the longest prompt; only when something was taken."""
        lengths = [len(one.text) for one in self.taken]
        return min(lengths), round(median(lengths)), max(lengths)


def read_prompts(
    content: bytes, *, where: str, wanted: Format | None = None, max_characters: int = MAX_CHARACTERS
) -> Imported:
    """Read every row of a file.

    Args:
        content: The whole file; UTF-8, with or without a byte order mark.
        where: Its name, for messages.
        wanted: Its format; None: told from the content.
        max_characters: Longest text that is taken; at least 1.

    Raises:
        InputError: If it is empty or binary, a JSON list is cut, or its format cannot be told. What is wrong with
            one row only refuses that row.
    """
    text = _decoded(content, where)
    try:
        chosen = wanted or detect(text)
        reading = READERS[chosen](text)
    except RowError as problem:
        raise InputError(
            where,
            f"{problem.place} is {problem.value}, expected {problem.expected}",
            f"Correct it, or say what it is with --format ({', '.join(get_args(Format))})",
        ) from problem
    rows = _checked(reading.rows, max_characters)
    taken = tuple(row for row in rows if isinstance(row, Taken))
    refused = tuple(row for row in rows if isinstance(row, Refused))
    passed_over = {what: count for what, count in reading.passed_over.items() if count}
    return Imported(chosen, taken, refused, passed_over)


def _decoded(content: bytes, where: str) -> str:
    """The text; a byte that is not UTF-8 becomes half of a surrogate pair, and later refuses its row alone."""
    nul = content.find(b"\0")
    if nul >= 0:
        raise InputError(
            where, f"byte {nul} is 0, expected text in UTF-8", "Convert it, as with 'iconv -f UTF-16 -t UTF-8'"
        )
    text = content.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
    if not text.strip():
        raise InputError(where, f"it is empty, expected {EXPECTED}", "Name a file with prompts")
    return text


def detect(text: str) -> Format:
    """Tell the format from the content.

    Raises:
        RowError: If it cannot be told.
    """
    start = text.lstrip()[:1]
    try:
        whole = load_json(text, "the file") if start in "[{" else None
    except RowError as failure:
        whole, problem = None, failure
    else:
        problem = RowError("the file", text.lstrip(), EXPECTED)
    if isinstance(whole, list):
        return "sharegpt"
    lines = [whole] if isinstance(whole, dict) else map(_entry, islice(_lines(text), LOOKED_AT))
    told = next((one for one in map(_format_of, lines) if one), None)
    if told:
        return told
    if any(is_log_line(line) for line in _lines(text)):
        return "vllm-log"
    if start == "[":
        raise problem
    if start in "{<":
        raise RowError("the file", text.lstrip(), EXPECTED)
    return "paragraphs" if re.search(r"\n[ \t\r]*\n", text.strip()) else "lines"


def _lines(text: str) -> Any:
    return (line for _, line in numbered_lines(text))


def _entry(line: str) -> Any:
    try:
        return load_json(line, "line") if line.startswith("{") else None
    except RowError:
        return None


def _format_of(entry: Any) -> Format | None:
    """Which format has an object with these keys."""
    if not isinstance(entry, dict):
        return None
    if "custom_id" in entry:
        return "openai-batch"
    if "conversations" in entry or "messages" in entry:
        return "sharegpt"
    if {"levelname", "message"} <= entry.keys():
        return "vllm-log"
    return "claude-code" if "type" in entry and SESSION_KEYS & entry.keys() else None


def _checked(rows: tuple[Taken | Refused, ...], max_characters: int) -> list[Taken | Refused]:
    """The same rows; those are refused whose text is no prompt, or stood in an earlier row."""
    seen: dict[str, int] = {}
    return [row if isinstance(row, Refused) else _check(row, seen, max_characters) for row in rows]


def _check(row: Taken, seen: dict[str, int], max_characters: int) -> Taken | Refused:
    def refuse(expected: str, value: str = "") -> Refused:
        return Refused(row.row, "the prompt", value or shown(row.text), expected)

    half = SURROGATE.search(row.text)
    if not row.text.strip():
        return refuse("text that is not blank")
    if half:
        near = row.text[max(0, half.start() - NEAR) : half.end() + NEAR]
        return refuse(f"Unicode in UTF-8: character {half.start() + 1} is not", shown(near))
    if len(row.text) > max_characters:
        return refuse(f"at most {max_characters} characters (--max-characters)", f"{len(row.text)} characters long")
    first = seen.setdefault(row.text, row.row)
    return row if first == row.row else refuse(f"another text: row {first} has the same")


def as_prompt_set(imported: Imported, name: str, kind: Kind, language: Literal["en", "vi"]) -> PromptSet:
    """The prompts as a set of one pooled stratum, called after the kind; a prompt's id has its row's number.

    The set is private: `public` is false whatever its kind, until somebody who may says otherwise in the file.

    Raises:
        InputError: If nothing was taken.
    """
    rows = len(imported.taken) + len(imported.refused)
    return parse(PromptSet, {
        "id": name,
        "kind": kind,
        "public": False,
        "licence": "none: private",
        "description": f"{len(imported.taken)} prompts of {rows} rows of a file of format {imported.format}.",
        "strata": [{"name": kind, "language": language, "pooled": True}],
        "prompts": [{"id": f"row-{one.row}", "stratum": kind, "text": one.text} for one in imported.taken],
    }, where="the import")  # fmt: skip


def as_toml(prompt_set: PromptSet) -> str:
    """A prompt set as TOML; read back it is an equal set.

    What does not print, as control and bidirectional characters, is escaped: the file can be looked at in a terminal.
    """
    data = prompt_set.model_dump(mode="json")
    lines = _pairs({key: value for key, value in data.items() if not isinstance(value, list)})
    for table in ("strata", "prompts"):
        for entry in data[table]:
            lines += ["", f"[[{table}]]", *_pairs(entry)]
    return "\n".join(lines) + "\n"


def _pairs(entry: dict[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in entry.items()]


def _value(value: Any) -> str:
    """A basic string or a boolean of TOML; JSON's differ from these only in what is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(one if one.isprintable() else _escape(one) for one in text)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - four digits reach so far
