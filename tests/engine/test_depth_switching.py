"""What the real engine does: depths in one boot against native boots, and three effects that must be seen.

All boots of this file are in one fixture, one after another, since only one engine may be up.
"""

from __future__ import annotations

import math
import re
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from scipy import stats as scipy_stats

from specwiki.core.counters import Absence
from specwiki.core.prometheus import Counters, difference, read_snapshot, spec_counters
from specwiki.core.stats import Boots, BootSd, log_ratios, ratio_interval
from specwiki.edges import client
from specwiki.errors import MeasurementError

# The fixture with its five boots runs within the first test.
pytestmark = [pytest.mark.engine, pytest.mark.timeout(1500)]

MAX_TOKENS = 32
LONG = 1000
"""Tokens of a request that must still run when another one arrives: seconds, also on a fast machine."""
UNDER_WAY = 16
"""Tokens after which a request has surely begun: more than one step of a request before it can still add."""
TRIES = 5
LIMIT_S = 120.0
PAIRS = 6
REFUSED = re.compile("HTTP 500|error")


@dataclass
class Measured:
    """What five boots gave.

    Attributes:
        in_place, native: Depth → records, counters, seconds; in one boot, and in a boot of each depth.
        off: The same of an engine without speculation.
        refused, unknown: What became of requests for another depth.
        twins: Pairs of throughputs of one arm under two names, taken in turns.
        lists: Throughput on lists: at depth 4, and `off`.
        written: Throughput on written prompts: with the cut-down target as drafter at depth 0, and `off`.
    """

    in_place: dict[int, tuple]
    native: dict[int, tuple]
    off: tuple
    refused: bool
    unknown: bool
    twins: list[tuple[float, float]]
    lists: tuple[list[float], list[float]]
    written: tuple[list[float], list[float]]


def sampling(profile, depth, max_tokens=MAX_TOKENS, *, ignore_eos=False):
    return client.Sampling(profile.target.name, depth, max_tokens, 0.0, LIMIT_S, ignore_eos)


def answered(live, profile, prompts, depth) -> tuple[list, Counters, float]:
    """Answer the prompts one after another from an empty prefix cache; records, counters and seconds."""
    client.reset_prefix_cache(live.url)
    before = read_snapshot(client.read_metrics(live.url))
    records, elapsed_s = client.run_requests(live.url, prompts, sampling(profile, depth), 1)
    return records, difference(before, read_snapshot(client.read_metrics(live.url))), elapsed_s


def throughput(live, profile, prompts, depth) -> float:
    """Tokens per second of one block of full answers at one stream."""
    client.reset_prefix_cache(live.url)
    full = sampling(profile, depth, 20, ignore_eos=True)
    records, elapsed_s = client.run_requests(live.url, prompts, full, 1)
    return sum(record.completion_tokens for record in records) / elapsed_s


def drafts(records):
    return [(record.drafted, record.accepted, record.text_sha256) for record in records]


@pytest.fixture(scope="module")
def measured(boot, profile, prompts, lists) -> Measured:
    started = contextmanager(boot)
    in_place, native = {}, {}
    with started(depths=(0, 2, 4)) as live:
        answered(live, profile, prompts, 4)
        for depth in (2, 4, 0):
            in_place[depth] = answered(live, profile, prompts, depth)
        refused = depth_is_refused_while_requests_run(live, profile, prompts)
        unknown = unknown_depth_is_refused(live, profile, prompts)
        throughput(live, profile, lists, 4)
        twins = [(throughput(live, profile, lists, 4), throughput(live, profile, lists, 4)) for _ in range(PAIRS)]
    for depth in (2, 4):
        with started(native_depth=depth) as live:
            native[depth] = answered(live, profile, prompts, None)
    with started() as live:
        answered(live, profile, prompts, None)
        off = answered(live, profile, prompts, None)
        lists_off = [throughput(live, profile, lists, None) for _ in range(PAIRS)]
        written_off = [throughput(live, profile, prompts[:2], None) for _ in range(PAIRS)]
    with started(depths=(0, 4), cut=True) as live:
        throughput(live, profile, prompts[:2], 0)
        written_cut = [throughput(live, profile, prompts[:2], 0) for _ in range(PAIRS)]
    lists_deep = [(one * other) ** 0.5 for one, other in twins]
    return Measured(in_place, native, off, refused, unknown, twins, (lists_deep, lists_off), (written_cut, written_off))


