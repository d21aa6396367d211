"""The client against servers that misbehave on purpose; for faults only, no number comes from them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from specwiki.core.model import Prompt
from specwiki.edges import client
from specwiki.errors import CrashError, MeasurementError

PROMPTS = [Prompt(id=f"chat-0{i}", stratum="chat", text="Hello?") for i in (1, 2, 3)]


@contextmanager
def server(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            answer(self)

        do_GET = do_POST  # noqa: N815 - the name that http.server asks for

        def log_message(self, *_):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        running.server_close()


def stream(handler, *chunks, done=True):
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    for chunk in chunks:
        handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
    if done:
        handler.wfile.write(b"data: [DONE]\n\n")


def piece(text, model="m", reason=None):
    return {"model": model, "choices": [{"delta": {"content": text}, "finish_reason": reason}]}


def last(tokens, model="m", **metrics):
    usage = {"prompt_tokens": 7, "completion_tokens": tokens}
    return {"model": model, "choices": [], "usage": usage, "metrics": metrics or None}


def ask(url, prompts=PROMPTS[:1], concurrency=1, depth=None, timeout_s=5.0):
    return client.run_requests(url, prompts, client.Sampling("m", depth, 16, 0.0, timeout_s), concurrency)


def test_tokens_come_from_usage():
    """Three pieces of text are nine tokens when the server says so."""
    spec = {"per_step_drafted": [4, 4], "per_step_accepted": [4, 2]}
    with server(lambda it: stream(it, piece("a"), piece("b c"), piece("d", reason="stop"),
                                  last(9, speculative_decoding=spec))) as url:  # fmt: skip
        (record,), _ = ask(url)

    assert record.completion_tokens == 9
    assert (record.drafted, record.accepted) == ((4, 4), (4, 2))
    assert record.finish_reason == "stop"
    assert 0 < record.ttft_ms <= record.e2e_ms


def test_an_answer_that_is_not_json_is_refused():
    """A router's page, or a torn line, is an error with what came."""

    def answer(handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b"data: <html>busy</html>\n\n")

    with server(answer) as url, pytest.raises(MeasurementError, match="sent '<html>busy</html>', expected a JSON"):
        ask(url)


def test_the_depth_travels_with_the_request():
    """A depth is asked for in `vllm_xargs`; without one nothing is said about it."""
    seen = []

    def answer(handler):
        seen.append(handler.body)
        stream(handler, piece("a", reason="stop"), last(1))

    with server(answer) as url:
        ask(url, depth=3)
        ask(url)

    assert seen[0]["vllm_xargs"] == {"specwiki_depth": 3}
    assert "vllm_xargs" not in seen[1]
    assert seen[0]["stream_options"] == {"include_usage": True}


def test_as_many_in_flight_as_asked_for():
    """With concurrency 3, three requests wait for each other's answer."""
    together = threading.Barrier(3, timeout=5)

    def answer(handler):
        together.wait()
        stream(handler, piece("a", reason="stop"), last(1))

    with server(answer) as url:
        records, elapsed_s = ask(url, PROMPTS, concurrency=3)

    assert [record.prompt_id for record in records] == ["chat-01", "chat-02", "chat-03"]
    assert elapsed_s > 0


def test_another_model_is_refused():
    """A router that answers with another model is found out."""
    with server(lambda it: stream(it, piece("a", model="other", reason="stop"), last(1))) as url:
        with pytest.raises(MeasurementError, match="model 'other' answered, expected 'm'"):
            ask(url)


def test_an_error_answer_is_quoted():
    """HTTP 500 is an error with its text, not an empty answer."""

    def answer(handler):
        handler.send_error(500, "kaput")

    with server(answer) as url, pytest.raises(MeasurementError, match="answered HTTP 500: .*kaput"):
        ask(url)


def test_an_error_in_the_stream_is_quoted():
    """So is an error that comes in the middle of a stream."""
    with server(lambda it: stream(it, piece("a"), {"error": {"message": "kaput"}})) as url:
        with pytest.raises(MeasurementError, match="ended an answer with .*kaput"):
            ask(url)


def test_an_answer_without_usage_is_refused():
    """Without `usage` the tokens are not known, and are not guessed."""
    with server(lambda it: stream(it, piece("a", reason="stop"))) as url:
        with pytest.raises(MeasurementError, match="request 'chat-01': the answer ended without usage"):
            ask(url)


def test_a_server_that_hangs_is_given_up():
    """A request has a time limit of its own, and the error names it."""
    released = threading.Event()
    with server(lambda it: (stream(it, piece("a"), done=False), released.wait(20))) as url:
        with pytest.raises(CrashError, match=r"request 'chat-01': no whole answer within 0\.3 s"):
            ask(url, timeout_s=0.3)
        released.set()


def test_a_server_that_is_not_there():
    """A refused connection is the engine's error."""
    with server(lambda _: None) as url:
        pass
    with pytest.raises(CrashError, match="request 'chat-01': the engine went away"):
        ask(url)


def test_metrics_that_fail_are_not_zero():
    """/metrics with an error is None; with a text it is the text."""
    with server(lambda it: it.send_error(500)) as url:
        assert client.read_metrics(url) is None
    with server(lambda it: (it.send_response(200), it.end_headers(), it.wfile.write(b"a 1\n"))) as url:
        assert client.read_metrics(url) == "a 1\n"


def test_a_refused_reset_is_an_error():
    """A server without the development endpoints cannot empty its prefix cache, and that is said."""
    with (
        server(lambda it: it.send_error(404)) as url,
        pytest.raises(MeasurementError, match="/reset_prefix_cache answer"),
    ):
        client.reset_prefix_cache(url)
