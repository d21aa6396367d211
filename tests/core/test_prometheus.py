"""Any /metrics text becomes a snapshot, two become counters or an error, and nothing becomes the right nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.counters import Absence, SpecCounters
from specwiki.core.prometheus import difference, read_snapshot, spec_counters
from specwiki.errors import MeasurementError

SPEC = "vllm:spec_decode_num_"


def line(name, value, engine="0", **labels):
    """One sample as vLLM writes it."""
    every = {"engine": engine, "model_name": 'a "b" } c', **labels}
    inside = ",".join(f"{key}=" + '"' + text.replace('"', '\\"') + '"' for key, text in every.items())
    return f"{name}{{{inside}}} {value}\n"


def metrics(drafts=0, drafted=0, positions=(0, 0), engine="0", generated=0, started=1.7e9):
    """The text of a speculating server, shortened."""
    return (
        "# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.\n"
        f"process_start_time_seconds {started}\n"
        + line("vllm:num_requests_running", 1.0, engine)
        + line("vllm:kv_cache_usage_perc", 0.25, engine)
        + line("vllm:generation_tokens_total", float(generated), engine)
        + line("vllm:request_success_total", 3.0, engine, finished_reason="stop")
        + line(f"{SPEC}drafts_total", float(drafts), engine)
        + line(f"{SPEC}draft_tokens_total", float(drafted), engine)
        + line(f"{SPEC}accepted_tokens_total", float(sum(positions)), engine)
        + "".join(
            line(f"{SPEC}accepted_tokens_per_pos_total", float(n), engine, position=str(i))
            for i, n in enumerate(positions)
        )
    )


def between(before, after):
    """The difference of two texts."""
    return difference(read_snapshot(before), read_snapshot(after))


def test_difference_is_what_was_counted_in_between():
    """Counters come out as the difference of the two snapshots, positions in order."""
    counted = between(metrics(10, 20, (5, 2), generated=30), metrics(110, 220, (65, 12), generated=190))

    assert spec_counters(counted) == SpecCounters(100, 200, 70, (60, 10))
    assert counted.counts["generation_tokens"] == 160


def test_gauges_are_those_of_the_later_snapshot():
    """Running requests and KV usage are read, not subtracted."""
    counted = between(metrics(), metrics())

    assert counted.gauges == {"num_requests_running": 1.0, "kv_cache_usage_perc": 0.25}


def test_requests_are_counted_by_finish_reason():
    """A reason that appears for the first time began at 0."""
    before = line("vllm:request_success_total", 4.0, finished_reason="stop")
    after = line("vllm:request_success_total", 9.0, finished_reason="stop")
    after += line("vllm:request_success_total", 2.0, finished_reason="length")

    assert between(before, after).request_success == {"stop": 5, "length": 2}


def test_exponents_are_read_whole():
    """C02: 1.2034e+06 less 998877.0 is 204523."""
    before = line("vllm:prompt_tokens_total", "998877.0")
    after = line("vllm:prompt_tokens_total", "1.2034e+06")

    assert between(before, after).counts == {"prompt_tokens": 204523}


def test_created_gauges_are_never_added():
    """C01: the epoch seconds of _created stay out of the counts."""
    text = line("vllm:prompt_tokens_total", "4.2e+06") + line("vllm:prompt_tokens_created", "1.78e+09")
    later = line("vllm:prompt_tokens_total", "4.3e+06") + line("vllm:prompt_tokens_created", "1.78e+09")

    assert between(text, later).counts == {"prompt_tokens": 100_000}


def test_engines_are_summed_and_kept_apart():
    """C03: four engines add up, position by position, and each can be asked for."""
    before = "".join(metrics(engine=str(i)).split("\n", 2)[2] for i in range(4))
    after = "".join(metrics(100 + i, 200, (50, i), engine=str(i)).split("\n", 2)[2] for i in range(4))

    counted = between(before, after)

    assert spec_counters(counted) == SpecCounters(406, 800, 206, (200, 6))
    assert spec_counters(counted.by_engine["3"]) == SpecCounters(103, 200, 53, (50, 3))
    assert counted.gauges == {"num_requests_running": 4.0, "kv_cache_usage_perc": 0.25}


def test_renamed_metrics_have_one_name():
    """C23: a dump of 0.9.1 and one of 0.12 give the same names."""
    old = line("vllm:gpu_cache_usage_perc", 0.5) + line("vllm:gpu_prefix_cache_hits_total", 7.0)
    new = line("vllm:kv_cache_usage_perc", 0.5) + line("vllm:prefix_cache_hits_total", 7.0)

    assert read_snapshot(old).counters == read_snapshot(new).counters
    assert read_snapshot(old).gauges == read_snapshot(new).gauges


def test_two_spellings_in_one_text_count_once():
    """C23: between 0.9.2 and 0.10 both are served; the present one is read."""
    text = line("vllm:gpu_prefix_cache_hits_total", 7.0) + line("vllm:prefix_cache_hits_total", 7.0)

    assert list(read_snapshot(text).counters.values()) == [7]


def test_another_spelling_in_the_later_snapshot_is_another_server():
    """C23: the two names are never mixed in one difference."""
    with pytest.raises(MeasurementError, match="vllm:gpu_prefix_cache_hits is in one snapshot"):
        between(line("vllm:gpu_prefix_cache_hits_total", 7.0), line("vllm:prefix_cache_hits_total", 9.0))


def test_a_counter_that_falls_is_an_error_with_both_values():
    """A reset is never clamped to zero."""
    with pytest.raises(MeasurementError, match=r"vllm:generation_tokens\{engine='0'\} fell from 50 to 49"):
        between(metrics(generated=50), metrics(generated=49))


def test_a_restart_shows_in_the_process_start():
    """Counters that have grown past the old ones again do not hide a restart."""
    with pytest.raises(MeasurementError, match=r"process_start_time_seconds went from 1700000000.0 to 1700000060.0"):
        between(metrics(10, 20, (5, 2)), metrics(50, 100, (30, 9), started=1.7e9 + 60))


def test_a_restart_shows_in_created():
    """A counter that was created anew is an error even if it has grown."""
    before = line("vllm:prompt_tokens_total", 5.0) + line("vllm:prompt_tokens_created", "1.5e+09")
    after = line("vllm:prompt_tokens_total", 9.0) + line("vllm:prompt_tokens_created", "1.6e+09")

    with pytest.raises(
        MeasurementError, match=r"prompt_tokens.* was created at 1500000000.0 and again at 1600000000.0"
    ):
        between(before, after)


def test_a_counter_that_vanishes_is_an_error():
    """An engine that is gone did not count zero."""
    with pytest.raises(MeasurementError, match=r"generation_tokens.* was 3 and is gone"):
        between(line("vllm:generation_tokens_total", 3.0), line("vllm:prompt_tokens_total", 3.0))


def test_a_counter_that_appears_is_an_error():
    """A server that starts to speculate between snapshots is another server."""
    with pytest.raises(MeasurementError, match="was not there before"):
        between(line("vllm:prompt_tokens_total", 3.0), metrics(5, 10, (3, 1)) + line("vllm:prompt_tokens_total", 3.0))


@pytest.mark.parametrize("value", ["NaN", "-1.0", "0.5", "1e999", "9.1e+15", "1_0", "x", ""])
def test_a_value_that_is_no_count_is_an_error_that_shows_the_line(value):
    """What cannot be read is not left out."""
    good, bad = line("vllm:prompt_tokens_total", 3.0), line("vllm:prompt_tokens_total", value)

    with pytest.raises(MeasurementError, match="the later snapshot has 'vllm:prompt_tokens_total"):
        between(good, good.replace('engine="0"', 'engine="1"') + bad)


def test_a_series_that_comes_twice_is_an_error():
    """Two dumps joined into one text would count everything twice."""
    text = line("vllm:prompt_tokens_total", 3.0)

    with pytest.raises(MeasurementError, match="'twice: vllm:prompt_tokens_total"):
        between(text, text + text)


def test_two_models_of_one_engine_add_up():
    """Series that differ in other labels are parts of the same counter."""
    text = (
        'vllm:prompt_tokens_total{engine="0",model_name="a"} 3\nvllm:prompt_tokens_total{engine="0",model_name="b"} 4\n'
    )

    assert list(read_snapshot(text).counters.values()) == [7]


def test_a_text_cut_inside_a_number_is_an_error():
    """A last line without its line feed may have lost digits."""
    text = line("vllm:prompt_tokens_total", "123")

    with pytest.raises(MeasurementError, match="the later snapshot has 'vllm:prompt_tokens_total"):
        between(text, text.replace("123", "456") + 'vllm:prompt_tokens_total{engine="1"} 12')


@pytest.mark.parametrize("position", ["", "-1", "x", "9999", "1.0"])
def test_a_position_that_is_none_is_unreadable(position):
    """Positions are whole numbers that a draft can reach."""
    snapshot = read_snapshot(line(f"{SPEC}accepted_tokens_per_pos_total", 1.0, position=position))

    assert len(snapshot.unreadable) == 1


def test_timestamps_exemplars_and_blanks_are_understood():
    """Other writers of the format add them."""
    text = (
        '  vllm:prompt_tokens_total {engine="0"}  3.0 1700000000000 # {id="x"} 1.0\r\nvllm:generation_tokens_total 5\n'
    )

    assert [int(n) for n in read_snapshot(text).counters.values()] == [3, 5]


def test_speculation_off():
    """Rows of vLLM without spec_decode: the server does not speculate."""
    text = line("vllm:prompt_tokens_total", 3.0)

    assert spec_counters(between(text, text)) is Absence.SPECULATION_OFF


def test_statistics_not_collected():
    """C21: a server with HTTP metrics only is not one without speculation."""
    text = 'process_start_time_seconds 1.7e+09\nhttp_requests_total{handler="/v1/completions"} 4.0\n'

    assert spec_counters(between(text, text)) is Absence.STATS_NOT_COLLECTED


def test_counters_that_stand_still_are_not_collected():
    """Clients received tokens that the server did not count: the drafter is not to blame."""
    counted = between(metrics(generated=9), metrics(generated=9))

    assert spec_counters(counted, completion_tokens=64) is Absence.STATS_NOT_COLLECTED


@pytest.mark.parametrize("body", ["", "Internal Server Error", "<html>\n<body>502</body>\n</html>\n", '{"detail": 1}'])
def test_metrics_that_failed(body):
    """C22: the body of an error is no metrics text, on either side."""
    assert spec_counters(between(metrics(), body)) is Absence.METRICS_FAILED
    assert spec_counters(between(body, metrics())) is Absence.METRICS_FAILED


def test_metrics_that_did_not_answer():
    """C22: the caller has no text at all."""
    assert spec_counters(None) is Absence.METRICS_FAILED


def test_the_drafter_did_not_run():
    """Counters are there and did not move, while tokens were generated."""
    counted = between(metrics(generated=5), metrics(generated=50))

    assert spec_counters(counted, completion_tokens=45) is Absence.DRAFTER_DID_NOT_RUN


def test_nothing_accepted_is_a_number_with_a_reason():
    """Drafts that were all refused give 0, not nothing."""
    found = spec_counters(between(metrics(), metrics(5, 10, (0, 0))))

    assert found == SpecCounters(5, 10, 0, (0, 0))
    assert found.absence is Absence.NOTHING_ACCEPTED


def test_some_spec_counters_only_is_an_error():
    """V0 engines had no num_drafts: a rate from what is left would be a guess."""
    text = line(f"{SPEC}draft_tokens_total", 4.0)

    with pytest.raises(MeasurementError, match="vllm:spec_decode_num_drafts_total is absent"):
        spec_counters(between(text, text))


def test_positions_are_cut_to_the_depth_of_the_arm():
    """A server that can draft four deep, used at two, has two positions."""
    counted = between(metrics(positions=(0, 0, 0, 0)), metrics(10, 20, (8, 5, 0, 0)))

    assert spec_counters(counted, depth=2) == SpecCounters(10, 20, 13, (8, 5))


def test_an_arm_that_drafted_deeper_than_it_should_is_an_error():
    """Tokens accepted beyond the arm's depth void the block."""
    counted = between(metrics(positions=(0, 0, 0)), metrics(10, 30, (8, 5, 1)))

    with pytest.raises(MeasurementError, match=r"\[1\] accepted beyond depth 2"):
        spec_counters(counted, depth=2)


