"""What a vLLM server logs of requests with `--enable-log-requests`, as rows.

Source: vLLM 0.32, vllm/entrypoints/serve/utils/request_logger.py. At level DEBUG it logs a request's JSON body, and
the prompt after the chat template; at level INFO, since 0.11.1, no text at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from specwiki.core.prompt_rows import (
    LATER,
    MISSING,
    SYSTEM_MESSAGES,
    Reading,
    RowError,
    Taken,
    each,
    first_user_turn,
    load_json,
    numbered_lines,
)

LINE = re.compile(
    r"Received request (?P<received>\S+): "
    r"|Request (?P<details>\S+) details: prompt: "
    r"|Request (?P<body>\S+) JSON body: "
    r"|(?P<answer>Generated response) "
)
"""The three lines about one request; and its answer, in which the other three might be quoted."""
PREFIX = re.compile(r"(?:DEBUG|INFO|WARNING|ERROR)\S* \d\d-\d\d \d\d:\d\d:\d\d")
"""How vLLM's lines begin, after the name of the process."""
KINDS = ("received", "details", "body")
"""From the one that says least."""
LITERAL = re.compile(r"'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\"", re.DOTALL)
ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
CHAT_ID = "chatcmpl-"
TEMPLATES = (
    ("<|im_start|>{}\n", "<|im_end|>"),
    ("<|start_header_id|>{}<|end_header_id|>\n\n", "<|eot_id|>"),
    ("<start_of_turn>{}\n", "<end_of_turn>"),
)
"""How a turn begins and ends in ChatML, Llama 3 and Gemma."""
WANTED = "--enable-log-requests at log level DEBUG"
"""What makes vLLM log the JSON body of a request."""


@dataclass(frozen=True)
class _Line:
    kind: str
    request: str
    rest: str


def is_log_line(line: str) -> bool:
    """Whether a line is vLLM's, about a request or not."""
    return PREFIX.search(line) is not None or LINE.search(line) is not None


def read_vllm_log(text: str) -> Reading:
    """The log of a vLLM server: a row is a request, numbered by the line that says most about it.

    A request's JSON body has its id without the `chatcmpl-` of the other lines.

    Text completions are refused: their prompts would be sent as chat messages, which is other traffic.
    """
    requests: dict[str, tuple[int, _Line]] = {}
    others = 0
    for number, line in numbered_lines(text):
        found = _parse(line)
        if found is None:
            others += 1
            continue
        key = found.request.removeprefix(CHAT_ID)
        known = requests.get(key)
        if known is None or KINDS.index(found.kind) > KINDS.index(known[1].kind):
            requests[key] = (number, found)
    return Reading(each(sorted(requests.values(), key=lambda one: one[0]), _take), {"other lines": others})


def _parse(line: str) -> _Line | None:
    found = LINE.search(line)
    kind = found.lastgroup if found else None
    if found is None or kind is None or kind == "answer":
        return None
    rest = line[found.end() :]
    if line.startswith("{"):  # the log as JSON lines: the message is a string in an object
        try:
            entry = load_json(line, "line")
        except RowError:
            return _Line(kind, found[kind], rest)
        message = entry.get("message") if isinstance(entry, dict) else None
        return None if not isinstance(message, str) or message.startswith("{") else _parse(message)
    return _Line(kind, found[kind], rest)


def _take(number: int, line: _Line) -> Taken:
    if line.kind == "body":
        body = load_json(line.rest, "JSON body")
        if not isinstance(body, dict) or "messages" not in body:
            raise RowError("JSON body", body, "an object with messages: only chat is taken")
        return Taken(number, *first_user_turn(body["messages"], "JSON body.messages"))
    rest = line.rest.removeprefix("prompt: ")
    if line.kind == "received" and rest == line.rest:
        raise RowError("prompt", MISSING, f"text: {WANTED} logs it")
    if not line.request.startswith(CHAT_ID):
        raise RowError("request", line.request, f"an id that begins with '{CHAT_ID}': only chat is taken")
    if rest.startswith("None,"):
        raise RowError("prompt", None, "text: it was sent as tokens")
    literal = LITERAL.match(rest)
    if literal is None:
        raise RowError("prompt", rest, f"text in quotes; {WANTED} logs the request itself")
    return Taken(number, *_first_user_turn(_unquoted(literal[0])))


def _unquoted(literal: str) -> str:
    """The text that Python's `repr` wrote."""

    def character(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code is None:
            return PLAIN_ESCAPES.get(found[4], found[4])
        try:
            return chr(int(code, 16))
        except (OverflowError, ValueError) as failure:
            raise RowError("prompt", found[0], "a character of Unicode") from failure

    return ESCAPE.sub(character, literal[1:-1])


def _first_user_turn(prompt: str) -> tuple[str, dict[str, int]]:
    """The first user turn inside a chat template; the template itself would be applied a second time."""
    for opener, end in TEMPLATES:
        user = opener.format("user")
        _, begins, after = prompt.partition(user)
        text, ends, _ = after.partition(end)
        if begins and ends:
            return text, {SYSTEM_MESSAGES: prompt.count(opener.format("system")), LATER: after.count(user)}
    raise RowError("prompt", prompt, f"a whole user turn in ChatML, Llama 3 or Gemma; {WANTED} logs it bare")
