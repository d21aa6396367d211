"""A small server that speaks as much of vLLM's interface as a run needs, and misbehaves on request.

Nothing that it counts is ever a measurement: it is here to be killed. Standard library only, so that it starts at once.

What goes wrong stands in the JSON file that FAULTS names, read at each request. Where the engine was started at one
depth, its arm is the method.
    die_in_arm: depth (or "off") in which the process ends without a word
    fail_in_arm: depth (or "off") in which a request is answered with an error, before the process ends
    hang_in_arm: depth (or "off") in which an answer never ends
    die_at_boot: "off" or "sweep"
    slow_at_boot: the same; it then never answers
    compile_in_arm: depth in which the log says that a kernel was compiled
    metrics_status: status of /metrics
    serves_depth: depth that /server_info reports, 3
    times: how often it happens at all; left out: always
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

STEP_S = 0.001
words = sys.argv[1:]
MODEL = words[words.index("--served-model-name") + 1]
PORT = int(words[words.index("--port") + 1])
SPECULATES = "--speculative-config" in words
CONFIG = json.loads(words[words.index("--speculative-config") + 1]) if SPECULATES else {}
NATIVE = SPECULATES and "num_speculative_tokens_per_batch_size" not in CONFIG
counters = dict.fromkeys(("drafts", "drafted", "accepted", "requests", "prompt", "generated"), 0)
positions = [0] * 8
STARTED = time.time()
one_at_a_time = threading.Lock()


def fault(name: str, value: object) -> bool:
    """Whether this goes wrong now; counts how often it did."""
    path = Path(os.environ.get("FAULTS", "/nonexistent"))
    if not path.exists():
        return False
    with one_at_a_time:
        wanted = json.loads(path.read_text())
        if wanted.get(name) != value or wanted.get("times", 1) < 1:
            return False
        if "times" in wanted:
            path.write_text(json.dumps({**wanted, "times": wanted["times"] - 1}))
        return True


def metrics() -> str:
    """As vLLM prints them: speculative counters only where there is a speculative config."""
    label = f'engine="0",model_name="{MODEL}"'
    rows = {
        f"vllm:prompt_tokens_total{{{label}}}": counters["prompt"],
        f"vllm:generation_tokens_total{{{label}}}": counters["generated"],
        f"vllm:prefix_cache_queries_total{{{label}}}": counters["prompt"],
        f"vllm:prefix_cache_hits_total{{{label}}}": 0,
        f"vllm:num_preemptions_total{{{label}}}": 0,
        f'vllm:request_success_total{{{label},finished_reason="length"}}': counters["requests"],
        "process_start_time_seconds": STARTED,
    }
    if SPECULATES:
        rows |= {
            f"vllm:spec_decode_num_drafts_total{{{label}}}": counters["drafts"],
            f"vllm:spec_decode_num_draft_tokens_total{{{label}}}": counters["drafted"],
            f"vllm:spec_decode_num_accepted_tokens_total{{{label}}}": counters["accepted"],
        }
        rows |= {
            f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{{label},position="{i}"}}': count
            for i, count in enumerate(positions)
        }
    return "".join(f"{name} {float(count)}\n" for name, count in rows.items())


def served() -> dict | None:
    """The speculative config that it reports: the one that it was started with, unless told to serve another depth."""
    if not SPECULATES:
        return None
    return {**CONFIG, "num_speculative_tokens": 3} if fault("serves_depth", 3) else CONFIG


def steps(prompt: str, depth: int, max_tokens: int) -> list[tuple[int, int]]:
    """Drafted and accepted tokens of each step, the same for the same prompt and depth."""
    made: list[tuple[int, int]] = []
    committed = 1
    while committed < max_tokens:
        accepted = 0
        if depth:
            digest = hashlib.sha256(f"{prompt} {len(made)}".encode()).digest()
            accepted = min(digest[0] % 3, depth, max_tokens - committed - 1)
        made.append((depth, max(accepted, 0)))
        committed += 1 + made[-1][1]
    return made


class Handler(BaseHTTPRequestHandler):
    """One request of the client."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/metrics" and fault("metrics_status", 500):
            self.reply(500, "text/plain", b"no")
        elif self.path == "/metrics":
            self.reply(200, "text/plain", metrics().encode())
        elif self.path.startswith("/server_info"):
            self.reply(200, "application/json", json.dumps({"vllm_config": {"speculative_config": served()}}).encode())
        else:
            self.reply(200, "text/plain", b"")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if self.path == "/v1/chat/completions":
            self.complete(body)
        else:
            self.reply(200, "application/json", b"{}")

    def complete(self, body: dict) -> None:
        depth = body.get("vllm_xargs", {}).get("specwiki_depth")
        arm = "off" if depth is None else depth
        if NATIVE:
            arm, depth = CONFIG["method"], CONFIG["num_speculative_tokens"]
        if fault("die_in_arm", arm):
            print(f"ERROR: out of memory while serving {Path.cwd()} <script>alert(1)</script>", flush=True)
            os._exit(9)
        if fault("fail_in_arm", arm):
            self.reply(500, "application/json", b'{"error": "EngineCore died"}')
            threading.Timer(0.5, os._exit, [1]).start()
            return
        if fault("compile_in_arm", arm):
            print("WARNING Triton kernel JIT compilation during inference: f. This causes a latency spike", flush=True)
        made = steps(body["messages"][0]["content"], depth or 0, body["max_tokens"])
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number in range(len(made) + 1):
            time.sleep(STEP_S)
            self.say({"choices": [{"delta": {"content": f"word{number} "}, "finish_reason": None}]})
            while fault("hang_in_arm", arm):
                time.sleep(3600)
        self.count(made, depth)
        usage = {"prompt_tokens": 5, "completion_tokens": body["max_tokens"]}
        spec = None
        if SPECULATES:
            drafted = [one for one in made if one[0]]
            spec = {"per_step_drafted": [d for d, _ in drafted], "per_step_accepted": [a for _, a in drafted]}
        self.say({"choices": [{"delta": {}, "finish_reason": "length"}]})
        self.say({"choices": [], "usage": usage, "metrics": {"speculative_decoding": spec}})
        self.wfile.write(b"data: [DONE]\n\n")

    def count(self, made: list[tuple[int, int]], depth: int | None) -> None:
        with one_at_a_time:
            self.add(made, depth)

    def add(self, made: list[tuple[int, int]], depth: int | None) -> None:
        counters["requests"] += 1
        counters["prompt"] += 5
        counters["generated"] += 1 + sum(1 + accepted for _, accepted in made)
        if not depth:
            return
        counters["drafts"] += len(made)
        counters["drafted"] += sum(drafted for drafted, _ in made)
        counters["accepted"] += sum(accepted for _, accepted in made)
        for _, accepted in made:
            for position in range(accepted):
                positions[position] += 1

    def say(self, chunk: dict) -> None:
        self.wfile.write(f"data: {json.dumps({'model': MODEL, **chunk})}\n\n".encode())
        self.wfile.flush()

    def reply(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if fault("die_at_boot", "sweep" if SPECULATES else "off"):
    sys.exit("ValueError: num_speculative_tokens must divide by 3")
if fault("slow_at_boot", "sweep" if SPECULATES else "off"):
    time.sleep(3600)
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
