"""What a user reads when something is wrong: the whole line, and the exit code."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with what commands read, as the working folder."""
    for name in ("experiments", "profiles", "data", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "mkdocs.yml", tmp_path / "mkdocs.yml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPECWIKI_DATA", str(tmp_path / ".specwiki" / "data"))
    monkeypatch.setenv("SPECWIKI_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.usefixtures("project")
def test_unknown_experiment(command):
    """The nearest experiment is suggested."""
    assert command("run", "depht") == (
        2,
        "",
        (
            "error: experiment 'depht': there is none of that name, expected one of "
            "['depth', 'drafters', 'synthetic']. Did you mean 'depth'?\n"
        ),
    )


@pytest.mark.usefixtures("project")
def test_unknown_profile(command):
    """The nearest profile is suggested."""
    code, _, err = command("run", "depth", "--profile", "labtop")

    assert code == 2
    assert err == (
        "error: profile 'labtop': there is none of that name, "
        "expected one of ['laptop', 'laptop-cut', 'laptop-eagle']. Did you mean 'laptop'?\n"
    )


@pytest.mark.usefixtures("project")
def test_unknown_effort(command):
    """The efforts of the plan are listed."""
    code, _, err = command("run", "depth", "--effort", "quik")

    assert code == 2
    assert err == (
        "error: --effort: 'quik' is not in depth's plan, expected one of ['full', 'quick', 'tiny']. "
        "Name one of these.\n"
    )


def test_unknown_parameter(project, command):
    """A parameter that the notebook lacks is refused before anything is measured, with the nearest name."""
    code, _, err = command("run", "depth", "--effort", "tiny", "-p", "profil=laptop")

    assert code == 2
    assert "error: parameter 'profil': the notebook has no such parameter" in err
    assert "Did you mean 'profile'?" in err
    assert not list(project.glob(".specwiki/work/*/*/blocks"))


def test_depth_outside_the_range(project, command):
    """Every wrong place of a plan is named, with its value, and their count."""
    plan = project / "experiments" / "depth" / "plan.toml"
    plan.write_text(plan.read_text().replace("depths = [0, 2, 4, 8]", "depths = [0, 2, 4, 9]").replace("0.10", "1.5"))
    code, _, err = command("run", "depth")

    assert code == 2
    assert "experiments/depth/plan.toml: efforts.quick.depths.3 is 9: input should be less than or equal to 8." in err
    assert "experiments/depth/plan.toml: rule.threshold is 1.5" in err
    assert err.endswith("error: 2 problems\n")


def test_too_few_replicates(project, command):
    """A plan that cannot decide is refused."""
    plan = project / "experiments" / "depth" / "plan.toml"
    plan.write_text(plan.read_text().replace("replicates = 4", "replicates = 3"))
    code, _, err = command("run", "depth")

    assert code == 2
    assert "efforts.quick.replicates is 3, expected at least 4" in err


def test_broken_toml(project, command):
    """A file that is not TOML is named with the place in it."""
    (project / "profiles" / "laptop.toml").write_text("name = ")
    code, _, err = command("run", "depth")

    assert code == 2
    assert "laptop.toml: it is not TOML: Invalid value (at end of document)." in err


def test_outside_a_project(tmp_path, monkeypatch, command):
    """Elsewhere the command says what it looked for."""
    monkeypatch.chdir(tmp_path)
    code, _, err = command("status")

    assert code == 2
    assert "it is not in a specwiki project, expected mkdocs.yml and experiments/ there or above" in err


def test_unknown_command(command):
    """A wrong word is wrong input, in one line."""
    code, _, err = command("mesure")

    assert code == 2
    assert err.count("\n") == 1
    assert "mesure" in err


@pytest.mark.usefixtures("project")
def test_nothing_to_publish(command):
    """Without a full result there is nothing to publish, and the command that makes one is named."""
    code, _, err = command("publish", "depth")

    assert code == 2
    assert "no full result of profile 'laptop'" in err
    assert "Run 'specwiki run depth --effort full' first." in err


@pytest.mark.usefixtures("project")
def test_nothing_to_derive_from(command):
    """An unknown run id is wrong input."""
    code, _, err = command("derive", "depth", "--run-id", "000000-ffff")

    assert code == 2
    assert "no stored run of profile 'laptop' is called '000000-ffff'" in err


def test_torn_result(project, command):
    """A torn result file is named; its neighbours are not touched."""
    folder = project / ".specwiki" / "data" / "results" / "laptop" / "m" / "depth"
    folder.mkdir(parents=True)
    (folder / "2026-11-29-000000-ffff-1.json").write_text('{"format": 1,')
    code, _, err = command("status")

    assert code == 1
    assert "2026-11-29-000000-ffff-1.json: it is not JSON" in err
    assert "Restore it from git or another copy, or remove it." in err


@pytest.mark.usefixtures("project")
def test_no_traceback_without_debug(command):
    """Errors are one line each; `--debug` brings the traceback."""
    assert "Traceback" not in command("run", "depht")[2]


@pytest.mark.parametrize("name", ["run", "derive", "publish", "status", "render", "build", "serve", "check"])
def test_every_command_has_an_example(name, command):
    """`--help` of each command shows how it is typed."""
    code, out, _ = command(name, "--help")

    assert code == 0
    assert f"specwiki {name}" in out.split("Example:")[1]


def test_a_package_that_only_measuring_needs(project):
    """After `make site` a command that measures says what to install, in one line, with exit code 3."""
    words = "import sys; sys.modules['papermill'] = None; sys.argv = ['specwiki', 'run', 'depth']"
    done = subprocess.run(
        [sys.executable, "-c", f"{words}; from specwiki.cli import main; main()"], cwd=project, capture_output=True,
        text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 3
    assert done.stderr == (
        "error: specwiki: the package 'papermill' is not installed, and this command needs it. Run 'make engine'.\n"
    )
