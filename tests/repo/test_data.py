"""What is committed in `data/` is whole, small enough, and tells nothing of the machine it was made on."""

from __future__ import annotations

import getpass
import re
import unicodedata
from pathlib import Path

import pytest

from specwiki.core.keys import KEYS
from specwiki.core.layout import Layout, Store
from specwiki.core.model import PromptSet, parse
from specwiki.edges.run_tables import read_run_tables
from specwiki.edges.store import read_results, read_toml
from specwiki.study.check import problems

ROOT = Path(__file__).parents[2]
LAYOUT = Layout(ROOT, Store(ROOT / "no-such-folder" / "data"))
RESULTS = read_results(LAYOUT.published)


def test_there_is_a_full_result():
    """The wiki shows a full measurement of the depth experiment."""
    assert [result for result in RESULTS if (result.experiment, result.effort) == ("depth", "full")]


def test_every_metric_is_made():
    """A name that pages and claims may ask for, and that no code makes, would read "not measured" for ever."""
    made = {key.split(".")[0] for result in RESULTS for key in result.values}

    assert set(KEYS) <= made


def test_nothing_is_wrong():
    """`specwiki check` finds no problem in data, plans and pages."""
    assert [str(problem) for problem in problems(LAYOUT)] == []


@pytest.mark.parametrize("result", RESULTS, ids=lambda one: one.run_id)
def test_current_blocks_are_whole(result):
    """Every replicate of a published run has every arm once."""
    folder = LAYOUT.published.blocks_folder(result)
    if not folder.exists():
        return
    counted = [
        (one.arm, one.concurrency, one.group, one.replicate) for one in read_run_tables(folder) if one.status == "ok"
    ]
    assert len(counted) == len(set(counted)) == result.facts["blocks"]


def test_no_trace_of_a_machine():
    """No absolute path, and no user's name, in any committed file."""
    user = getpass.getuser()
    for path in (ROOT / "data").rglob("*"):
        if path.is_file() and path.suffix != ".parquet":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(?<![\w$~.])/(home|root|tmp|work|Users|var)/\w", text), path
            assert user == "root" or user not in text, path


@pytest.mark.parametrize("path", sorted(LAYOUT.prompts.glob("*.toml")), ids=lambda one: one.stem)
def test_prompt_sets(path):
    """Each set is valid, in NFC, and its pooled strata have the same number of prompts."""
    prompt_set = parse(PromptSet, read_toml(path), where=path.name)
    sizes = {
        sum(prompt.stratum == stratum.name for prompt in prompt_set.prompts)
        for stratum in prompt_set.strata
        if stratum.pooled
    }

    assert len(sizes) == 1
    assert all(unicodedata.is_normalized("NFC", prompt.text) for prompt in prompt_set.prompts)


def test_the_written_set():
    """At least 24 prompts in four pooled strata, and a Vietnamese stratum outside the pooled value."""
    prompt_set = parse(PromptSet, read_toml(LAYOUT.prompts / "written.toml"), where="written")
    pooled = [stratum.name for stratum in prompt_set.strata if stratum.pooled]

    assert pooled == ["chat", "code", "explaining", "copy-heavy"]
    assert sum(prompt.stratum in pooled for prompt in prompt_set.prompts) >= 24
    assert [stratum.name for stratum in prompt_set.strata if stratum.language == "vi"] == ["vietnamese"]
