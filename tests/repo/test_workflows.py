"""The workflows of GitHub Actions, checked by tools and by running their scripts here; none was run on GitHub."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
BIN = Path(sys.executable).parent

GOOD = """
name: good
on: [push]
permissions: {}
concurrency: {group: good, cancel-in-progress: true}
jobs:
  a:
    name: a
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
        with: {persist-credentials: false}
      - run: echo "$WHO"
        env: {WHO: "${{ github.actor }}"}
"""


def actionlint(*files: Path) -> subprocess.CompletedProcess[str]:
    """Syntax, types of expressions, inputs of actions; without the tools that only some machines have."""
    words = [
        str(BIN / "actionlint"),
        "-shellcheck=",
        "-pyflakes=",
        "-config-file",
        str(ROOT / ".github/actionlint.yaml"),
    ]
    return subprocess.run([*words, *map(str, files)], cwd=ROOT, capture_output=True, text=True, check=False)


def zizmor(*files: Path) -> subprocess.CompletedProcess[str]:
    """What an attacker could use; asks nothing of the network."""
    words = [str(BIN / "zizmor"), "--offline", "--no-progress", "--config", str(ROOT / ".github/zizmor.yml")]
    return subprocess.run([*words, *map(str, files)], cwd=ROOT, capture_output=True, text=True, check=False)


def read(name: str) -> dict:
    """A workflow."""
    return yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8"))


def steps(workflow: dict) -> list[dict]:
    """Of all jobs."""
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def script(name: str, step: str) -> str:
    """What a named step runs."""
    (found,) = (one["run"] for one in steps(read(name)) if one.get("name") == step)
    return found


def bash(text: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script as GitHub does."""
    return subprocess.run(["bash", "-e", "-c", text], cwd=cwd, env={**os.environ, **variables}, capture_output=True,
                          text=True, check=False)  # fmt: skip


def git(folder: Path, *words: str) -> str:
    """Run git as somebody; what it says."""
    who = {f"GIT_{role}_{part}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *words], cwd=folder, env=os.environ | who, capture_output=True, text=True, check=True)
    return done.stdout


def test_there_are_three():
    """Else the tests below would pass over nothing."""
    assert [path.stem for path in WORKFLOWS] == ["ci", "measure", "pages"]


@pytest.mark.parametrize("tool", [actionlint, zizmor])
def test_the_tools_find_nothing(tool):
    """In any of them."""
    done = tool(*WORKFLOWS)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("tool", "old", "new", "says"),
    [
        (actionlint, "on: [push]", "on: [psh]", 'unknown Webhook event "psh"'),
        (actionlint, "persist-credentials", "persist-credential", '"persist-credential" is not defined in action'),
        (actionlint, "github.actor", "github.actr", 'property "actr" is not defined'),
        (actionlint, "ubuntu-latest", "ubuntu-latst", 'label "ubuntu-latst" is unknown'),
        (zizmor, '"$WHO"', "${{ github.head_ref }}", "template-injection"),
        (zizmor, "on: [push]", "on: [pull_request_target]", "dangerous-triggers"),
        (zizmor, "actions/checkout@v7", "somebody/checkout@v7", "unpinned-uses"),
        (zizmor, "persist-credentials: false", "fetch-depth: 0", "artipacked"),
    ],
)
def test_the_tools_find_what_is_broken(tmp_path, tool, old, new, says):
    """A good workflow passes both, and each fault fails."""
    file = tmp_path / "good.yml"
    file.write_text(GOOD, "utf-8")
    assert tool(file).returncode == 0, tool(file).stdout

    assert old in GOOD
    file.write_text(GOOD.replace(old, new), "utf-8")
    done = tool(file)
    assert done.returncode != 0
    assert says in done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda one: one.stem)
def test_least_permissions_and_known_actions(path):
    """Nothing is permitted but by a job; only GitHub's own actions, by version; every job ends by itself."""
    workflow = read(path.stem)

    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"]
        assert job["timeout-minutes"] <= 720
    for step in steps(workflow):
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_what_is_typed_reaches_no_script():
    """Nor does anything else that GitHub would put into one."""
    for path in WORKFLOWS:
        for step in steps(read(path.stem)):
            assert "${{" not in step.get("run", ""), path.name