def over(one, other):
    """Ratio of two arms of different boots with its 95 % interval, the assumed scatter of boots included."""
    boots = Boots(BootSd(), (0,) * len(one), (1,) * len(other))
    return ratio_interval(log_ratios(one, other), boots)


def test_one_boot_equals_native_boots(measured):
    """At depths 2 and 4 all counts and answers are those of native boots."""
    for depth in (2, 4):
        in_place = spec_counters(measured.in_place[depth][1], depth)
        assert in_place.num_drafts > 0
        assert in_place == spec_counters(measured.native[depth][1], depth)
        assert drafts(measured.in_place[depth][0]) == drafts(measured.native[depth][0])


def test_depth_0_drafts_nothing(measured):
    """And it is told apart from an engine that was started without speculation."""
    assert spec_counters(measured.in_place[0][1], 0) is Absence.DRAFTER_DID_NOT_RUN
    assert spec_counters(measured.off[1]) is Absence.SPECULATION_OFF
    tok_s = [sum(one.completion_tokens for one in of[0]) / of[2] for of in (measured.in_place[0], measured.off)]
    print(f"\ndepth 0 over off: {tok_s[0] / tok_s[1]:.3f}, one block each")


def test_a_depth_is_refused_while_requests_run(measured):
    """And the running request goes on to its end; so is a depth that the engine does not know."""
    assert measured.refused
    assert measured.unknown


def test_twins_are_not_told_apart(measured):
    """A depth against itself: 1 lies in the 99.9 % interval of the ratio."""
    logs = [math.log(one / other) for one, other in measured.twins]
    mean, scatter = statistics.mean(logs), statistics.stdev(logs) / math.sqrt(PAIRS)
    half = scatter * scipy_stats.t.ppf(0.9995, PAIRS - 1)
    print(f"\nA/A: {math.exp(mean):.3f} [{math.exp(mean - half):.3f}, {math.exp(mean + half):.3f}], 99.9 %")
    assert mean - half <= 0 <= mean + half


def test_lists_are_seen_to_gain(measured):
    """On lists of code words depth 4 differs from off, and is the faster."""
    ratio = over(*measured.lists)
    print(f"\nlists, depth 4 over off: {ratio.point:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]")
    assert ratio.low > 1


def test_a_bad_drafter_is_seen_to_cost(measured):
    """With the cut-down target as drafter, depth 0 in place is slower than off: its first pass still runs."""
    ratio = over(*measured.written)
    print(f"\ncut-down target, depth 0 over off: {ratio.point:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]")
    assert ratio.high < 1


def depth_is_refused_while_requests_run(live, profile, prompts) -> bool:
    """A request for another depth ends with an error, and the running one writes all of its tokens, with drafts.

    Its text is not compared with that of another time: over a thousand tokens, whether a prefix was in the cache rounds
    differently, and one other token changes all that follow. The engine's count of tokens says whether it was still
    running when the other was answered. Where it may have ended, nothing was seen: then once more.
    """
    long = sampling(profile, 4, LONG, ignore_eos=True)
    with ThreadPoolExecutor(max_workers=1) as thread:
        for _ in range(TRIES):
            start = _tokens_written(live)
            during = thread.submit(client.run_requests, live.url, prompts[:1], long, 1)
            until = time.monotonic() + LIMIT_S
            while _tokens_written(live) < start + UNDER_WAY and not during.done():
                assert time.monotonic() < until
            ending = _ending(live, profile, prompts[1:2], 2)
            written = _tokens_written(live) - start
            if written < LONG:
                assert REFUSED.search(ending), f"ended with '{ending}' after {written:.0f} of {LONG} tokens"
                (record,) = during.result()[0]
                whole = record.completion_tokens == LONG and sum(record.drafted) > 0
                return whole and "refused" in live.log.read_text()
            during.result()
    pytest.fail(f"the long request may have ended {TRIES} times before another one was answered")


def unknown_depth_is_refused(live, profile, prompts) -> bool:
    """A depth that the engine was not started with ends with an error."""
    return REFUSED.search(_ending(live, profile, prompts[:1], 3)) is not None


def _ending(live, profile, prompts, depth) -> str:
    """What a request at this depth ends with: the text of an error, or 'an answer'."""
    try:
        client.run_requests(live.url, prompts, sampling(profile, depth), 1)
    except MeasurementError as failure:
        return str(failure)
    return "an answer"


def _tokens_written(live) -> float:
    (count,) = re.findall(r"^vllm:generation_tokens_total\{.*\} (\S+)$", client.read_metrics(live.url), re.MULTILINE)
    return float(count)
