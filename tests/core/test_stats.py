"""Intervals cover the truth as often as they promise, in simulated experiments whose truth is known.

Each simulation has 2,000 experiments and a fixed seed; drift is the sd of a block's log throughput.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core import stats
from specwiki.core.stats import Boots, BootSd, Interval
from specwiki.errors import MeasurementError

EXPERIMENTS = 2000
BOOT_SD = 0.02
TRUTH = 1.3
QUICK = ((0, 0, 0, 0), (1, 1, 2, 2))
"""Boots of the depths and of off at four replicates: one boot and two."""
FULL = ((0, 0, 1, 1, 2, 2), (3, 3, 4, 4, 5, 6))
"""Boots of the depths and of off at six replicates: three boots and four."""


def boot_effects(rng, boots):
    """One effect per boot, the same in all its replicates. Shape: (experiments, replicates)."""
    places = np.unique(boots, return_inverse=True)[1]
    return rng.normal(0, BOOT_SD, (EXPERIMENTS, places.max() + 1))[:, places]


def throughput(rng, replicates, drift, speeds):
    """Log throughput of blocks that answer every prompt once: sums of tokens over sums of times."""
    noise = rng.normal(0, 0.05, (EXPERIMENTS, replicates, speeds.shape[-1]))
    times = 100 / (speeds[:, None, :] * np.exp(noise))
    return np.log(100 * speeds.shape[-1] / times.sum(axis=2)) + rng.normal(0, drift, (EXPERIMENTS, replicates))


def experiments(seed, drift, layout, *, own_boots=True):
    """Log ratios of an arm that is TRUTH times as fast on every prompt. Shape: (experiments, replicates)."""
    rng = np.random.default_rng(seed)
    replicates = len(layout[0])
    shared = rng.normal(0, 0.03, (EXPERIMENTS, replicates))
    speeds = rng.lognormal(4, 0.3, (EXPERIMENTS, 24))
    control = throughput(rng, replicates, drift, speeds) + shared
    arm = throughput(rng, replicates, drift, TRUTH * speeds) + shared
    if own_boots:
        arm, control = arm + boot_effects(rng, layout[0]), control + boot_effects(rng, layout[1])
    return arm - control


def stored_boots(seed, drift):
    """Boot-to-boot sd from three earlier runs of four boots of two blocks, one estimate per experiment."""
    rng = np.random.default_rng(seed)
    runs = rng.normal(0, BOOT_SD, (EXPERIMENTS, 3, 4, 1)) + rng.normal(0, drift, (EXPERIMENTS, 3, 4, 2))
    return [stats.boot_sd(run) for run in runs]


def covered(intervals, truth):
    """Share of intervals that contain the truth."""
    return np.mean([interval.contains(truth) for interval in intervals])


@pytest.mark.parametrize("drift", [0.01, 0.03, 0.06])
@pytest.mark.parametrize("layout", [QUICK, FULL], ids=["quick", "full"])
def test_ratios_of_arms_in_the_same_boots_are_covered(layout, drift):
    """Depths of one boot: drift and prompts are in the replicates' scatter, and 95 in 100 intervals hold the truth."""
    ratios = experiments(1, drift, layout, own_boots=False)

    assert 0.93 <= covered([stats.ratio_interval(one) for one in ratios], TRUTH) <= 0.97


@pytest.mark.parametrize("drift", [0.01, 0.03, 0.06])
@pytest.mark.parametrize("layout", [QUICK, FULL], ids=["quick", "full"])
def test_ratios_across_boots_are_covered_with_the_assumed_sd(layout, drift):
    """Depth against off: boots are counted once, however many replicates share one."""
    boots = Boots(BootSd(), *layout)

    assert 0.93 <= covered([stats.ratio_interval(one, boots) for one in experiments(2, drift, layout)], TRUTH) <= 0.97


@pytest.mark.parametrize("drift", [0.01, 0.03, 0.06])
@pytest.mark.parametrize("layout", [QUICK, FULL], ids=["quick", "full"])
def test_ratios_across_boots_are_covered_with_stored_boots(layout, drift):
    """Depth against off: the sd comes from twelve earlier boots, whose blocks drift as much."""
    pairs = zip(stored_boots(3, drift), experiments(4, drift, layout), strict=True)

    intervals = [stats.ratio_interval(ratios, Boots(sd, *layout)) for sd, ratios in pairs]
    assert 0.93 <= covered(intervals, TRUTH) <= 0.97


@pytest.mark.parametrize("drift", [0.01, 0.03, 0.06])
def test_a_boot_for_each_replicate_is_covered(drift):
    """Design by_boot: the scatter of replicates holds all there is, and nothing is added to it."""
    layout = ((0, 1, 2, 3), (4, 5, 6, 7))
    ratios = experiments(5, drift, layout)

    assert stats.log_mean(ratios[0], Boots(BootSd(), *layout)) == stats.log_mean(ratios[0])
    assert 0.93 <= covered([stats.ratio_interval(one) for one in ratios], TRUTH) <= 0.97