def test_a_hundred_thousand_lines_are_read():
    """Large servers have large texts; none of the lines is lost."""
    text = "".join(line("vllm:prompt_tokens_total", 1.0, engine=str(i)) for i in range(100_000))

    assert between(text, text).counts == {"prompt_tokens": 0}


lines = st.one_of(
    st.text(),
    st.builds(
        lambda name, labels, value: f"{name}{labels} {value}\n",
        st.sampled_from(["vllm:prompt_tokens_total", f"{SPEC}accepted_tokens_per_pos_total", "vllm:x", "# TYPE"]),
        st.sampled_from(
            ["", '{engine="0"}', '{position="1",engine="\\"}', '{position="' + "9" * 5000 + '"}', "{", "}{"]
        ),
        st.one_of(st.floats().map(str), st.text(max_size=5)),
    ),
)


@given(st.lists(lines).map("".join), st.lists(lines).map("".join))
def test_no_text_crashes_it(before, after):
    """Any two texts give counters, an absence or a MeasurementError, and nothing else."""
    try:
        found = spec_counters(between(before, after))
    except MeasurementError:
        return
    assert isinstance(found, SpecCounters | Absence)


@given(st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)), min_size=1, max_size=4))
def test_total_is_the_sum_of_the_engines(counts):
    """What all engines counted is the sum of what each did, and the difference gives each increment back."""
    texts = [
        "".join(line("vllm:prompt_tokens_total", float(count), engine=str(i)) for i, count in enumerate(column))
        for column in ([start for start, _ in counts], [start + more for start, more in counts])
    ]

    counted = between(*texts)

    assert counted.counts["prompt_tokens"] == sum(more for _, more in counts)
    assert [one.counts["prompt_tokens"] for one in counted.by_engine.values()] == [more for _, more in counts]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8), st.integers(0, 1000))
def test_the_same_snapshot_twice_counts_nothing(positions, drafted):
    """A server at rest gives zeros and no error."""
    falling = tuple(sorted(positions, reverse=True))
    text = metrics(falling[0], drafted, falling)

    assert set(between(text, text).counts.values()) == {0}
