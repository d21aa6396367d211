"""The order in which a plan's blocks run, and what is left of it after a cut."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specwiki.core import plan as planning
from specwiki.core.blocks import BlockRecord
from specwiki.core.model import Prompt, PromptSet, Stratum
from specwiki.core.plan_file import DrafterEffort, DrafterPlan, Effort, Plan, Rule
from specwiki.errors import InputError

RULE = Rule(primary="output_tok_s", guards=(), threshold=0.1, variant="strict", current_depth=4)


def effort(replicates=4, per_boot=2, **changed):
    fields = {
        "depths": (0, 2, 4),
        "concurrency": (1, 4),
        "strata": ("chat", "code"),
        "prompts_per_stratum": 1,
        "max_tokens": 8,
        "replicates": replicates,
        "replicates_per_boot": per_boot,
        "budget_minutes": 1,
    }
    return Effort(**{**fields, **changed})


def plan(one):
    return Plan(
        slug="depth", design="in_place", prompt_set="written", temperature=0, seed=1, twin_of=4, good_for_days=9,
        rule=RULE, efforts={"tiny": one},
    )  # fmt: skip


def boots(one, seed=1):
    return planning.boots(plan(one), one, ["pooled"], np.random.default_rng(seed))


def ran(boot_number, segment, start, status="ok"):
    """Blocks as if a segment had been measured in a boot."""
    return [
        BlockRecord(
            index=start + i, boot=boot_number, arm=cell.arm.name, depth=cell.arm.depth, concurrency=cell.concurrency,
            group=cell.group, replicate=cell.replicate, status=status, elapsed_s=1.0, counters=None, requests=(),
            started_utc=dt.datetime(2026, 11, 29, tzinfo=dt.UTC),
        )
        for i, cell in enumerate(segment.cells)
    ]  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(replicates=st.integers(2, 9), per_boot=st.integers(1, 9), seed=st.integers(0, 999))
def test_every_replicate_has_every_arm_once(replicates, per_boot, seed):
    """Whatever the grouping into boots, each replicate measures each arm, load and group exactly once."""
    one = effort(replicates, per_boot)
    cells = [cell for boot in boots(one, seed) for segment in boot.segments for cell in segment.cells]
    seen = [(cell.arm.name, cell.concurrency, cell.replicate) for cell in cells]

    arms = ("off", "d0", "d2", "d4", "d4-twin")
    wanted = {(arm, load, r) for arm in arms for load in (1, 4) for r in range(1, replicates + 1)}
    assert len(seen) == len(wanted)
    assert set(seen) == wanted


def test_the_second_order_is_the_first_backwards():
    """A steady drift falls on every arm alike: replicates come in pairs of opposite order."""
    sweep = [segment for boot in boots(effort()) if boot.kind == "sweep" for segment in boot.segments]
    names = [[(cell.arm.name, cell.concurrency) for cell in segment.cells] for segment in sweep]

    assert names[1] == names[0][::-1]
    assert names[3] == names[2][::-1]
    assert names[2] != names[0]


def test_off_alternates_with_the_sweep():
    """Boots of `off` stand before, between and after those of the sweep, and their replicates beside their own."""
    kinds = [(boot.kind, [segment.replicate for segment in boot.segments]) for boot in boots(effort())]

    assert kinds == [("off", [1]), ("sweep", [1, 2]), ("off", [2, 3]), ("sweep", [3, 4]), ("off", [4])]


def test_groups_outside_the_pool_run_where_they_describe_something():
    """Vietnamese prompts decide nothing: one load, `off` and the depth with the twin are enough."""
    one = effort()
    order = planning.boots(plan(one), one, ["pooled", "vietnamese"], np.random.default_rng(1))
    cells = [cell for boot in order for segment in boot.segments for cell in segment.cells]

    assert {(cell.arm.name, cell.concurrency) for cell in cells if cell.group == "vietnamese"} == {
        ("off", 1),
        ("d4", 1),
    }
    assert sum(cell.group == "pooled" for cell in cells) == 4 * 5 * 2


def test_the_order_is_the_seeds():
    """The same seed gives the same order, another seed another one."""
    assert boots(effort(), 1) == boots(effort(), 1)
    assert boots(effort(), 1) != boots(effort(), 2)


def test_a_cut_replicate_runs_again_as_a_whole():
    """Finished replicates are not repeated; one that lacks a block is, and its blocks are marked as split."""
    order = boots(effort())
    done = ran(0, order[0].segments[0], 0) + ran(1, order[1].segments[0], 10) + ran(1, order[1].segments[1], 30)[:3]
    left = planning.remaining(order, done)

    assert [(boot.kind, [segment.replicate for segment in boot.segments]) for boot in left] == [
        ("sweep", [2]), ("off", [2, 3]), ("sweep", [3, 4]), ("off", [4]),
    ]  # fmt: skip
    assert planning.split_blocks(order, done) == dict.fromkeys((30, 31, 32), planning.CUT)


def test_a_replicate_is_whole_only_within_one_boot():
    """Halves from two boots do not make a replicate."""
    order = boots(effort())
    segment = order[1].segments[0]
    done = ran(1, segment, 0)[:4] + ran(2, segment, 20)[4:]

    assert planning.remaining(order, done)[1].segments[0] == segment
    assert len(planning.split_blocks(order, done)) == len(segment.cells)


PROMPTS = PromptSet(
    id="written", kind="written", public=True, licence="Apache-2.0", description="d",
    strata=(Stratum(name="chat", language="en", pooled=True), Stratum(name="code", language="en", pooled=True),
            Stratum(name="vietnamese", language="vi", pooled=False)),
    prompts=tuple(
        Prompt(id=f"{name}-{i}", stratum=name, text="t") for name in ("chat", "code", "vietnamese") for i in (1, 2)
    ),
)  # fmt: skip


def test_pooled_strata_take_turns():
    """The pooled block mixes its strata evenly; a stratum outside the pool is a group of its own."""
    groups = planning.prompt_groups(PROMPTS, effort(strata=("chat", "code", "vietnamese"), prompts_per_stratum=None))

    assert [prompt.id for prompt in groups["pooled"]] == ["chat-1", "code-1", "chat-2", "code-2"]
    assert [prompt.id for prompt in groups["vietnamese"]] == ["vietnamese-1", "vietnamese-2"]


def test_an_unknown_stratum_is_named():
    """A stratum that the set lacks is an error that lists those it has."""
    with pytest.raises(InputError, match=r"stratum 'poems' is not in it, expected one of \['chat', 'code', 'v"):
        planning.prompt_groups(PROMPTS, effort(strata=("poems",)))


def test_pooled_strata_have_the_same_weight():
    """Strata of different sizes cannot be pooled."""
    uneven = PROMPTS.model_copy(update={"prompts": PROMPTS.prompts[:3]})
    with pytest.raises(InputError, match=r"the pooled strata have \[1, 2\] prompts"):
        planning.prompt_groups(uneven, effort(prompts_per_stratum=None))


def crashed(block, times):
    return [block.model_copy(update={"index": 500 + i, "boot": 50 + i, "status": "crashed"}) for i in range(times)]


def test_an_arm_is_given_up_at_its_third_crash():
    """Until then it is tried again; after that the plan goes on without it, and what it had counts nowhere."""
    order = boots(effort())
    done = ran(0, order[0].segments[0], 0) + ran(1, order[1].segments[0], 10)
    victim = next(block for block in done if block.arm == "d2")
    twice, thrice = done + crashed(victim, 2), done + crashed(victim, 3)

    assert planning.lost_arms(twice) == set()
    assert planning.lost_arms(thrice) == {"d2"}
    arms = {cell.arm.name for boot in planning.remaining(order, thrice) for one in boot.segments for cell in one.cells}
    assert "d2" not in arms
    assert planning.num_cells(order, thrice) < planning.num_cells(order, twice)
    assert planning.split_blocks(order, thrice) == {
        block.index: planning.GIVEN_UP for block in done if block.arm == "d2"
    }
    assert planning.comparable(order, thrice)


def test_without_off_nothing_can_be_compared():
    """Nor with `off` alone."""
    order = boots(effort())
    off = ran(0, order[0].segments[0], 0)[0]
    sweep = ran(1, order[1].segments[0], 10)
    arms = {block.arm: block for block in sweep}

    assert not planning.comparable(order, crashed(off, 3))
    assert not planning.comparable(order, [one for block in arms.values() for one in crashed(block, 3)])


def drafters(replicates=4, most=None, *, twin=True):
    one = DrafterEffort(
        concurrency=(1,), strata=("chat",), prompts_per_stratum=1, max_tokens=8, replicates=replicates,
        budget_minutes=1, most_drafters=most, twin=twin,
    )  # fmt: skip
    plan = DrafterPlan(
        slug="drafters", design="by_boot", prompt_set="written", temperature=0, seed=1, good_for_days=9, depth=4,
        warm_up="vietnamese", efforts={"tiny": one},
        rule={"primary": "output_tok_s", "guards": (), "threshold": 0.1, "variant": "strict"},
    )  # fmt: skip
    return planning.drafter_boots(plan, one, ["ngram", "suffix"], ["pooled"], np.random.default_rng(1))


def test_each_drafter_is_booted_once_a_replicate():
    """So is `off`, twice; the second order of two is the first backwards, and no boot serves two arms."""
    order = drafters()
    kinds = [boot.kind for boot in order]
    arms = ["ngram", "off", "off-twin", "suffix"]

    assert [sorted(kinds[i : i + 4]) for i in range(0, 16, 4)] == [arms] * 4
    assert kinds[4:8] == kinds[3::-1]
    assert all(len(boot.segments) == len(boot.segments[0].cells) == 1 for boot in order)
    assert {(cell.arm.name, cell.arm.depth) for boot in order for cell in boot.segments[0].cells} == {
        ("off", None), ("off-twin", None), ("ngram", 4), ("suffix", 4)
    }  # fmt: skip


def test_an_effort_may_take_the_first_drafters_only():
    """Without the twin, and without the drafters that say less."""
    assert {boot.kind for boot in drafters(most=1, twin=False)} == {"off", "ngram"}


def test_a_cut_boot_is_run_again_whole():
    """What ended well in another boot is not repeated."""
    order = drafters()
    done = ran(0, order[0].segments[0], 0) + ran(1, order[1].segments[0], 1, status="crashed")

    left = planning.remaining(order, done)
    assert [boot.kind for boot in left] == [boot.kind for boot in order[1:]]
    assert planning.num_cells(order, done) == 16
