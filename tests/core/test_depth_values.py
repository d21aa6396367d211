"""From blocks with a known truth to values, decisions, tables and chart rows."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pytest

from specwiki.core import depth_acceptance, depth_findings, depth_values, drafter_values, synthetic_values
from specwiki.core.blocks import POOLED, SYNTHETIC, BlockRecord, RequestRecord, SpecTotals
from specwiki.core.model import Drafter
from specwiki.core.plan_file import BaseRule, Rule
from specwiki.core.stats import ASSUMED_BOOT_SD
from specwiki.errors import MeasurementError

STRATA = ("chat", "code")
TOKENS = 41
RULE = Rule(primary="output_tok_s", guards=(), threshold=0.1, variant="strict", current_depth=4)


def requests(depth, speed, stratum_of, number=4):
    """Answers of `number` prompts; each decode step that drafts has half of its tokens accepted."""
    made = []
    for i in range(number):
        drafted = accepted = None
        if depth is not None:
            steps = 5 if depth else 0
            drafted, accepted = (depth,) * steps, (depth // 2 + i % 2 * (depth > 1) * (depth // 2),) * steps
        made.append(
            RequestRecord(
                prompt_id=f"{stratum_of(i)}-{i}", stratum=stratum_of(i), started_s=i, ttft_ms=100,
                e2e_ms=100 + TOKENS / speed * 1e3, prompt_tokens=9, completion_tokens=TOKENS, finish_reason="length",
                text_sha256="0" * 64, repeated_4grams=0.1 * i, drafted=drafted, accepted=accepted,
            )
        )  # fmt: skip
    return tuple(made)


def block(index, boot, arm, load, replicate, speed, **changed):
    group = changed.get("group", POOLED)
    depth = None if arm.startswith("off") else int(arm[1]) if arm[0] == "d" else 4
    stratum_of = (lambda i: STRATA[i % 2]) if group == POOLED else (lambda _: group)
    made = requests(depth, speed / load, stratum_of)
    counters = None
    if depth:
        drafts = sum(len(one.drafted) for one in made)
        accepted = [sum(j > p for one in made for j in one.accepted) for p in range(depth)]
        counters = SpecTotals(num_drafts=drafts, num_draft_tokens=drafts * depth, num_accepted_tokens=sum(accepted),
                              accepted_per_position=tuple(accepted))  # fmt: skip
    absence = {None: "speculation_off", 0: "drafter_did_not_run"}.get(depth)
    fields = {
        "index": index, "boot": boot, "arm": arm, "depth": depth, "concurrency": load, "group": group,
        "replicate": replicate, "status": "ok", "started_utc": dt.datetime(2026, 11, 29, tzinfo=dt.UTC),
        "elapsed_s": TOKENS * len(made) / speed, "counters": counters, "absence": absence, "requests": made,
    }  # fmt: skip
    return BlockRecord(**{**fields, **changed})


def experiment(truth, noise=0.002, replicates=4, loads=(1, 4), seed=1):
    """Blocks whose arms run at `truth` (arm → ratio over off) times off; off in two boots, the sweep in one."""
    rng = np.random.default_rng(seed)
    made = []
    for load in loads:
        for replicate in range(1, replicates + 1):
            for arm, ratio in truth.items():
                boot = (0 if replicate <= replicates / 2 else 2) if arm == "off" else 1
                speed = 50 * load * (ratio if isinstance(ratio, float) else ratio[load])
                made.append(block(len(made), boot, arm, load, replicate, speed * math.exp(rng.normal(0, noise))))
    return made


SLOWER = {"off": 1.0, "d0": 0.94, "d2": 0.9, "d4": 0.85, "d4-twin": 0.85, "d8": 0.7}
FASTER = {"off": 1.0, "d0": 0.94, "d2": 1.2, "d4": 1.5, "d4-twin": 1.5, "d8": 1.1}
BY_LOAD = {"off": 1.0, "d2": {1: 1.2, 4: 1.5}, "d4": {1: 1.5, 4: 1.1}, "d4-twin": {1: 1.5, 4: 1.1}}
UNSURE = {"off": 1.0, "d2": 1.01, "d4": 1.02, "d4-twin": 1.02}


def analysed(truth, **options):
    run = depth_values.arrange(experiment(truth, **options))
    return run, depth_values.values(run)


def decided(truth, **options):
    run, _ = analysed(truth, **options)
    chosen = depth_findings.choices(run)
    tiers = depth_findings.tiers(run, chosen)
    return depth_findings.outcomes(run, chosen, RULE, tiers), tiers


def test_a_ratio_finds_its_truth():
    """The interval of a ratio over off holds the truth and is as wide as the boots demand."""
    _, values = analysed(SLOWER)

    for arm in ("d0", "d2", "d4", "d8"):
        value = values[f"ratio.c1.{arm}"]
        assert value.low < SLOWER[arm] < value.high
        assert value.n == 4
        assert math.log(value.high / value.low) > 2 * ASSUMED_BOOT_SD


def test_twins_contain_one():
    """The A/A pair shares its boot: its interval is narrow, contains 1, and gives the floor."""
    _, values = analysed(SLOWER)

    assert values["aa.c1"].low < 1 < values["aa.c1"].high
    assert values["floor.c1"].number == pytest.approx(0.01, abs=0.005)


def test_acceptance_is_that_of_the_answers():
    """Half of the tokens for one half of the prompts and all for the others: a rate of three quarters at depth 4."""
    _, values = analysed(SLOWER)

    assert values["acceptance_rate.c1.d4"].number == pytest.approx(0.75)
    assert values["acceptance_length.c1.d4"].number == pytest.approx(4.0)
    assert values["position_acceptance.c1.d4.p1"].number == 1.0
    assert values["position_acceptance.c1.d4.p2"].number == pytest.approx(0.5)
    assert values["acceptance_rate.c1.d4.chat"].number == pytest.approx(0.5)
    lengths = sum(values[f"position_acceptance.c1.d4.p{p}"].number for p in range(4))
    assert lengths == pytest.approx(values["acceptance_length.c1.d4"].number - 1)


def test_a_later_draft_is_also_judged_by_the_drafts_that_got_there():
    """Of the drafts whose first two tokens were right, half go on; a position that none reaches has a reason."""
    _, values = analysed(SLOWER)
    refused = block(0, 0, "d4", 1, 1, 50.0)
    refused = refused.model_copy(
        update={
            "requests": tuple(one.model_copy(update={"accepted": (0,) * len(one.drafted)}) for one in refused.requests)
        }
    )

    found = depth_acceptance.acceptance("c1.d4", {1: refused})

    assert values["conditional_acceptance.c1.d4.p1"].number == 1.0
    assert values["conditional_acceptance.c1.d4.p2"].number == pytest.approx(0.5)
    assert values["conditional_acceptance.c1.d4.p3"].number == 1.0
    assert found["position_acceptance.c1.d4.p0"].number == 0.0
    assert found["conditional_acceptance.c1.d4.p1"].missing == "nothing_accepted"


def test_a_cycle_is_a_cycle_at_one_stream_only():
    """With several streams, a step's time includes the prompts of the others, and is not shown as a cycle."""
    _, values = analysed(SLOWER)

    assert "cycle_ratio.c1.d4" in values
    assert "cycle_ratio.c4.d4" not in values


