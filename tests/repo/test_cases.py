"""The table of cases names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "core"


def test_every_named_test_exists():
    """Each test in `tests/core/CASES.md` is there, in the file that the table names."""
    named = 0
    for row in (FOLDER / "CASES.md").read_text(encoding="utf-8").splitlines():
        source = ""
        for file, name in re.findall(r"`([\w./]*)::(\w+)`", row):
            source = file or source
            named += 1
            assert f"def {name}(" in (FOLDER / source).read_text(encoding="utf-8"), f"{source}::{name}"
    assert named > 20
