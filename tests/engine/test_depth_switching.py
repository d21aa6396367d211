"""One boot with our scheduler measures what a boot of vLLM's own at each depth would measure."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from specwiki.core.counters import Absence
from specwiki.core.prometheus import Counters, difference, read_snapshot, spec_counters
from specwiki.edges import client
from specwiki.errors import MeasurementError

pytestmark = pytest.mark.engine

MAX_TOKENS = 32
LONG = 400
"""Tokens of a request that must still run when another one arrives: seconds, also on a fast machine."""
LIMIT_S = 120.0


def sampling(profile, depth, max_tokens=MAX_TOKENS):
    return client.Sampling(profile.target.name, depth, max_tokens, 0.0, LIMIT_S)


def answered(live, profile, prompts, depth) -> tuple[list, Counters, float]:
    """Answer the prompts one after another from an empty prefix cache; records, counters and seconds."""
    client.reset_prefix_cache(live.url)
    before = read_snapshot(client.read_metrics(live.url))
    records, elapsed_s = client.run_requests(live.url, prompts, sampling(profile, depth), 1)
    return records, difference(before, read_snapshot(client.read_metrics(live.url))), elapsed_s


def drafts(records):
    return [(record.drafted, record.accepted, record.text_sha256) for record in records]


def test_one_boot_equals_native_boots(boot, profile, prompts):
    """At depths 2 and 4 all counts and answers are those of native boots; depth 0 drafts nothing."""
    started = contextmanager(boot)
    seen = {}
    with started(depths=(0, 2, 4)) as live:
        answered(live, profile, prompts, 4)
        for depth in (2, 4, 0):
            seen[depth] = answered(live, profile, prompts, depth)
        refused = depth_is_refused_while_requests_run(live, profile, prompts)
        unknown = unknown_depth_is_refused(live, profile, prompts)
    native = {}
    for depth in (2, 4):
        with started(native_depth=depth) as live:
            native[depth] = answered(live, profile, prompts, None)
    with started() as live:
        answered(live, profile, prompts, None)
        off = answered(live, profile, prompts, None)

    for depth in (2, 4):
        in_place, at_boot = spec_counters(seen[depth][1], depth), spec_counters(native[depth][1], depth)
        assert in_place.num_drafts > 0
        assert in_place == at_boot
        assert drafts(seen[depth][0]) == drafts(native[depth][0])
    assert spec_counters(seen[0][1], 0) is Absence.DRAFTER_DID_NOT_RUN
    assert spec_counters(off[1]) is Absence.SPECULATION_OFF
    assert refused
    assert unknown
    tokens = [sum(record.completion_tokens for record in one[0]) / one[2] for one in (seen[0], off)]
    print(f"\ndepth 0 over off: {tokens[0] / tokens[1]:.3f}, one block each")


def depth_is_refused_while_requests_run(live, profile, prompts) -> bool:
    """A request for another depth ends with an error, and the running one ends as if it had not come."""
    long = sampling(profile, 4, LONG)
    alone = client.run_requests(live.url, prompts[:1], long, 1)[0]
    with ThreadPoolExecutor(max_workers=1) as thread:
        during = thread.submit(client.run_requests, live.url, prompts[:1], long, 1)
        until = time.monotonic() + LIMIT_S
        while not _running(live):
            assert not during.done(), f"the long request ended unseen: {during.result()[0]}"
            assert time.monotonic() < until
        with pytest.raises(MeasurementError, match="HTTP 500|error"):
            client.run_requests(live.url, prompts[1:2], sampling(profile, 2), 1)
        assert not during.done()
        return drafts(during.result()[0]) == drafts(alone) and "refused" in live.log.read_text()


def unknown_depth_is_refused(live, profile, prompts) -> bool:
    """A depth that the engine was not started with ends with an error."""
    with pytest.raises(MeasurementError, match="HTTP 500|error"):
        client.run_requests(live.url, prompts[:1], sampling(profile, 3), 1)
    return True


def _running(live) -> bool:
    return re.search(r"^vllm:num_requests_running\{.*\} 1\.0$", client.read_metrics(live.url), re.MULTILINE) is not None