def test_no_draft_is_not_zero():
    """Depth 0 and off have no acceptance, each for its own reason."""
    _, values = analysed(SLOWER)

    assert values["acceptance_rate.c1.d0"].missing == "drafter_did_not_run"
    assert values["acceptance_rate.c1.off"].missing == "speculation_off"


def test_what_does_not_count_is_left_out():
    """Warm-ups, void and split blocks change nothing."""
    blocks = experiment(SLOWER)
    wrong = [
        block(900 + i, 1, "d4", 1, 1, 500.0, status=status) for i, status in enumerate(("warm-up", "void", "split"))
    ]

    counted = depth_values.values(depth_values.arrange(blocks + wrong))
    assert counted == depth_values.values(depth_values.arrange(blocks))


def test_a_stratum_outside_the_pool():
    """Vietnamese prompts have values of their own and do not enter the pooled one."""
    blocks = experiment(SLOWER)
    extra = [
        block(500 + i, boot, arm, 1, replicate, 20.0, group="vietnamese")
        for replicate in (1, 2, 3, 4)
        for i, (boot, arm) in enumerate(((0, "off"), (1, "d4")))
    ]
    values = depth_values.values(depth_values.arrange(blocks + extra))

    assert values["ratio.c1.d4.vietnamese"].number == pytest.approx(1.0)
    assert "repeated_4grams.vietnamese" in values
    assert values["ratio.c1.d4"] == depth_values.values(depth_values.arrange(blocks))["ratio.c1.d4"]


def test_the_machines_own_boots_replace_the_assumption():
    """With five boots of off on record, their scatter takes the place of the assumed 2 %."""
    history = [experiment(SLOWER, seed=seed) for seed in (2, 3)]

    run = depth_values.arrange(experiment(SLOWER), history)
    assert run.boot_sd.num_boots >= 5
    assert run.boot_sd.sd < ASSUMED_BOOT_SD