def test_the_machine_that_measures_can_change_nothing():
    """Only the job that opens the pull request writes; it runs none of the code that is measured."""
    jobs = read("measure")["jobs"]

    assert jobs["measure"]["permissions"] == {"contents": "read"}
    assert jobs["propose"]["permissions"] == {"contents": "write", "pull-requests": "write"}
    assert not [step for step in jobs["propose"]["steps"] if "specwiki " in step.get("run", "")]


@pytest.mark.parametrize(
    ("experiment", "profile", "effort", "code"),
    [
        ("depth", "laptop", "full", 0),
        ("synthetic", "laptop-cut", "tiny", 0),
        ("nope", "laptop", "full", 2),
        ("depth", "nope", "full", 2),
        ("depth", "laptop", "much", 2),
        ("", "laptop", "full", 2),
        ("drafter_head", "laptop", "full", 2),
        ("../experiments/depth", "laptop", "full", 2),
        ("depth\nlaptop", "laptop", "full", 2),
        ("--help", "laptop", "full", 2),
        ("depth; touch owned", "laptop", "full", 2),
        ("$(touch owned)", "`touch owned`", "full", 2),
        ("depth", "laptop", "full\n::set-output name=x::y", 2),
    ],
)
def test_inputs_are_checked(tmp_path, experiment, profile, effort, code):
    """The real step, in a copy of what it looks at: what is no name of ours ends the job, and does nothing else."""
    for folder in ("experiments", "profiles"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    done = bash(script("measure", "Check what was asked for"), tmp_path, EXPERIMENT=experiment, PROFILE=profile,
                EFFORT=effort)  # fmt: skip

    assert done.returncode == code, done.stderr
    assert not list(tmp_path.rglob("owned"))
    assert ("::error::" in done.stdout) == (code == 2)
    assert "set-output" not in done.stdout


def test_the_forms_defaults_are_there():
    """What is measured when nobody types anything."""
    workflow = read("measure")
    inputs = workflow[True]["workflow_dispatch"]["inputs"]

    assert (ROOT / "experiments" / inputs["experiment"]["default"] / "plan.toml").exists()
    assert (ROOT / "profiles" / f"{inputs['profile']['default']}.toml").exists()
    for name, given in inputs.items():
        assert workflow["env"][name.upper()] == f"${{{{ inputs.{name} || '{given['default']}' }}}}"


@pytest.fixture
def proposed(tmp_path):
    """A repository, and the proposal of another clone of it that changed these files."""
    root = tmp_path / "repository"
    for name in ("data/old.json", "src/code.py"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("one\n", encoding="utf-8")
    git(tmp_path, "init", "-q", "repository")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(tmp_path, "clone", "-q", "repository", "other")
    other = tmp_path / "other"
    (other / "data" / "old.json").unlink()
    (other / "data" / "é.parquet").write_bytes(bytes(range(256)))
    (other / "src" / "code.py").write_text("two\n", encoding="utf-8")
    git(other, "add", ".")
    (tmp_path / "proposal").mkdir()
    (tmp_path / "proposal" / "data.patch").write_text(git(other, "diff", "--cached", "--binary", "HEAD"), "utf-8")
    return root


def test_only_data_is_taken_over(proposed, tmp_path):
    """Also what is binary, and what is gone; a change of code in the same patch is not."""
    done = bash(script("measure", "Take over changes of data/, and of nothing else"), proposed,
                RUNNER_TEMP=str(tmp_path))  # fmt: skip

    assert done.returncode == 0, done.stderr + done.stdout
    assert (proposed / "data" / "é.parquet").read_bytes() == bytes(range(256))
    assert not (proposed / "data" / "old.json").exists()
    assert (proposed / "src" / "code.py").read_text("utf-8") == "one\n"


def test_anything_beside_data_ends_the_proposal(proposed, tmp_path):
    """Whatever put it there."""
    (proposed / "src" / "new.py").write_text("x", encoding="utf-8")
    done = bash(script("measure", "Take over changes of data/, and of nothing else"), proposed,
                RUNNER_TEMP=str(tmp_path))  # fmt: skip

    assert done.returncode == 1
    assert "more than data/" in done.stdout


RECORDER = """#!/bin/sh
echo "$*" >> words.txt
case "$1" in
  publish) mkdir -p data/results && echo "$2" > "data/results/$2.json" ;;
  changes) echo "# Changes" ;;
  check) printf 'error: x: it says ```. Mend it.\\n1 problems\\n'; exit 1 ;;
esac
"""
"""Stands where our command line is installed: what counts here is the words it is given, and what becomes of files."""


@pytest.mark.parametrize(("experiment", "published"), [("depth", ["depth"]), ("synthetic", ["depth", "synthetic"])])
def test_what_is_measured_becomes_a_proposal(tmp_path, experiment, published):
    """An experiment that reads another one's run is published after it; a check that fails stops nothing."""
    shutil.copytree(ROOT / "experiments", tmp_path / "experiments")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "specwiki").write_text(RECORDER, encoding="utf-8")
    (tmp_path / ".venv" / "bin" / "specwiki").chmod(0o755)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "experiments")
    git(tmp_path, "commit", "-q", "-m", "one")
    done = bash(script("measure", "Publish into data/, and report what that changes"), tmp_path, EXPERIMENT=experiment,
                PROFILE="laptop", GITHUB_STEP_SUMMARY="summary.md", GITHUB_OUTPUT="output.txt")  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "words.txt").read_text("utf-8").splitlines() == [
        *(f"publish {one} --profile laptop" for one in published), "changes", "changes --at-most 50000", "check",
    ]  # fmt: skip
    assert (tmp_path / "output.txt").read_text("utf-8") == "published=yes\n"
    assert (tmp_path / "summary.md").read_text("utf-8") == "# Changes\n"
    body = (tmp_path / "proposal" / "body.md").read_text("utf-8")
    assert body.startswith("# Changes\n\n## What specwiki check says\n\n```text\nerror: x: it says ")
    assert body.count("```") == 2
    patch = (tmp_path / "proposal" / "data.patch").read_text("utf-8")
    assert re.findall(r"^\+\+\+ b/(.*)$", patch, re.MULTILINE) == [f"data/results/{one}.json" for one in published]


