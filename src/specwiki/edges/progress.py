"""How far a measurement is: written by the process that measures, read by the one that shows it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

PROGRESS_VARIABLE = "SPECWIKI_PROGRESS"
"""Environment variable with the path of the file; unset: nobody is looking."""


@dataclass(frozen=True)
class Progress:
    """One state of a run."""

    done: int
    total: int
    """Blocks."""
    what: str
    left_s: float | None
    """None: too early to tell."""


def tell(progress: Progress) -> None:
    """Replace the state in the progress file, if there is one and the disk has room: no run ends for want of it."""
    named = os.environ.get(PROGRESS_VARIABLE)
    if named:
        path = Path(named)
        temporary = path.with_suffix(".tmp")
        with suppress(OSError):
            temporary.write_text(json.dumps(asdict(progress)), encoding="utf-8")
            temporary.replace(path)


def look(path: Path) -> Progress | None:
    """The last state told; None: none yet."""
    try:
        return Progress(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