def test_boots_are_not_ignored():
    """Without the component, four replicates of one boot would cover far too little at 1 % drift."""
    assert covered([stats.ratio_interval(one) for one in experiments(6, 0.01, QUICK)], TRUTH) < 0.85


@pytest.mark.parametrize("num_prompts", [6, 12, 24])
def test_acceptance_is_covered(num_prompts):
    """Prompts differ in acceptance and in length, and the two go together: 93 to 97 in 100 intervals hold the truth."""
    rng = np.random.default_rng(7)
    every = rng.beta(3, 5, 400_000)
    truth = float((every / (1 + 4 * every)).sum() / (1 / (1 + 4 * every)).sum())
    found = []
    for _ in range(EXPERIMENTS):
        acceptance = rng.beta(3, 5, num_prompts)
        drafted = np.ceil(rng.lognormal(5, 0.5, num_prompts) / (1 + 4 * acceptance)).astype(int)
        accepted = rng.binomial(drafted, acceptance)
        found.append(stats.bootstrap_ratio([(accepted, drafted)], rng, resamples=300))

    assert 0.93 <= covered(found, truth) <= 0.97


def test_a_length_has_its_bonus_token():
    """Accepted per draft at depth 4 is four times accepted per draft token, and the length one more."""
    rate = stats.bootstrap_ratio([([8, 3, 5], [40, 40, 40])], np.random.default_rng(1))
    length = stats.bootstrap_ratio([([8, 3, 5], [10, 10, 10])], np.random.default_rng(1), most=4, plus=1)

    assert length == Interval(*(pytest.approx(1 + 4 * end) for end in (rate.point, rate.low, rate.high)), 3)


@pytest.mark.parametrize(("accepted", "point"), [([0, 0, 0], 0.0), ([10, 10, 10], 1.0)])
def test_all_or_nothing_stays_in_range(accepted, point):
    """Nothing or everything accepted is 0 or 1, with an interval inside 0 to 1."""
    interval = stats.bootstrap_ratio([(accepted, [10, 10, 10])], np.random.default_rng(1))

    assert interval.point == point
    assert 0 <= interval.low <= interval.point <= interval.high <= 1


def test_repeating_the_same_prompts_tells_nothing_new():
    """Six times the same answers, counted as such, give the interval of one; near the end of the scale, too."""
    accepted, drafted = [16, 16, 16, 16, 16, 15], [16] * 6
    once = stats.bootstrap_ratio([(accepted, drafted)], np.random.default_rng(1))
    again = stats.bootstrap_ratio(
        [([6 * one for one in accepted], [6 * one for one in drafted])], np.random.default_rng(1), repeats=6
    )

    assert (again.low, again.high) == pytest.approx((once.low, once.high))
    assert once.low > 0.9


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 10)), min_size=2, max_size=8))
def test_a_length_stays_between_one_and_depth_plus_one(counts):
    """Whatever the prompts, the interval of a length at depth 4 holds its point and no impossible length."""
    accepted, drafts = [min(a, 4 * d) for a, d in counts], [d for _, d in counts]
    interval = stats.bootstrap_ratio([(accepted, drafts)], np.random.default_rng(1), most=4, plus=1, resamples=50)

    assert 1 <= interval.low <= interval.point <= interval.high <= 5 + 1e-9


def test_the_same_seed_gives_the_same_interval():
    """Nothing is drawn but from the caller's generator."""
    counts = ([8, 3, 5], [10, 12, 10])

    assert stats.bootstrap_ratio([counts], np.random.default_rng(1)) == stats.bootstrap_ratio(
        [counts], np.random.default_rng(1)
    )


def test_strata_weigh_the_same_by_default():
    """Without weights each stratum is one part."""
    strata = [([80, 90], [100, 100]), ([1, 1], [10, 10])]

    assert stats.bootstrap_ratio(strata, np.random.default_rng(1)).point == pytest.approx(0.475)


@pytest.mark.parametrize(
    "stratum",
    [([1], [2]), ([1, 1], [2]), ([0, 0], [0, 0]), ([0, 1], [0, 2]), ([1, 1], [2, -1]), ([1, math.nan], [2, 2])],
)
def test_prompts_that_give_no_interval_are_refused(stratum):
    """One prompt, unequal numbers, nothing drafted, or counts that are none."""
    with pytest.raises(MeasurementError, match="statistics"):
        stats.bootstrap_ratio([stratum], np.random.default_rng(1))


def test_one_log_ratio_per_replicate():
    """Arm over control, pair by pair."""
    assert stats.log_ratios([120, 90], [100, 100]).tolist() == pytest.approx([math.log(1.2), math.log(0.9)])