@pytest.mark.parametrize("base", ["https://example.org/deep/er", "https://example.org/deep/er/"])
def test_the_site_is_built_for_where_it_will_stand(tmp_path, base):
    """Both languages below the address that Pages gives, with or without its last slash."""
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\nprintf "%s %s %s" "$1" "$SPECWIKI_SITE_EN" "$SPECWIKI_SITE_VI"\n', encoding="utf-8")
    make.chmod(0o755)
    done = bash(script("pages", "Build"), tmp_path, BASE_URL=base, PATH=f"{tmp_path}:{os.environ['PATH']}")

    assert done.stdout == "site https://example.org/deep/er/en/ https://example.org/deep/er/vi/"


def test_pages_are_checked_before_they_are_built():
    """And need no engine."""
    ran = [step.get("run", "") for step in read("pages")["jobs"]["build"]["steps"]]

    assert ran.index(".venv/bin/specwiki check") < ran.index(script("pages", "Build"))
    assert "python3 scripts/install.py site" in ran
    assert "engine" not in json.dumps(read("pages")["jobs"])


def test_ci_runs_what_the_readme_says():
    """The commands of a developer, and no others."""
    ran = [step["run"] for step in steps(read("ci")) if "run" in step]
    readme = (ROOT / "README.md").read_text("utf-8")

    assert ran == ["make lint", "make test"]
    assert all(f"`{command}`" in readme for command in ran)


def test_the_documents_say_what_was_not_tried():
    """That tools checked the workflows, and that they were not run on GitHub."""
    for name in ("README.md", "CONTRIBUTING.md"):
        text = " ".join((ROOT / name).read_text("utf-8").split())
        assert "not run on GitHub" in text, name
