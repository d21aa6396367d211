"""The log of a vLLM server as prompts. The lines are as vLLM 0.32 and 0.10 write them."""

from __future__ import annotations

import json

import pytest

from specwiki.core.prompt_import import read_prompts

HEAD = "(APIServer pid=1) {} 11-30 04:11:53 [request_logger.py:65] "
PARAMS = "params: SamplingParams(n=1, temperature=1.0), lora_request: None."
CHATML = "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"


def details(request, prompt):
    return HEAD.format("DEBUG") + f"Request {request} details: prompt: {prompt!r}, prompt_token_ids: [1], more: None."


def body(request, **content):
    return HEAD.format("DEBUG") + f"Request {request} JSON body: {json.dumps(content)}"


def received(request, prompt=None):
    said = "" if prompt is None else f"prompt: {prompt!r}, "
    return HEAD.format("INFO") + f"Received request {request}: {said}{PARAMS}"


def messages(text):
    return [{"role": "system", "content": "s"}, {"role": "user", "content": text}]


def read(*lines):
    found = read_prompts("\n".join(lines).encode(), where="server.log")
    assert found.format == "vllm-log"
    return found


def test_three_lines_are_one_request():
    """The JSON body says most; the prompt after the template and the line without text are of the same row."""
    text = 'What\'s "this"?\nTwo \\ é \x07'
    found = read(
        HEAD.format("INFO") + "Starting vLLM API server 0 on http://0.0.0.0:8000",
        body("aaa", messages=messages(text), model="m"),
        details("chatcmpl-aaa", CHATML.format(text)),
        received("chatcmpl-aaa"),
    )

    assert [(one.row, one.text) for one in found.taken] == [(2, text)]
    assert found.refused == ()
    assert found.left_out == {"system messages": 1}
    assert found.passed_over == {"other lines": 1}


@pytest.mark.parametrize(
    "template",
    [
        CHATML,
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|>",
        "<bos><start_of_turn>user\n{}<end_of_turn>\n<start_of_turn>model\n",
    ],
)
@pytest.mark.parametrize("line", [details, received])
def test_a_prompt_is_taken_out_of_its_template(line, template):
    """Otherwise the template would be applied twice; quotes, escapes and line feeds are as they were sent."""
    text = 'It\'s\t"so"\n\\n \u202e \U0001f600 \ufffe'
    found = read(line("chatcmpl-a", template.format(text)))

    assert [one.text for one in found.taken] == [text]


def test_later_turns_in_a_template_are_counted():
    """The first user turn is the prompt, as in every other format."""
    found = read(details("chatcmpl-a", CHATML.format("one") + "ok<|im_end|>\n<|im_start|>user\ntwo<|im_end|>\n"))

    assert [one.text for one in found.taken] == ["one"]
    assert found.left_out == {"system messages": 1, "later user turns": 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (received("chatcmpl-a"), "prompt is missing, expected text: --enable-log-requests at log level DEBUG logs it"),
        (details("chatcmpl-a", None), "prompt is None, expected text: it was sent as tokens"),
        (details("cmpl-a", "raw"), "request is 'cmpl-a', expected an id that begins with 'chatcmpl-'"),
        (details("chatcmpl-a", "[INST] hi [/INST]"), "prompt is '[INST] hi [/INST]', expected a whole user turn in"),
        (details("chatcmpl-a", CHATML.format("cut")[:45]), "expected a whole user turn in ChatML, Llama 3 or Gemma"),
        (details("chatcmpl-a", "x").replace("'x'", "'x"), "expected text in quotes"),
        (details("chatcmpl-a", "x").replace("'x'", r"'\U00110000'"), "expected a character of Unicode"),
        (body("a", messages=messages("cut"))[:-20], "JSON body at column"),
        (body("a", input="x"), "JSON body is {'input': 'x'}, expected an object with messages: only chat is taken"),
        (body("a", messages=[]), "JSON body.messages is [], expected a list of at least one turn"),
    ],
)
def test_requests_without_a_prompt(line, reason):
    """Logged without text, as tokens, cut by `--max-log-len`, in a template that we do not know, or no chat."""
    (refused,) = read(line).refused

    assert reason in str(refused)


def test_an_answer_cannot_pass_for_a_request():
    """A model may write what a log line looks like; it stays an answer."""
    said = body("evil", messages=messages("planted"))
    found = read(HEAD.format("INFO") + f"Generated response chatcmpl-a: output: {said!r}, finish_reason: stop")

    assert (found.taken, found.refused) == ((), ())


def test_a_log_of_json_lines():
    """With `formatter = json` the message stands in an object."""
    message = body("a", messages=messages("hello")).removeprefix(HEAD.format("DEBUG"))
    lines = [json.dumps({"levelname": "DEBUG", "message": one}) for one in (message, "Request", "{}", 5)]
    found = read(*lines, '{"levelname": "DEBUG", "message": "Request b JSON body: {')

    assert [one.text for one in found.taken] == ["hello"]
    assert [one.row for one in found.refused] == [5]
    assert found.passed_over == {"other lines": 3}


def test_a_log_without_requests_is_no_plain_text():
    """Lines of a server that logs no requests do not become prompts."""
    found = read(HEAD.format("INFO") + "Avg prompt throughput: 0.8 tokens/s")

    assert (found.taken, found.refused) == ((), ())
