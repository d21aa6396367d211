"""The time of day that a run's blocks are dated with."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable


class RunClock:
    """Reads the host's clock once, and goes on from there: it never goes back, whatever that clock does later."""

    def __init__(self, read: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)) -> None:
        self._began = read()
        self._origin_s = time.monotonic()

    def now(self) -> dt.datetime:
        """The time of day, by the host's clock as it was when this one was made."""
        return self._began + dt.timedelta(seconds=time.monotonic() - self._origin_s)