@pytest.mark.parametrize(("arm", "control"), [([], []), ([1], [1, 2]), ([0, 1], [1, 1]), ([1, math.inf], [1, 1])])
def test_replicates_without_a_ratio_are_refused(arm, control):
    """A throughput of zero, or a replicate that lacks an arm, has no ratio."""
    with pytest.raises(MeasurementError, match="statistics"):
        stats.log_ratios(arm, control)


def test_one_replicate_has_no_interval():
    """The scatter of one value is unknown, not zero."""
    with pytest.raises(MeasurementError, match="expected 2 or more finite numbers"):
        stats.ratio_interval([0.1])


def test_boots_of_other_replicates_are_refused():
    """Each replicate has a boot of either arm."""
    with pytest.raises(MeasurementError, match="boots of 4 and 4 replicates, expected 3"):
        stats.ratio_interval([0.1, 0.2, 0.1], Boots(BootSd(), *QUICK))


def test_mean_interval_is_students():
    """Four values of sd 2: half-width 3.182 times 1."""
    interval = stats.mean_interval([10 - math.sqrt(3), 10 + math.sqrt(3), 10 - math.sqrt(3), 10 + math.sqrt(3)])

    assert (interval.point, interval.high) == (pytest.approx(10), pytest.approx(13.182, abs=0.001))


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=8), st.floats(0.5, 0.9))
def test_more_confidence_is_a_wider_interval(ratios, confidence):
    """The point is inside, and 99.9 % holds what a lower confidence does."""
    narrow, wide = stats.ratio_interval(ratios, confidence=confidence), stats.ratio_interval(ratios, confidence=0.999)

    assert wide.low <= narrow.low <= narrow.point <= narrow.high <= wide.high


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=8))
def test_the_ratio_turned_round_is_its_inverse(ratios):
    """Control over arm has the inverse ends."""
    there, back = stats.ratio_interval(ratios), stats.ratio_interval([-ratio for ratio in ratios])

    assert (back.low, back.high) == (pytest.approx(1 / there.high), pytest.approx(1 / there.low))


def test_contains_and_excludes():
    """The ends belong to the interval."""
    interval = Interval(1.1, 1.0, 1.2, 4)

    assert interval.contains(1.0)
    assert interval.excludes(0.99)


def test_boot_sd_is_assumed_until_there_are_five_boots():
    """Four boots, and a boot that has no other to compare with, leave the 2 %."""
    assert stats.boot_sd([[[1.0], [1.1]], [[2.0], [2.1]], [[3.0]]]) == BootSd(0.02, math.inf, 0)


def test_boot_sd_is_pooled_within_runs():
    """Runs may differ as they like; what counts is how boots of one run do."""
    found = stats.boot_sd([[[1.0], [1.02], [1.04]], [[5.0], [5.02], [5.04]]])

    assert (found.sd, found.df, found.num_boots) == (pytest.approx(0.02), 4, 6)


def test_what_blocks_differ_within_boots_is_no_boot_effect():
    """Boots of equal mean have no sd of their own, however much their blocks scatter."""
    assert stats.boot_sd([[[1.0, 1.2], [1.1, 1.1], [1.0, 1.2], [0.9, 1.3], [1.1, 1.1]]]).sd == 0


def test_a_boot_without_a_block_is_refused():
    """A boot that measured nothing has no mean."""
    with pytest.raises(MeasurementError, match="expected 1 or more finite numbers"):
        stats.boot_sd([[[1.0], []]])


def test_the_floor_is_the_twins_half_width():
    """Log ratios of all runs are pooled."""
    runs = [[0.02, -0.02], [0.02, -0.02]]

    assert stats.floor_from_twins(runs) == pytest.approx(math.expm1(3.182 * 0.02 / math.sqrt(3)), abs=0.0001)


@pytest.mark.parametrize("runs", [[], [[0.3]], [[0.001, -0.001, 0.001, -0.001]]])
def test_the_floor_is_never_below_one_percent(runs):
    """Twins that agree by luck, or were not measured, do not make a hair's breadth a difference."""
    assert stats.floor_from_twins(runs) == 0.01


@pytest.mark.parametrize(
    ("ratio", "is_seen"),
    [
        (Interval(1.05, 1.02, 1.08, 4), True),
        (Interval(0.95, 0.92, 0.98, 4), True),
        (Interval(1.05, 0.99, 1.12, 4), False),
        (Interval(1.015, 1.01, 1.02, 4), False),
    ],
)
def test_a_difference_is_seen_outside_interval_and_floor(ratio, is_seen):
    """Both are needed: an interval without 1, and a point beyond the floor of 2 %."""
    assert stats.seen(ratio, floor=0.02) is is_seen
