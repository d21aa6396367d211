"""Files of other programs as prompts: what is taken, what is refused and why, whatever is in the file."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.model import PromptSet, parse
from specwiki.core.prompt_import import READERS, as_prompt_set, as_toml, read_prompts
from specwiki.core.prompt_rows import Taken
from specwiki.errors import InputError

HOSTILE = (
    "\u202eevil\u202c \x00\x07\x1b[31m \x7f\x85\u2028\ufeff \U0001f468\u200d\U0001f469 \"\"\" ''' \\u0041 \\ \r\n\t end"
)


def read(content, **options):
    data = content if isinstance(content, bytes) else content.encode("utf-8", errors="surrogatepass")
    return read_prompts(data, where="f", **options)


def texts(found):
    return [one.text for one in found.taken]


def reasons(found):
    return [str(one) for one in found.refused]


def human(*turns):
    roles = ("human", "gpt")
    return {"conversations": [{"from": roles[i % 2], "value": text} for i, text in enumerate(turns)]}


def request(custom_id="a", url="/v1/chat/completions", text="hello", **changed):
    body = {"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": text}]}
    return {"custom_id": custom_id, "method": "POST", "url": url, "body": body} | changed


def json_lines(*entries):
    return "\n".join(json.dumps(one) for one in entries)


def test_c45_each_row_is_taken_or_refused_with_its_reason():
    """A bare string, a conversation that the model begins, and an empty value are named; one turn is enough."""
    gpt_first = {"conversations": [{"from": "gpt", "value": "hi"}, {"from": "human", "value": "q"}]}
    rows = ["a bare string", gpt_first, human(""), human("one turn"), human("first", "answer", "second"), None, {}]
    found = read(json.dumps(rows))

    assert found.format == "sharegpt"
    assert texts(found) == ["one turn", "first"]
    assert reasons(found) == [
        "row 1: row is 'a bare string', expected an object with 'conversations'",
        "row 2: conversations.0.from is 'gpt', expected 'user' or 'human': the user speaks first",
        "row 3: the prompt is '', expected text that is not blank",
        "row 6: row is None, expected an object with 'conversations'",
        "row 7: conversations is missing, expected a list of at least one turn",
    ]
    assert found.left_out == {"later user turns": 1}


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ([], "conversations is [], expected a list of at least one turn"),
        ({"a": 1}, "conversations is {'a': 1}, expected a list of at least one turn"),
        (["x"], "conversations.0 is 'x', expected an object with a role and a text"),
        ([{"from": "human", "value": float("nan")}], "conversations.0.value is nan, expected text"),
        ([{"from": "human"}], "conversations.0.value is missing, expected text"),
        ([{"from": ["human"], "value": "x"}], "conversations.0.from is ['human'], expected 'user' or 'human'"),
        ([{"value": "x"}], "conversations.0.role is missing, expected 'user' or 'human'"),
        ([{"from": "system", "value": "x"}], "expected a turn of 'user' or 'human'"),
    ],
)
def test_conversations_without_a_prompt(turns, reason):
    """The place in the row, the value that stands there, and what was expected."""
    (refusal,) = reasons(read(json.dumps([{"conversations": turns}])))

    assert reason in refusal


def test_conversations_as_lines_and_as_messages():
    """One object a line, one object alone, and OpenAI's names of keys are read the same."""
    messages = {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "two"}]}
    found = read(json_lines(human("one"), messages) + "\n{broken\n")

    assert (found.format, texts(found)) == ("sharegpt", ["one", "two"])
    assert found.left_out == {"system messages": 1}
    assert "row 3: line at column 2 is '{broken', expected JSON (" in reasons(found)[0]
    assert texts(read(json.dumps(human("alone"), indent=1))) == ["alone"]


def test_c47_only_chat_and_every_id_once():
    """Lines of other endpoints, repeated ids, other methods, no body and a cut line are errors of their lines."""
    lines = json_lines(
        request("1"),
        request("2", url="/v1/embeddings", body={"input": "x"}),
        request("1", text="other"),
        request("3", method="GET"),
        request("4", body=None),
        request(5),
        ["list"],
        request("6", body={"input": "x"}),
        request("7", text="last"),
    )
    found = read(lines + '\n{"custom_id": "8", "bo')

    assert found.format == "openai-batch"
    assert texts(found) == ["hello", "last"]
    assert reasons(found) == [
        "row 2: url is '/v1/embeddings', expected '/v1/chat/completions'",
        "row 3: custom_id is '1', expected another one: row 1 has it",
        "row 4: method is 'GET', expected 'POST'",
        "row 5: body is None, expected an object with messages",
        "row 6: custom_id is 5, expected text",
        "row 7: line is ['list'], expected an object with custom_id, method, url and body",
        "row 8: body.messages is missing, expected a list of at least one turn",
        'row 10: line at column 20 is \'{"custom_id": "8", "bo\', expected JSON (Unterminated string starting at)',
    ]