def test_a_boot_counts_once():
    """Two boots measured at two loads are two boots, not four: too few for the machine's own scatter."""
    run = depth_values.arrange(experiment(SLOWER), [experiment(SLOWER, seed=2)])

    assert (run.boot_sd.sd, run.boot_sd.num_boots) == (ASSUMED_BOOT_SD, 0)


def test_off_where_drafting_loses():
    """Every depth slower than off: off at each load, no schedule, and the rule decides against the depth in use."""
    outcomes, tiers = decided(SLOWER)

    assert outcomes["best.c1"].verdict == outcomes["best.c4"].verdict == "off"
    assert outcomes["adopt.c1"].verdict == "adopt"
    assert outcomes["adopt.c1"].depth is None
    assert (outcomes["schedule"].verdict, tiers) == ("not-offered", None)


def test_a_depth_where_it_wins():
    """Depth 4 half as fast again at both loads: it is chosen, kept as it is in use, and needs no schedule."""
    outcomes, tiers = decided(FASTER)

    assert (outcomes["best.c1"].verdict, outcomes["best.c1"].depth) == ("depth", 4)
    assert outcomes["adopt.c1"].verdict == "keep"
    assert tiers is None


def test_a_schedule_where_loads_differ():
    """Another depth wins at each load: a tier for each, from the measured load to below the next."""
    outcomes, tiers = decided(BY_LOAD)

    assert tiers == [(1, 3, 4), (4, 4, 2)]
    assert outcomes["schedule"].verdict == "offered"
    assert (outcomes["adopt.c4"].verdict, outcomes["adopt.c4"].depth) == ("adopt", 2)


def test_ignorance_chooses_nothing():
    """Depths 1 and 2 % over off, within what boots differ by: undecided, not the shallowest."""
    outcomes, _ = decided(UNSURE, noise=0.02)

    assert outcomes["best.c1"].verdict == "undecided"
    assert outcomes["best.c1"].depth is None
    assert outcomes["best.c1"].replicates_needed >= 1


def test_tables_name_only_values_that_are_there():
    """Every cell is a key of the values, a label, or empty; `off` leads each load."""
    run, values = analysed(SLOWER)
    tables = depth_findings.tables(run, values)

    cells = [cell for table in tables.values() for row in table.rows for cell in row]
    assert all(cell.value in values for cell in cells if cell.value)
    assert [row[0].label for row in tables["current"].rows][:3] == ["arm.off", "arm.d0", "arm.d2"]
    assert len(tables["acceptance"].rows) == 8
    assert all(len(row) == len(table.columns) for table in tables.values() for row in table.rows)


def test_chart_rows_are_the_measured_depths():
    """Depths that were not measured have no row; the twin and off have none either."""
    run, values = analysed(SLOWER)

    assert [row["depth"] for row in depth_findings.ratio_rows(run, values) if row["concurrency"] == 1] == [0, 2, 4, 8]
    assert {row["depth"] for row in depth_findings.position_rows(run, values)} == {2, 4, 8}


def without(*arms):
    """A run in which the engine crashed in these arms until they were given up."""
    return depth_values.arrange(
        [
            one.model_copy(update={"status": "crashed", "requests": (), "counters": None}) if one.arm in arms else one
            for one in experiment(FASTER)
        ]
    )


def test_a_ratio_is_made_of_its_parts():
    """Throughput over off is tokens per step over the cycle, times the rest; all three stand in the table."""
    run, values = analysed(FASTER)
    ratio, tokens, cycle, rest = (
        values[f"{metric}.c1.d4"].number for metric in ("ratio", "tokens_per_step", "cycle_ratio", "rest")
    )

    assert ratio == pytest.approx(tokens / cycle * rest, rel=0.01)
    assert [row[0].label for row in depth_findings.tables(run, values)["parts"].rows] == ["arm.d2", "arm.d4", "arm.d8"]
    assert "rest.c4.d4" not in values


def test_c29_a_depth_that_cannot_run_is_a_gap():
    """Case C29: depth 2 crashed: it says so in values and tables, and no chart has a row, or a guess, for it."""
    run = without("d2")
    values = depth_values.values(run)
    table = depth_findings.tables(run, values)["current"]

    assert values["ratio.c1.d2"].missing == values["acceptance_rate.c4.d2"].missing == "crashed"
    assert [row[0].label for row in table.rows][:4] == ["arm.off", "arm.d0", "arm.d2", "arm.d4"]
    assert [row["depth"] for row in depth_findings.ratio_rows(run, values) if row["concurrency"] == 1] == [0, 4, 8]
    assert {row["depth"] for row in depth_findings.position_rows(run, values)} == {4, 8}
    assert depth_findings.choices(run)[1].depth == 4


