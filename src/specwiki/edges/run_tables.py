"""A finished run's blocks as two tables: `blocks.csv`, a row a block, and `requests.parquet`, a row a request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from specwiki.core.blocks import BlockRecord, RequestRecord
from specwiki.core.model import parse
from specwiki.errors import DataError

BLOCKS = "blocks.csv"
REQUESTS = "requests.parquet"
OWNER = "block"
"""Column of the requests' table with the index of their block."""


def write_run_tables(folder: Path, blocks: list[BlockRecord]) -> None:
    """Write both tables into a run folder that nobody reads yet."""
    rows = [block.model_dump(mode="json", exclude={"requests"}) for block in blocks]
    for row in rows:
        row["counters"] = json.dumps(row["counters"]) if row["counters"] else None
    pd.DataFrame(rows).to_csv(folder / BLOCKS, index=False)
    requests = [{OWNER: block.index, **request.model_dump()} for block in blocks for request in block.requests]
    pd.DataFrame(requests).to_parquet(folder / REQUESTS, index=False, compression="zstd")


def read_run_tables(folder: Path) -> list[BlockRecord]:
    """Read the blocks of a finished run back.

    Raises:
        DataError: If a table is missing or has other columns.
    """
    try:
        blocks = pd.read_csv(folder / BLOCKS, dtype=object, keep_default_na=False)
        requests = pd.read_parquet(folder / REQUESTS)
    except (OSError, ValueError) as failure:
        raise DataError(
            str(folder), f"its tables cannot be read: {failure}", "Restore the run from a copy"
        ) from failure
    by_block: dict[int, list[dict[str, Any]]] = {}
    for row in requests.to_dict(orient="records"):
        request: dict[str, Any] = {str(key): _plain(value) for key, value in row.items()}
        by_block.setdefault(request.pop(OWNER), []).append(request)
    return [_block(row, by_block, folder) for row in blocks.to_dict(orient="records")]


def _block(row: dict[Any, Any], by_block: dict[int, list[dict[str, Any]]], folder: Path) -> BlockRecord:
    data: dict[str, Any] = {key: (None if value == "" else value) for key, value in row.items()}
    if data["counters"]:
        data["counters"] = json.loads(data["counters"])
    where = f"{folder / BLOCKS}, block {data['index']}"
    data["requests"] = [
        parse(RequestRecord, request, where=where, error=DataError) for request in by_block.get(int(data["index"]), [])
    ]
    return parse(BlockRecord, data, where=where, error=DataError)


def _plain(value: Any) -> Any:
    """A cell as JSON has it: lists instead of arrays, None instead of NaN."""
    if hasattr(value, "tolist") and not isinstance(value, float):
        value = value.tolist()
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124 - NaN differs from itself