def test_parts_of_a_message():
    """Parts of text are one prompt; a part that is no text refuses the row, as a prompt cannot hold it."""
    text = {"type": "text", "text": "look"}
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    found = read(json_lines(request("1", text=[text, text]), request("2", text=[text, image]), request("3", text=[])))

    assert texts(found) == ["look\nlook"]
    assert "row 2: body.messages.1.content.1 is {'image_url': {...}" in reasons(found)[0].replace(
        "{'url': 'data:'}", "{...}"
    )
    assert "row 3: body.messages.1.content is [], expected text" in reasons(found)[1]


def session(content, **more):
    return {"type": "user", "sessionId": "s", "message": {"role": "user", "content": content}} | more


def test_a_session_gives_what_a_person_typed():
    """Answers, results of tools, subagents and the client's own texts are counted, and are no rows."""
    found = read(json_lines(
        {"type": "summary", "summary": "x", "leafUuid": "1"},
        session("Caveat: generated", isMeta=True),
        session("<command-name>/clear</command-name>"),
        session("Fix the test"),
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done"}]}},
        session([{"type": "tool_result", "content": "out"}]),
        session("look into it", isSidechain=True),
        session([{"type": "text", "text": "Now the docs"}]),
        session("Another session", sessionId="t"),
        session(None),
        {"type": "user"},
        {"no": "type"},
        ["list"],
    ))  # fmt: skip

    assert found.format == "claude-code"
    assert texts(found) == ["Fix the test", "Now the docs", "Another session"]
    assert [one.row for one in found.refused] == [10, 11, 12, 13]
    assert found.left_out == {"what was said before a prompt": 1}
    assert found.passed_over == {
        "lines without a message": 1, "texts of the client": 2, "answers": 1, "results of tools": 1,
        "messages to and from subagents": 1,
    }  # fmt: skip


def test_plain_text():
    """With blank lines a prompt a paragraph, which keeps its lines; otherwise a prompt a line."""
    paragraphs = read("\ufeffone\r\nstill one\r\n\r\n \n\ttwo\n\n\n")
    lines = read("one\n two \nthree")

    assert (paragraphs.format, texts(paragraphs)) == ("paragraphs", ["one\nstill one", "two"])
    assert (lines.format, texts(lines)) == ("lines", ["one", "two", "three"])
    assert texts(read("one\n\ntwo\nthree", wanted="lines")) == ["one", "two", "three"]


def test_the_same_text_twice():
    """An exact repetition is refused, and says where the first stands; a drafter would remember it."""
    found = read("one\ntwo\none")

    assert reasons(found) == ["row 3: the prompt is 'one', expected another text: row 1 has the same"]


def test_long_texts():
    """A prompt above the limit is refused by its length, without printing it."""
    found = read("x" * 11 + "\nshort", max_characters=10)

    assert reasons(found) == [
        "row 1: the prompt is 11 characters long, expected at most 10 characters (--max-characters)"
    ]


