"""Files that other programs wrote, as rows: each one a text that a user sent, or why there is none in it.

Nothing here opens a file, and no content crashes it; `core/prompt_import.py` decides which format a file has.
"""

from __future__ import annotations

import json
import reprlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

USER = ("human", "user")
SYSTEM = ("system", "developer")
CHAT_URL = "/v1/chat/completions"
CLIENT_TEXTS = ("<command-", "<local-command-", "<bash-", "<task-notification", "[Request interrupted", "Caveat: ")
"""How texts begin that Claude Code writes into a session in the user's place."""
SHOWN_CHARACTERS = 60

LATER = "later user turns"
SYSTEM_MESSAGES = "system messages"
HISTORIES = "what was said before a prompt"


@dataclass(frozen=True)
class Taken:
    """A row with a user's text, exactly as it was sent.

    Attributes:
        row: From 1: place in a JSON list, number of a paragraph, otherwise number of a line.
        text: What the user wrote; may still be empty.
        left_out: What a single message cannot hold → how many of it.
    """

    row: int
    text: str
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Refused:
    """A row that gives no prompt.

    Attributes:
        row: As in `Taken`.
        place: Keys and indices with dots, or a part such as `line`.
        value: What stands there, shortened; characters that do not print are escaped.
        expected: What would have been taken.
    """

    row: int
    place: str
    value: str
    expected: str

    def __str__(self) -> str:
        return f"row {self.row}: {self.what()}"

    def what(self) -> str:
        """The fact without the row."""
        return f"{self.place} is {self.value}, expected {self.expected}"


@dataclass(frozen=True)
class Reading:
    """All rows of a file in its order.

    Attributes:
        rows: Each is taken or refused.
        passed_over: What the format has beside users' texts → how many lines of it; these are no rows.
    """

    rows: tuple[Taken | Refused, ...]
    passed_over: Mapping[str, int] = field(default_factory=dict)


class RowError(Exception):
    """Why a row, or a whole file, gives nothing: place, value and what was expected."""

    def __init__(self, place: str, value: Any, expected: str) -> None:
        super().__init__(place)
        self.place = place
        self.value = shown(value)
        self.expected = expected


class _Missing:
    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()
"""Stands for a key that is not there."""
_short = reprlib.Repr()
_short.maxstring = _short.maxother = SHOWN_CHARACTERS
_short.maxdict = _short.maxlist = _short.maxlevel = 3


def shown(value: Any) -> str:
    """A value, shortened; control and bidirectional characters and halves of surrogate pairs as escapes."""
    return _short.repr(value)


def load_json(text: str, place: str) -> Any:
    """Parse JSON.

    Raises:
        RowError: If it is not JSON, is cut, nests too deeply or has a number of thousands of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as failure:
        near = text[max(0, failure.pos - 20) : failure.pos + 20]
        line = f"line {failure.lineno}, " if "\n" in text else ""
        raise RowError(f"{place} at {line}column {failure.colno}", near, f"JSON ({failure.msg})") from failure
    except (ValueError, RecursionError) as failure:
        raise RowError(place, text, f"JSON that can be read ({type(failure).__name__})") from failure


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers from 1; only a line feed ends a line."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.strip()


def each(rows: Iterable[tuple[int, Any]], take: Callable[[int, Any], Taken | None]) -> tuple[Taken | Refused, ...]:
    """Apply `take` to each row; its `RowError` refuses the row, None says that it is none."""
    found: list[Taken | Refused] = []
    for number, row in rows:
        try:
            taken = take(number, row)
        except RowError as problem:
            found.append(Refused(number, problem.place, problem.value, problem.expected))
        else:
            found += [] if taken is None else [taken]
    return tuple(found)


def text_of(content: Any, place: str) -> str:
    """The text of one message: a string, or a list of text parts, which are joined by line feeds.

    Raises:
        RowError: If it is anything else, or has a part that is no text, as an image.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not content:
        raise RowError(place, content, "text")
    for i, part in enumerate(content):
        if not (isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)):
            raise RowError(f"{place}.{i}", part, "a part of type 'text': a prompt holds nothing else")
    return "\n".join(part["text"] for part in content)


