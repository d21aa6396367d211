"""A run's tables give back the blocks that they were made from."""

from __future__ import annotations

import datetime as dt

import pytest

from specwiki.core.blocks import BlockRecord, RequestRecord, SpecTotals
from specwiki.edges.run_tables import BLOCKS, read_run_tables, write_run_tables
from specwiki.errors import DataError


def request(**changed):
    fields = {
        "prompt_id": "chat-01", "stratum": "chat", "started_s": 0.1, "ttft_ms": 9.5, "e2e_ms": 99.25,
        "prompt_tokens": 5, "completion_tokens": 9, "finish_reason": "length", "text_sha256": "0" * 64,
        "repeated_4grams": 0.25, "drafted": (4, 4), "accepted": (2, 0),
    }  # fmt: skip
    return RequestRecord(**{**fields, **changed})


def block(index, **changed):
    fields = {
        "index": index, "boot": 0, "arm": "d4", "depth": 4, "concurrency": 1, "group": "pooled", "replicate": 1,
        "status": "ok", "started_utc": dt.datetime(2026, 11, 29, 1, 2, 3, 456789, tzinfo=dt.UTC), "elapsed_s": 1.25,
        "counters": SpecTotals(num_drafts=2, num_draft_tokens=8, num_accepted_tokens=2,
                               accepted_per_position=(1, 1, 0, 0)),
        "prefix_hits": 0, "prefix_queries": 12, "preemptions": 0, "requests": (request(),),
    }  # fmt: skip
    return BlockRecord(**{**fields, **changed})


BLOCKS_OF_EACH_KIND = [
    block(0),
    block(1, arm="off", depth=None, counters=None, absence="speculation_off",
          requests=(request(drafted=None, accepted=None, repeated_4grams=None),)),
    block(2, depth=0, counters=None, absence="drafter_did_not_run", requests=(request(drafted=(), accepted=()),)),
    block(3, status="void", reason='counters say "8", answers 7, and a comma', prefix_hits=None),
    block(4, status="crashed", reason="line one\nline two", requests=()),
]  # fmt: skip


def test_every_kind_of_block_comes_back(tmp_path):
    """Missing is not zero, an empty array is not a missing one, and texts keep their commas and lines."""
    write_run_tables(tmp_path, BLOCKS_OF_EACH_KIND)

    assert read_run_tables(tmp_path) == BLOCKS_OF_EACH_KIND


def test_a_missing_table_is_named(tmp_path):
    """A run folder without its tables is an error that names it."""
    with pytest.raises(DataError, match="its tables cannot be read"):
        read_run_tables(tmp_path)


def test_a_wrong_cell_is_named(tmp_path):
    """A block whose status does not exist is named with its number."""
    write_run_tables(tmp_path, BLOCKS_OF_EACH_KIND)
    path = tmp_path / BLOCKS
    path.write_text(path.read_text().replace(",ok,", ",fine,", 1))

    with pytest.raises(DataError, match=r"blocks\.csv, block 0: status is 'fine'"):
        read_run_tables(tmp_path)