def test_bytes_that_are_not_utf_8_refuse_their_row_alone():
    """So does half of a surrogate pair; what does not print is shown as escapes."""
    lines = read(b"fine\ncaf\xe9\n")
    half = read('[{"conversations": [{"from": "human", "value": "\\ud800\\u202e"}]}]')

    assert texts(lines) == ["fine"]
    assert reasons(lines) == ["row 2: the prompt is 'caf\\udce9', expected Unicode in UTF-8: character 4 is not"]
    assert "'\\ud800\\u202e'" in reasons(half)[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty, expected ShareGPT JSON, OpenAI batch JSONL"),
        (b"\xef\xbb\xbf \n", "it is empty"),
        ("hi".encode("utf-16"), "byte 3 is 0, expected text in UTF-8. Convert it"),
        (b'[{"conversations": [{"from"', "expected JSON (Expecting ':' delimiter)"),
        (b'[{"conversations": [{"from": "human", "value": "x"}]},\n{"conv', "the file at line 2, column 2 is"),
        (b"[" * 100_000, "expected JSON that can be read (RecursionError)"),
        (b"[" + b"9" * 5000 + b"]", "expected JSON that can be read (ValueError)"),
        (b'{"a": 1}', "the file is '{\"a\": 1}', expected ShareGPT JSON"),
        (b'{"a": ', "the file is '{\"a\": ', expected ShareGPT JSON"),
        (b"<!doctype html><p>Log in", "JSON, OpenAI batch JSONL, Claude Code session JSONL, a vLLM log with requests"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(content, said):
    """A file that is empty, binary, cut or of no known format is refused as a whole, with what was expected."""
    with pytest.raises(InputError) as failure:
        read(content)

    assert said in str(failure.value)


def test_a_format_may_be_given():
    """What begins like JSON is text when somebody says so."""
    assert texts(read("[urgent] mend it", wanted="lines")) == ["[urgent] mend it"]
    with pytest.raises(InputError, match="say what it is with --format"):
        read("[urgent] mend it")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["conversations", "messages", "from", "role", "value", "content", "type", "message", "body",
                         "custom_id", "method", "url", "text", "sessionId", "levelname"]),
        inner | st.sampled_from(["human", "user", "POST", "/v1/chat/completions", "text"]), max_size=5),
    max_leaves=12,
)  # fmt: skip
LOG = st.lists(
    st.sampled_from(["Received request ", "Request ", "chatcmpl-a", "b", " details: prompt: ", " JSON body: ", ": ",
                     "'", '"', "\\", "\\x", "\\U00110000", "prompt: ", "None,", "<|im_start|>user\n", "<|im_end|>",
                     "\n", '{"messages": [', "]}", "INFO 10-01 18:43:27 "]), max_size=12,
).map("".join)  # fmt: skip


@given(st.binary() | JUNK.map(json.dumps).map(str.encode) | st.lists(JUNK).map(lambda some: json_lines(*some).encode())
       | LOG.map(str.encode), st.none() | st.sampled_from(sorted(READERS)))  # fmt: skip
def test_no_bytes_crash_it(content, wanted):
    """Whatever is in a file, in whatever format it is read: a whole answer, or an error for the file.

    Every row is taken or refused, once; what is taken differs, prints and can be stored.
    """
    try:
        found = read(content, wanted=wanted)
    except InputError:
        return
    rows = [one.row for one in (*found.taken, *found.refused)]

    assert len(rows) == len(set(rows))
    assert len(set(texts(found))) == len(found.taken)
    assert all(str(one).isprintable() for one in found.refused)
    if found.taken:
        stored = as_prompt_set(found, "mine", "traffic", "en")
        assert [prompt.text for prompt in stored.prompts] == texts(found)
        assert parse(PromptSet, tomllib.loads(as_toml(stored)), where="f") == stored


@given(st.lists(JUNK, max_size=6))
def test_no_row_of_a_list_is_lost(rows):
    """Taken and refused together are all rows of the list, in its order."""
    found = read(json.dumps(rows), wanted="sharegpt")

    assert sorted(one.row for one in (*found.taken, *found.refused)) == list(range(1, len(rows) + 1))


@given(st.lists(st.text(min_size=1).filter(str.strip) | st.just(HOSTILE), min_size=1, unique=True))
def test_a_written_set_reads_back_equal(prompts):
    """The TOML of any texts is the same set again, and prints without doing anything to a terminal."""
    found = read(json.dumps([human(text) for text in prompts]))
    stored = as_prompt_set(found, "mine", "traffic", "vi")
    text = as_toml(stored)

    assert parse(PromptSet, tomllib.loads(text), where="f") == stored
    assert [one.text for one in stored.prompts] == prompts
    assert all(line.isprintable() for line in text.split("\n"))


def test_what_a_set_says_of_itself():
    """It is private, has one pooled stratum after its kind, and its prompts are called after their rows."""
    stored = as_prompt_set(read("one\none\ntwo"), "mine", "synthetic", "en")

    assert (stored.kind, stored.public, stored.licence) == ("synthetic", False, "none: private")
    assert [(one.name, one.pooled) for one in stored.strata] == [("synthetic", True)]
    assert [one.id for one in stored.prompts] == ["row-1", "row-3"]
    assert stored.description == "2 prompts of 3 rows of a file of format lines."


def test_a_row_knows_its_number():
    """Places in a list, numbers of lines with blank ones counted, and numbers of paragraphs."""
    assert read("one\n \ntwo", wanted="lines").taken == (Taken(1, "one"), Taken(3, "two"))
    assert read("one\n \ntwo").taken == (Taken(1, "one"), Taken(2, "two"))