def first_user_turn(turns: Any, place: str) -> tuple[str, dict[str, int]]:
    """The text of a conversation's first user turn, and what is left out beside it.

    Args:
        turns: Of the form `{"from", "value"}` (ShareGPT) or `{"role", "content"}` (OpenAI).
        place: Where they stand in the row.

    Raises:
        RowError: If there is none, or somebody else speaks first: then it answers what the prompt would not hold.
    """
    if not isinstance(turns, list) or not turns:
        raise RowError(place, turns, "a list of at least one turn")
    for i, turn in enumerate(turns):
        if not isinstance(turn, dict):
            raise RowError(f"{place}.{i}", turn, "an object with a role and a text")
        role_key, text_key = ("from", "value") if "from" in turn else ("role", "content")
        role = turn.get(role_key, MISSING)
        if role in SYSTEM:
            continue
        if role not in USER:
            raise RowError(f"{place}.{i}.{role_key}", role, "'user' or 'human': the user speaks first")
        text = text_of(turn.get(text_key, MISSING), f"{place}.{i}.{text_key}")
        later = sum(isinstance(one, dict) and one.get("from", one.get("role")) in USER for one in turns[i + 1 :])
        return text, {SYSTEM_MESSAGES: i, LATER: later}
    raise RowError(place, turns, "a turn of 'user' or 'human'")


def read_sharegpt(text: str) -> Reading:
    """ShareGPT: a JSON list, or one object a line, of `{"conversations": [{"from": "human", "value": …}, …]}`.

    A conversation of one turn is taken: a prompt needs no answer.

    Raises:
        RowError: If a JSON list is cut or is not JSON.
    """
    return Reading(each(_entries(text), _take_conversation))


def _entries(text: str) -> Iterable[tuple[int, Any]]:
    try:
        whole = load_json(text, "the file")
    except RowError:
        if text.lstrip().startswith("["):
            raise
        return numbered_lines(text)
    return enumerate(whole if isinstance(whole, list) else [whole], 1)


def _take_conversation(number: int, row: Any) -> Taken:
    entry = load_json(row, "line") if isinstance(row, str) and row.startswith("{") else row
    if not isinstance(entry, dict):
        raise RowError("row", entry, "an object with 'conversations'")
    key = "messages" if "messages" in entry and "conversations" not in entry else "conversations"
    return Taken(number, *first_user_turn(entry.get(key, MISSING), key))


def read_openai_batch(text: str) -> Reading:
    """The input of OpenAI's batch API: one request a line; only chat is taken, and an id once.

    Source: vLLM 0.32, vllm/entrypoints/openai/run_batch.py (`BatchRequestInput`).
    """
    seen: dict[str, int] = {}

    def take(number: int, line: str) -> Taken:
        entry = load_json(line, "line")
        if not isinstance(entry, dict):
            raise RowError("line", entry, "an object with custom_id, method, url and body")
        _new_id(entry.get("custom_id", MISSING), number, seen)
        for key, wanted in (("method", "POST"), ("url", CHAT_URL)):
            if entry.get(key, MISSING) != wanted:
                raise RowError(key, entry.get(key, MISSING), f"'{wanted}'")
        body = entry.get("body", MISSING)
        if not isinstance(body, dict):
            raise RowError("body", body, "an object with messages")
        return Taken(number, *first_user_turn(body.get("messages", MISSING), "body.messages"))

    return Reading(each(numbered_lines(text), take))


def _new_id(custom_id: Any, number: int, seen: dict[str, int]) -> None:
    if not isinstance(custom_id, str):
        raise RowError("custom_id", custom_id, "text")
    if custom_id in seen:
        raise RowError("custom_id", custom_id, f"another one: row {seen[custom_id]} has it")
    seen[custom_id] = number


def read_claude_code(text: str) -> Reading:
    """A session of Claude Code: one event a line; a row is a line that a person typed.

    Each is taken alone: what was said before it, and what tools answered, is left out.
    """
    passed: Counter[str] = Counter()
    sessions: set[str] = set()

    def take(number: int, line: str) -> Taken | None:
        entry = load_json(line, "line")
        if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
            raise RowError("line", entry, "an object with 'type'")
        said_by = _other_author(entry)
        if said_by:
            passed[said_by] += 1
            return None
        message = entry.get("message")
        content = message.get("content", MISSING) if isinstance(message, dict) else MISSING
        said = text_of(content, "message.content")
        if said.startswith(CLIENT_TEXTS):
            passed["texts of the client"] += 1
            return None
        session = shown(entry.get("sessionId"))
        left_out = {HISTORIES: int(session in sessions)}
        sessions.add(session)
        return Taken(number, said, left_out)

    rows = each(numbered_lines(text), take)
    return Reading(rows, passed)


def _other_author(entry: dict[str, Any]) -> str:
    """Who wrote a line that no person typed; empty for a person's."""
    if entry["type"] != "user":
        return "answers" if entry["type"] == "assistant" else "lines without a message"
    if entry.get("isSidechain"):
        return "messages to and from subagents"
    if entry.get("isMeta") or entry.get("isCompactSummary"):
        return "texts of the client"
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    parts = content if isinstance(content, list) else []
    is_result = any(isinstance(part, dict) and part.get("type") == "tool_result" for part in parts)
    return "results of tools" if is_result else ""
