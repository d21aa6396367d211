"""This wiki's own Vietnamese pages and wordings are translations of the English ones as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from specwiki.core.layout import Layout, Store
from specwiki.study.translation import outdated

ROOT = Path(__file__).parents[2]
LAYOUT = Layout(ROOT, Store(ROOT / "no-such-folder" / "data"))
FILES = [*(ROOT / "docs" / "en").glob("*.md"), *(ROOT / "docs" / "claims").glob("*.toml")]
NAMES = sorted({path.stem for path in FILES})


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_out_of_date(name):
    """Each block and wording is recorded under the English text and the published verdicts of today."""
    assert [f"{one.id}: {one.reason}" for one in outdated(LAYOUT, name)] == []
