"""How engines are started for each kind of boot, and which drafters a machine cannot run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from specwiki.core.model import Target
from specwiki.core.plan import without_arms
from specwiki.edges import machine
from specwiki.edges.engine import Cores, command
from specwiki.errors import EngineError, SpecwikiError
from specwiki.study import measure
from specwiki.study.fingerprint import measured_under
from specwiki.study.project import load_experiment
from specwiki.study.starts import dtype_here, engine_boot, measured_order, not_built


def started(experiment, kind):
    """The words of one kind of boot."""
    weights = lambda drafter: {None: None, "all": "/target"}.get(drafter.layers, f"/cut-{drafter.layers}")  # noqa: E731
    boot = engine_boot(experiment, kind, "/target", weights, Cores((), ()), Path("log"))
    return " ".join(command(boot, 1234))


def test_a_sweep_names_every_depth_and_off_none(project):
    """As before drafters could be compared: `off` has no speculative config, the sweep a schedule."""
    depth = load_experiment(project, "depth", "laptop", "quick")

    assert "--speculative-config" not in started(depth, "off")
    assert "num_speculative_tokens_per_batch_size" in started(depth, "sweep")


def test_each_drafter_is_started_at_one_depth(project):
    """With its own method and weights, vLLM's own scheduler, and no schedule."""
    drafters = load_experiment(project, "drafters", "laptop", "full")

    assert started(drafters, "off-twin") == started(drafters, "off")
    assert '"suffix_decoding_max_cached_requests": 0' in started(drafters, "suffix")
    assert "max_cached_requests" not in started(drafters, "suffix-memory")
    assert '"model": "/cut-20"' in started(drafters, "cut")
    assert '"model": "/target"' in started(drafters, "target")
    for kind in ("ngram", "suffix", "suffix-memory", "cut", "target"):
        assert '"num_speculative_tokens": 4' in started(drafters, kind)
        assert "--scheduler-cls" not in started(drafters, kind)


def test_a_drafter_whose_package_is_missing_is_left_out(project):
    """Its arm is known before anything boots, and a profile with a command of its own is not judged."""
    full = load_experiment(project, "drafters", "laptop", "full")
    others = tuple(one.model_copy(update={"needs": one.needs and "no_such_package"}) for one in full.profile.others)
    lacking = replace(full, profile=full.profile.model_copy(update={"others": others}))

    assert not_built(lacking) == {"suffix", "suffix-memory"}
    left = {boot.kind for boot in without_arms(measured_order(lacking), not_built(lacking))}
    assert left == {"off", "off-twin", "ngram", "eagle", "cut", "target"}
    elsewhere = lacking.profile.model_copy(update={"command": ("ssh",)})
    assert not_built(replace(lacking, profile=elsewhere)) == set()


@pytest.mark.parametrize(("key", "value", "said"), [
    ("warm_up", "chat", "strata has 'chat'"),
    ("warm_up", "klingon", "warm_up is 'klingon'"),
    ("synthetic_set", "nato", "synthetic_set is set"),
    ("depth", 9, "depth is 9"),
])  # fmt: skip
def test_a_wrong_plan_is_refused(project, key, value, said):
    """Each with what is wrong about it."""
    plan = project.experiments / "drafters" / "plan.toml"
    lines = [line for line in plan.read_text().splitlines() if not line.startswith(f"{key} =")]
    plan.write_text(f"{key} = {value!r}\n" + "\n".join(lines))

    with pytest.raises(SpecwikiError, match=said):
        load_experiment(project, "drafters", "laptop", "full")


def test_two_drafters_of_one_name_are_refused(project):
    """An arm is named after its drafter."""
    profile = project.profiles / "laptop.toml"
    profile.write_text(profile.read_text().replace('slug = "cut"', 'slug = "ngram"'))

    with pytest.raises(SpecwikiError, match="drafter 'ngram' occurs 2 times"):
        load_experiment(project, "drafters", "laptop", "full")


@pytest.mark.parametrize("folder", ["/etc", "../elsewhere", "a/../../b", "~/x", ""])
def test_weights_outside_of_the_project_are_refused(project, folder):
    """A profile says where in the project they are."""
    profile = project.profiles / "laptop.toml"
    profile.write_text(profile.read_text().replace('method = "suffix"', f'method = "eagle"\nfolder = "{folder}"', 1))

    with pytest.raises(SpecwikiError, match=r"expected a folder of the project"):
        load_experiment(project, "drafters", "laptop", "full")


def test_weights_without_their_hashes_are_told(project):
    """Nothing can be compared without them."""
    profile = project.profiles / "laptop.toml"
    profile.write_text(profile.read_text().replace('method = "suffix"', 'method = "eagle"\nfolder = "head"', 1))

    with pytest.raises(EngineError, match="manifest"):
        measured_under(load_experiment(project, "drafters", "laptop", "full"))


@pytest.mark.parametrize(
    ("fast", "changed", "dtype"),
    [
        (False, {}, "float32"),
        (True, {}, None),
        (False, {"engine_args": ("--dtype", "bfloat16")}, None),
        (False, {"engine_args": ("--dtype=bfloat16",)}, None),
        (False, {"target": Target(name="m", model="m")}, None),
    ],
)
def test_the_embedded_target_computes_in_what_is_fast_here(project, monkeypatch, fast, changed, dtype):
    """In float32 where bfloat16 is slow; what a profile says about it, and every other target, is left alone."""
    monkeypatch.setattr(machine, "multiplies_bfloat16", lambda: fast)
    profile = load_experiment(project, "depth", "laptop", "quick").profile

    assert dtype_here(profile.model_copy(update=changed)) == dtype


def test_a_type_belongs_to_the_machine(project, monkeypatch):
    """A cut run does not go on in another type, and a result of another machine is not stale for its own."""
    found = []
    for fast in (True, False):
        monkeypatch.setattr(machine, "multiplies_bfloat16", lambda fast=fast: fast)
        found.append(measured_under(load_experiment(project, "depth", "laptop", "quick")))

    assert [part for part in found[0] if found[0][part] != found[1][part]] == ["machine"]


def test_a_run_starts_its_engine_in_the_type_of_the_machine(project, monkeypatch, tmp_path):
    """Whatever the boot: it is asked for where the engine is started, not where results are compared."""
    started_with = []

    def refuse(boot, *_):
        started_with.append(boot.dtype)
        raise EngineError("engine", "seen enough", "Nothing")

    monkeypatch.setenv("SPECWIKI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(machine, "multiplies_bfloat16", lambda: False)
    monkeypatch.setattr(measure, "embedded_model", lambda _: Path("/target"))
    monkeypatch.setattr(measure.engine, "running", refuse)

    with pytest.raises(EngineError, match="seen enough"):
        measure.measure(load_experiment(project, "depth", "laptop", "tiny"), tmp_path / "run")
    assert started_with == ["float32"]
