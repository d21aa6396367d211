"""Addresses of others, on a server of the test's own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from specwiki.edges.links import ask

CODES = {"gone": 404, "broken": 500, "moved": 301, "found": 302, "loop": 301}
ONLY_GET = {"nohead": 405, "forbidden": 403}


class Seen:
    """What a server was asked, and how much at once."""

    def __init__(self):
        self.address = ""
        self.asked = Counter()
        self.now = 0
        self.most_at_once = 0


def handler(seen):
    """Answers by the first word of a path."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            seen.asked[f"{self.command} {self.path}"] += 1
            seen.now += 1
            seen.most_at_once = max(seen.most_at_once, seen.now)
            try:
                self.respond(self.path.strip("/").partition("-")[0])
            finally:
                seen.now -= 1

        do_GET = do_HEAD  # noqa: N815 - the name is the library's

        def respond(self, kind):
            if kind == "slow":
                time.sleep(2)
            if kind == "cut":
                self.connection.close()
                return
            code = CODES.get(kind, 200)
            self.send_response(ONLY_GET.get(kind, code) if self.command == "HEAD" else code)
            if code in {301, 302}:
                self.send_header("Location", "/loop" if kind == "loop" else "/good")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    return Handler


@pytest.fixture
def server():
    """On a free port of loopback."""
    seen = Seen()
    started = ThreadingHTTPServer(("127.0.0.1", 0), handler(seen))
    thread = threading.Thread(target=started.serve_forever)
    thread.start()
    seen.address = f"http://127.0.0.1:{started.server_port}"
    yield seen
    started.shutdown()
    thread.join()
    started.server_close()


def said(server, *names):
    """State and words of each answer."""
    found = ask([f"{server.address}/{name}" for name in names], timeout_s=1)
    assert [one.address for one in found] == [f"{server.address}/{name}" for name in names]
    return [(one.state, one.what.replace(server.address, "")) for one in found]


def test_what_answers(server):
    """Asked for its head only; by a GET where a server does not answer that."""
    assert said(server, "good", "nohead", "forbidden") == [("ok", "")] * 3
    assert server.asked == {"HEAD /good": 1, "HEAD /nohead": 1, "GET /nohead": 1, "HEAD /forbidden": 1,
                            "GET /forbidden": 1}  # fmt: skip


def test_what_moved(server):
    """For good: noted, with the new address; for now: fine; in circles: a failure."""
    moved, found, loop = said(server, "moved", "found", "loop")

    assert (moved, found) == (("moved", "/good"), ("ok", ""))
    assert loop[0] == "failed"
    assert "redirect" in loop[1].lower()


def test_what_fails(server):
    """Each with its reason; one failure hides no other."""
    gone, broken, slow, cut, good = said(server, "gone", "broken", "slow", "cut", "good")

    assert (gone, broken, slow) == (("failed", "HTTP 404"), ("failed", "HTTP 500"),
                                    ("failed", "no answer within 1 s"))  # fmt: skip
    assert cut[0] == "failed"
    assert cut[1]
    assert good == ("ok", "")


def test_what_is_no_host():
    """Nobody listens; there is no such name; it is no address."""
    answers = ask(["http://127.0.0.1:9/", "http://nobody.invalid/", "http://exa mple.org:x/"], timeout_s=5)

    assert {one.state for one in answers} == {"failed"}
    assert all(one.what for one in answers)


def test_one_host_is_asked_one_thing_at_a_time(server):
    """However many addresses it has."""
    assert said(server, *(f"good-{i}" for i in range(20))) == [("ok", "")] * 20
    assert server.most_at_once == 1


def test_nothing_to_ask():
    """Is no error."""
    assert ask([]) == []


def test_where_an_event_loop_runs_already(server):
    """As in a notebook."""

    async def inside():
        return ask([f"{server.address}/good"])

    with ThreadPoolExecutor(max_workers=1) as thread:  # a browser's loop may run in this one
        assert [one.state for one in thread.submit(asyncio.run, inside()).result()] == ["ok"]