def test_c29_the_depth_in_use_cannot_run():
    """Case C29: without the current depth nothing is compared with it; the best of the others is still said."""
    run = without("d4")
    chosen = depth_findings.choices(run)
    outcomes = depth_findings.outcomes(run, chosen, RULE, depth_findings.tiers(run, chosen))

    assert (outcomes["best.c1"].verdict, outcomes["best.c1"].depth) == ("depth", 2)
    assert outcomes["adopt.c1"].verdict == "undecided"
    assert depth_values.values(run)["aa.c1"].missing == "crashed"


def test_a_run_without_its_twin():
    """The twin crashed: there is no A/A ratio, and the floor is the least that it ever is."""
    values = depth_values.values(without("d4-twin"))

    assert values["aa.c1"].missing == "crashed"
    assert (values["floor.c1"].number, values["floor.c1"].n) == (0.01, None)


def test_a_run_that_lost_every_depth():
    """Only off and depth 0 are left: nothing to choose from, no schedule, and no table of what was not measured."""
    run = without("d2", "d4", "d4-twin", "d8")
    chosen = depth_findings.choices(run)

    assert chosen == {}
    assert depth_findings.tiers(run, chosen) is None
    assert list(depth_findings.tables(run, depth_values.values(run))) == ["current", "strata"]


def two_sets(written, synthetic):
    lists = [one.model_copy(update={"group": SYNTHETIC, "index": 500 + one.index})
             for one in experiment(synthetic, loads=(1,), seed=2)]  # fmt: skip
    return experiment(written) + lists


SHALLOW = {"off": 1.0, "d0": 0.94, "d2": 1.5, "d4": 1.2, "d4-twin": 1.2}
DEEP = {"off": 1.0, "d0": 0.94, "d2": 1.5, "d4": 2.5, "d4-twin": 2.5}


def test_the_synthetic_set_decides_nothing():
    """Values and decisions of the depth page are the same with and without it."""
    alone = depth_values.arrange(experiment(SHALLOW))
    beside = depth_values.arrange(two_sets(SHALLOW, DEEP))

    assert depth_values.values(beside) == depth_values.values(alone)
    assert depth_findings.choices(beside) == depth_findings.choices(alone)


def test_each_set_has_its_own_values():
    """A key without a kind is of the written set, one that ends with `.synthetic` of the other."""
    values = synthetic_values.values(synthetic_values.arrange(two_sets(SHALLOW, DEEP)))

    assert values["ratio.c1.d4"].low < 1.2 < values["ratio.c1.d4"].high
    assert values["ratio.c1.d4.synthetic"].low < 2.5 < values["ratio.c1.d4.synthetic"].high
    assert not [key for key in values if ".c4." in key]


def test_what_choosing_by_the_synthetic_set_costs():
    """It chooses depth 4, which on the written set runs at 1.2 / 1.5 of depth 2; both ran in the same boots."""
    sets = synthetic_values.arrange(two_sets(SHALLOW, DEEP))
    regret = synthetic_values.values(sets)["regret.c1"]
    outcomes = synthetic_values.outcomes(sets, RULE)

    assert regret.low < 0.8 < regret.high < 0.85
    assert {name: one.depth for name, one in outcomes.items()} == {"best.written": 2, "best.synthetic": 4}


def test_the_cost_against_off():
    """Where no depth is worth it on the written set, the cost is over `off`."""
    regret = synthetic_values.values(synthetic_values.arrange(two_sets(SLOWER, DEEP)))["regret.c1"]

    assert regret.low < 0.85 < regret.high


@pytest.mark.parametrize(
    ("written", "synthetic", "missing"), [(DEEP, DEEP, "same-depth"), (DEEP, SLOWER, "nothing-chosen")]
)
def test_where_there_is_no_cost(written, synthetic, missing):
    """The same choice, or none by the synthetic set: no number, and why."""
    values = synthetic_values.values(synthetic_values.arrange(two_sets(written, synthetic)))

    assert values["regret.c1"].missing == missing


def test_a_run_without_a_synthetic_set():
    """Runs of older plans have none: said, with what to do."""
    with pytest.raises(MeasurementError, match="no synthetic set.*specwiki run depth"):
        synthetic_values.arrange(experiment(SHALLOW))


