"""The engine's HTTP interface: chat completions, counters, the prefix cache."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx

from specwiki.core.blocks import RequestRecord, repeated_4grams
from specwiki.core.model import Prompt
from specwiki.errors import CrashError, MeasurementError, SpecwikiError


@dataclass(frozen=True)
class Sampling:
    """What every request of a block asks for.

    Attributes:
        model: Name that the engine serves its target under; every answer must name it.
        depth: Depth to switch to; None: leave it as the engine was started.
        max_tokens: Cap of an answer.
        temperature: 0 is greedy.
        timeout_s: For one whole request.
        ignore_eos: Answer on to `max_tokens` whatever the model says; for synthetic prompts only.
    """

    model: str
    depth: int | None
    max_tokens: int
    temperature: float
    timeout_s: float
    ignore_eos: bool = False


@dataclass
class _Stream:
    """What has been read of one streamed answer."""

    text: list[str] = field(default_factory=list)
    first_at: float | None = None
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    speculative: dict[str, Any] | None = None


def run_requests(
    url: str, prompts: Sequence[Prompt], sampling: Sampling, concurrency: int
) -> tuple[list[RequestRecord], float]:
    """Answer each prompt once, keeping `concurrency` requests in flight.

    Args:
        url: The engine's address.
        prompts: Sent in this order.
        sampling: The same for all of them.
        concurrency: At least 1.

    Returns:
        One record a prompt, in the order of `prompts`, and the seconds from the first request to the last answer.

    Raises:
        CrashError: If the engine goes away, or a request takes too long; names the prompt.
        MeasurementError: If a request is answered by an error or by another model, or its answer makes no sense.
    """
    # In a thread of its own: a notebook's kernel already runs an event loop in the main one.
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, _run_requests(url, prompts, sampling, concurrency)).result()


async def _run_requests(
    url: str, prompts: Sequence[Prompt], sampling: Sampling, concurrency: int
) -> tuple[list[RequestRecord], float]:
    waiting = list(enumerate(prompts))[::-1]
    records: dict[int, RequestRecord] = {}
    limits = httpx.Limits(max_connections=concurrency)
    began = time.perf_counter()
    failed: SpecwikiError | None = None

    async def work(client: httpx.AsyncClient) -> None:
        while waiting:
            index, prompt = waiting.pop()
            records[index] = await _complete(client, prompt, sampling, began)

    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=sampling.timeout_s, trust_env=False) as client:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(work(client))
        except* SpecwikiError as failures:
            failed = next(one for one in failures.exceptions if isinstance(one, SpecwikiError))
        elapsed_s = time.perf_counter() - began
    if failed is not None:
        # Out here it has no group of exceptions behind it, which a notebook's kernel could not report.
        raise failed
    return [records[index] for index in range(len(prompts))], elapsed_s


async def _complete(client: httpx.AsyncClient, prompt: Prompt, sampling: Sampling, began: float) -> RequestRecord:
    sent_at = time.perf_counter()
    try:
        async with asyncio.timeout(sampling.timeout_s):
            stream = await _read_stream(client, _body(prompt, sampling), sampling.model)
    except (httpx.TimeoutException, TimeoutError) as failure:
        raise CrashError(
            f"request '{prompt.id}'",
            f"no whole answer within {sampling.timeout_s:.3g} s",
            "Raise 'request_timeout_s' in the profile, or lower 'max_tokens'",
        ) from failure
    except httpx.TransportError as failure:
        raise _gone(f"request '{prompt.id}'", failure) from failure
    if stream.usage is None or stream.finish_reason is None:
        raise MeasurementError(
            f"request '{prompt.id}'", "the answer ended without usage or finish_reason", "See the engine's log"
        )
    return _record(prompt, stream, sent_at, began)


def _body(prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": sampling.model,
        "messages": [{"role": "user", "content": prompt.text}],
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if sampling.ignore_eos:
        body["ignore_eos"] = True
    if sampling.depth is not None:
        body["vllm_xargs"] = {"specwiki_depth": sampling.depth}
    return body


async def _read_stream(client: httpx.AsyncClient, body: dict[str, Any], model: str) -> _Stream:
    stream = _Stream()
    async with client.stream("POST", "/v1/chat/completions", json=body) as response:
        if not response.is_success:
            said = " ".join((await response.aread()).decode(errors="replace").split())[:300]
            raise MeasurementError("engine", f"answered HTTP {response.status_code}: {said}", "See the engine's log")
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                _add(stream, _chunk(line.removeprefix("data: ")), model)
    return stream


def _chunk(text: str) -> dict[str, Any]:
    try:
        chunk = json.loads(text)
    except ValueError:
        chunk = None
    if not isinstance(chunk, dict):
        raise MeasurementError(
            "engine", f"sent '{text[:100]}', expected a JSON object", "Ask the engine itself, not a router"
        )
    return chunk


def _add(stream: _Stream, chunk: dict[str, Any], model: str) -> None:
    if "error" in chunk:
        raise MeasurementError("engine", f"ended an answer with {chunk['error']}", "See the engine's log")
    if chunk.get("model") != model:
        raise MeasurementError(
            "engine",
            f"model '{chunk.get('model')}' answered, expected '{model}'",
            "Ask the engine itself, not a router",
        )
    for choice in chunk["choices"]:
        piece = choice["delta"].get("content")
        if piece:
            stream.first_at = stream.first_at or time.perf_counter()
            stream.text.append(piece)
        stream.finish_reason = choice.get("finish_reason") or stream.finish_reason
    if chunk.get("usage"):
        stream.usage = chunk["usage"]
        stream.speculative = (chunk.get("metrics") or {}).get("speculative_decoding")


def _record(prompt: Prompt, stream: _Stream, sent_at: float, began: float) -> RequestRecord:
    ended_at = time.perf_counter()
    text = "".join(stream.text)
    usage = stream.usage or {}
    spec = stream.speculative
    return RequestRecord(
        prompt_id=prompt.id,
        stratum=prompt.stratum,
        started_s=sent_at - began,
        ttft_ms=((stream.first_at or ended_at) - sent_at) * 1e3,
        e2e_ms=(ended_at - sent_at) * 1e3,
        prompt_tokens=usage["prompt_tokens"],
        completion_tokens=usage["completion_tokens"],
        finish_reason=stream.finish_reason or "",
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        repeated_4grams=repeated_4grams(text),
        drafted=None if spec is None else tuple(spec.get("per_step_drafted") or ()),
        accepted=None if spec is None else tuple(spec.get("per_step_accepted") or ()),
    )


def read_metrics(url: str) -> str | None:
    """The text of `/metrics`; None when it answered with an error, which is not the same as zero.

    Raises:
        CrashError: If the engine does not answer at all.
    """
    response = _ask("GET", f"{url}/metrics")
    return response.text if response.is_success else None


def reset_prefix_cache(url: str) -> None:
    """Forget every cached prefix, so that a block does not profit from the one before it.

    Raises:
        CrashError: If the engine does not answer at all.
        MeasurementError: If it refuses.
    """
    response = _ask("POST", f"{url}/reset_prefix_cache")
    if not response.is_success:
        raise MeasurementError(
            "engine",
            f"/reset_prefix_cache answered HTTP {response.status_code}",
            "Start the engine with VLLM_SERVER_DEV_MODE=1, on loopback",
        )


def _ask(method: str, address: str) -> httpx.Response:
    try:
        with httpx.Client(trust_env=False, timeout=30.0) as client:
            return client.request(method, address)
    except (httpx.TransportError, httpx.InvalidURL) as failure:
        raise _gone(address.rpartition("/")[2], failure) from failure


def _gone(where: str, failure: Exception) -> CrashError:
    return CrashError(where, f"the engine went away ({failure!r})", "See the engine's log")
