"""An engine that crashes, hangs or compiles: what is recorded, and what goes on."""

from __future__ import annotations

import json
import signal
import time

from specwiki.edges.run_tables import read_run_tables


def blocks_of(runs):
    return read_run_tables(runs.layout.local.run_folder(runs.result))


def test_a_crash_is_recorded_and_the_replicate_measured_again(runs):
    """One crash: the engine is started again, the cut replicate is run as a whole, every arm is complete."""
    runs.go_wrong(die_in_arm=4, times=1)
    code, _, err = runs.run()

    assert code == 0, err
    blocks = blocks_of(runs)
    (crashed,) = [one for one in blocks if one.status == "crashed"]
    assert crashed.depth == 4
    assert "went away" in crashed.reason
    assert "out of memory" in crashed.reason
    counted = [(one.arm, one.concurrency, one.group, one.replicate) for one in blocks if one.status == "ok"]
    assert len(counted) == len(set(counted)) == runs.num_cells()
    assert [one.status for one in runs.result.strip].count("crashed") == 1


def test_an_arm_that_keeps_crashing_is_given_up_and_the_others_go_on(runs):
    """Three crashes in depth 8: it is a gap with its reason, everything else is measured."""
    runs.go_wrong(die_in_arm=8)
    code, _, err = runs.run()

    assert code == 0, err
    blocks = blocks_of(runs)
    assert [one.arm for one in blocks if one.status == "crashed"] == ["d8"] * 3
    counted = {(one.arm, one.concurrency, one.group, one.replicate) for one in blocks if one.status == "ok"}
    assert len(counted) == runs.num_cells() - 12
    assert "d8" not in {arm for arm, *_ in counted}
    assert runs.result.values["ratio.c1.d8"].missing == "crashed"
    assert runs.result.values["ratio.c1.d4"].number > 0


def test_a_twin_that_keeps_crashing_leaves_no_floor(runs):
    """With depth 4 and its twin gone there is no A/A pair: said as such, and nothing is made up for it."""
    runs.go_wrong(die_in_arm=4)
    code, _, err = runs.run()

    assert code == 0, err
    assert runs.result.values["aa.c1"].missing == "crashed"
    assert runs.result.values["ratio.c1.d2"].number > 0


def test_an_arm_whose_log_names_this_machine(runs):
    """The log's tail is stored without the paths of this machine."""
    runs.go_wrong(die_in_arm=8)
    runs.run()

    stored = "".join(one.reason or "" for one in runs.result.strip)
    assert "out of memory while serving $REPO" in stored
    assert str(runs.layout.root) not in runs.layout.local.result_file(runs.result).read_text()


def test_nothing_left_to_compare(runs):
    """If `off` cannot boot at all, the run ends with the log's tail and exit code 3; the next one begins anew."""
    runs.go_wrong(die_at_boot="off")
    code, _, err = runs.run()

    assert code == 3
    assert "must divide by 3" in err
    assert "crashed 3 times" in err
    runs.go_wrong()
    assert runs.run("tiny")[0] == 0


def test_an_engine_that_answers_with_errors_before_it_ends(runs):
    """Its core is dead: a crash of the engine, not a request that was refused, and the run goes on."""
    runs.go_wrong(fail_in_arm=4, times=1)
    code, _, err = runs.run("tiny")

    assert code == 0, err
    (crashed,) = [one for one in blocks_of(runs) if one.status == "crashed"]
    assert "it ended with exit code 1" in crashed.reason


def test_a_hang_is_bounded_and_names_block_and_request(runs):
    """An answer that never ends is a crash of its arm, after the profile's time for a request."""
    runs.go_wrong(hang_in_arm=2, times=1)
    code, _, err = runs.run()

    assert code == 0, err
    (crashed,) = [one for one in blocks_of(runs) if one.status == "crashed"]
    assert crashed.reason.startswith("request '")
    assert "no whole answer within 2 s" in crashed.reason


def test_a_run_ends_inside_its_budget(runs):
    """Where every request hangs, the run ends when its time is up, names block and request, and can go on."""
    profile = runs.layout.profiles / "small.toml"
    profile.write_text(profile.read_text().replace("request_timeout_s = 2", "request_timeout_s = 600"))
    runs.set_budget(8)
    runs.go_wrong(hang_in_arm="off")
    began = time.monotonic()
    code, _, err = runs.run()

    assert code == 1
    assert time.monotonic() - began < 60
    assert "block 0" in err
    assert "request '" in err
    assert "its budget" in err
    assert not [one for one in runs.block_files().values() if json.loads(one)["status"] == "crashed"]


def test_a_block_in_which_a_kernel_was_compiled_is_void(runs):
    """Its replicate is measured again, and the block says why it does not count."""
    runs.go_wrong(compile_in_arm=2, times=1)
    code, _, err = runs.run()

    assert code == 0, err
    (void,) = [one for one in blocks_of(runs) if one.status == "void"]
    assert "JIT compilation during inference" in void.reason


def test_metrics_that_fail_once(runs):
    """Acceptance is unknown then, not zero: the block is void, and its replicate is measured again."""
    runs.go_wrong(metrics_status=500, times=1)
    code, _, err = runs.run("tiny")

    assert code == 0, err
    assert sum(one.status == "ok" for one in blocks_of(runs)) == runs.num_cells("tiny")


def test_a_server_that_runs_something_else(runs):
    """A start command that passes another depth on is found out before anything is measured with it."""
    runs.go_wrong(serves_depth=3)
    code, _, err = runs.run()

    assert code == 3
    assert "num_speculative_tokens is 3, the profile asks for 8" in err


def test_interrupted_while_the_engine_starts(runs):
    """Ctrl-C ends the command with 130 and one line, and the engine with it."""
    runs.go_wrong(slow_at_boot="off")
    process = runs.start()
    until = time.monotonic() + 60
    while not list(runs.layout.scratch.glob("depth/*/engine-0.log")):
        assert time.monotonic() < until
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err.count("\n") == 1
    assert "interrupted" in err
    assert runs.engine_is_gone()
