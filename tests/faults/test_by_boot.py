"""Drafters compared, each in boots of its own, against the small server."""

from __future__ import annotations

import pytest

from specwiki.edges.run_tables import read_run_tables


@pytest.fixture
def runs(runs):
    runs.experiment = "drafters"
    return runs


def counting(runs):
    blocks = read_run_tables(runs.layout.local.run_folder(runs.result))
    return [one for one in blocks if one.status == "ok"]


def test_every_arm_has_boots_of_its_own(runs):
    """In each replicate every arm is booted once, warmed up with prompts that are not measured, and measured once."""
    code, _, err = runs.run()

    assert code == 0, err
    blocks = read_run_tables(runs.layout.local.run_folder(runs.result))
    measured = counting(runs)
    assert sorted((one.arm, one.replicate) for one in measured) == sorted(
        (arm, replicate) for arm in ("off", "ngram", "suffix") for replicate in (1, 2, 3, 4)
    )
    assert len({one.boot for one in measured}) == len(measured) == runs.num_cells()
    warm = {request.prompt_id for one in blocks if one.status == "warm-up" for request in one.requests}
    asked = [request.prompt_id for one in measured if one.replicate == 1 for request in one.requests]
    assert warm
    assert not warm & set(asked)
    assert {one.depth for one in measured if one.arm != "off"} == {4}

    result = runs.result
    for arm in ("ngram", "suffix"):
        assert result.values[f"ratio.c1.{arm}"].n == 4
        assert 0 < result.values[f"acceptance_rate.c1.{arm}.chat"].number < 1
        assert '"num_speculative_tokens": 4' in result.facts[f"drafter_config.{arm}"]
    assert set(result.outcomes) == {"adopt.c1", "winner.c1"} | {
        f"winner.c1.{stratum}" for stratum in ("chat", "code", "explaining", "copy-heavy")
    }
    assert set(result.tables) == {"drafters", "drafter-strata", "drafter-acceptance"}


def test_a_void_block_is_measured_again_in_another_boot(runs):
    """Its drafter has seen the prompts: only a new engine has not."""
    # Six requests of the warm-up, and the first one that is measured.
    runs.go_wrong(compile_in_arm="suffix", times=7)
    code, _, err = runs.run()

    assert code == 0, err
    blocks = read_run_tables(runs.layout.local.run_folder(runs.result))
    (void,) = [one for one in blocks if one.status == "void" and one.replicate > 0]
    (again,) = [one for one in blocks if one.status == "ok" and (one.arm, one.replicate) == (void.arm, void.replicate)]
    assert again.boot == void.boot + 1


def test_a_drafter_that_keeps_crashing_is_a_gap(runs):
    """The others go on; the page says that the engine crashed, and the decision is over what is left."""
    runs.go_wrong(die_in_arm="suffix")
    code, _, err = runs.run()

    assert code == 0, err
    assert {one.arm for one in counting(runs)} == {"off", "ngram"}
    assert runs.result.values["ratio.c1.suffix"].missing == "crashed"
    assert runs.result.values["ratio.c1.ngram"].number > 0


def test_a_server_that_runs_another_depth(runs):
    """Found out before anything is measured with it."""
    runs.go_wrong(serves_depth=3)
    code, _, err = runs.run("tiny")

    assert code == 3
    assert "num_speculative_tokens is 3, the profile asks for 4" in err
