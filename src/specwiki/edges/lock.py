"""One engine on a host at a time: a lock file that says who holds it."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from specwiki.errors import EngineError

LOCK_NAME = "engine.lock"
PATIENCE_S = 2.0
"""An engine that was ended a moment ago lets go of the lock within this time; one that runs does not."""


@contextmanager
def engine_lock(cache: Path, purpose: str) -> Iterator[int]:
    """Hold the host's engine lock.

    The kernel drops it when every process that inherited the descriptor has ended, so it cannot be left behind
    by a crash, and a second engine cannot start while the first is still being ended.

    Args:
        cache: The cache folder of this user.
        purpose: What the engine is wanted for; shown to whoever comes second.

    Yields:
        The descriptor of the lock, to be inherited by the engine.

    Raises:
        EngineError: If another process holds it; the message says which, and for what.
    """
    cache.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(cache / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, cache / LOCK_NAME)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "purpose": purpose}).encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise _held(path) from None
            time.sleep(0.05)
        else:
            return


def check_free(cache: Path) -> None:
    """Raise `EngineError` if another process holds the engine lock now."""
    with engine_lock(cache, "a look at the lock"):
        pass


def _held(path: Path) -> EngineError:
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
        said = f"process {holder['pid']} holds it for {holder['purpose']}"
    except (ValueError, KeyError):
        said = "another process holds it"
    return EngineError(
        "engine", f"{said}, expected no other engine on this host", "Wait until it has ended, or end that process"
    )