def test_what_the_synthetic_page_shows():
    """One row a depth above 0, each metric for both sets; the charts have both, and nothing that is missing."""
    values = synthetic_values.values(synthetic_values.arrange(two_sets(SHALLOW, DEEP)))
    table = synthetic_values.tables(values)["kinds"]
    rows = synthetic_values.rows(values, "ratio")

    assert [row[0].label for row in table.rows] == ["arm.d2", "arm.d4"]
    assert [cell.value for cell in table.rows[0][1:3]] == ["ratio.c1.d2", "ratio.c1.d2.synthetic"]
    assert {(row["depth"], row["kind"]) for row in rows} == {
        (depth, kind) for depth in (2, 4) for kind in ("written", "synthetic")
    }


DRAFTERS = tuple(
    Drafter(slug=slug, name=slug, method="ngram", needs="some_package" if slug == "suffix-memory" else None)
    for slug in ("ngram", "suffix", "suffix-memory", "cut")
)
KEEP = BaseRule(primary="output_tok_s", guards=(), threshold=0.1, variant="strict")


def compared(truth, noise=0.002, **lost):
    """Drafters of a known truth, every arm in boots of its own."""
    made = [one.model_copy(update={"boot": i}) for i, one in enumerate(experiment(truth, noise, loads=(1,), **lost))]
    run = depth_values.arrange(made)
    return run, drafter_values.values(run, DRAFTERS), drafter_values.outcomes(run, DRAFTERS, KEEP)


def test_the_best_drafter_is_found_and_what_ties_with_it():
    """Pooled and by kind of prompt; one that is clearly behind is no tie."""
    _, values, outcomes = compared({"off": 1.0, "off-twin": 1.0, "ngram": 1.3, "suffix": 1.3, "cut": 0.5}, 0.01)

    for key in ("winner.c1", "winner.c1.chat", "winner.c1.code"):
        assert outcomes[key].verdict == "arm"
        assert {outcomes[key].arm, *outcomes[key].ties} == {"ngram", "suffix"}
    assert values["aa.c1"].low < 1 < values["aa.c1"].high
    assert values["ratio.c1.ngram"].low < 1.3 < values["ratio.c1.ngram"].high


def test_off_where_every_drafter_is_slower():
    """And the rule keeps the drafter in use: nothing is shown to be a tenth faster."""
    _, _, outcomes = compared({"off": 1.0, "ngram": 0.95, "suffix": 0.9, "cut": 0.5})

    assert outcomes["winner.c1"].verdict == "off"
    assert (outcomes["adopt.c1"].verdict, outcomes["adopt.c1"].arm) == ("keep", "off")


def test_a_drafter_that_is_far_better_is_adopted():
    """Over the one in use, the profile's first."""
    _, _, outcomes = compared({"off": 1.0, "ngram": 1.0, "suffix": 1.5, "cut": 0.5})

    assert (outcomes["adopt.c1"].verdict, outcomes["adopt.c1"].arm) == ("adopt", "suffix")


def test_undecided_says_what_would_decide():
    """A difference within the noise needs more replicates, or more than anybody would run."""
    _, _, outcomes = compared({"off": 1.0, "ngram": 1.01, "suffix": 1.0}, 0.05)

    assert outcomes["winner.c1"].verdict == "undecided"


def test_a_drafter_without_blocks_says_why():
    """Its package is not there, or it was not asked for at the time; tables have its row all the same."""
    run, values, outcomes = compared({"off": 1.0, "ngram": 1.2, "suffix": 1.2})

    assert values["ratio.c1.suffix-memory"].missing == "not-built"
    assert values["ratio.c1.cut"].missing == "not-measured"
    assert values["aa.c1"].missing == "not-measured"
    crashed = block(99, 99, "cut", 1, 1, 20.0, status="crashed")
    lost = depth_values.arrange([*experiment({"off": 1.0, "ngram": 1.2}, loads=(1,)), crashed])
    assert depth_values.values(lost)["aa.c1"].missing == "not-measured"
    tables = drafter_values.tables(run, values, DRAFTERS)
    assert [row[0].label for row in tables["drafters"].rows] == [
        "arm.off", "arm.ngram", "arm.suffix", "arm.suffix-memory", "arm.cut"
    ]  # fmt: skip
    assert outcomes["winner.c1"].verdict == "arm"


def test_rows_of_the_chart_by_kind_of_prompt():
    """Every drafter once a kind, `off` and its twin left out."""
    run, values, _ = compared({"off": 1.0, "off-twin": 1.0, "ngram": 1.2, "cut": 0.5})

    for metric in drafter_values.CHARTED:
        rows = drafter_values.rows(run, values, metric)
        assert [(row["stratum"], row["drafter"]) for row in rows] == [
            (stratum, drafter) for stratum in ("pooled", "chat", "code") for drafter in ("ngram", "cut")
        ]
