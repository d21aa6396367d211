"""The label of a machine, and what git says about a plan."""

from __future__ import annotations

import os
import subprocess

import pytest

from specwiki.edges import git, machine


@pytest.mark.parametrize(
    ("model", "word"),
    [
        ("Intel(R) Xeon(R) Processor @ 2.30GHz", "xeon"),
        ("AMD EPYC 7B13", "epyc"),
        ("12th Gen Intel(R) Core(TM) i7-1260P", "cpu"),
        ("AMD Ryzen 9 7950X 16-Core Processor", "ryzen"),
        ("unknown CPU", "cpu"),
    ],
)
def test_the_family_of_a_processor(model, word):
    """Maker and filler words tell nothing; the first other word is the family."""
    assert machine.short_cpu_name(model) == word


@pytest.mark.parametrize(
    ("cpuinfo", "fast"),
    [
        ("flags\t\t: fpu sse4_2 fma avx avx2 f16c\n", False),
        ("flags\t\t: fpu avx2 avx512f avx512bw avx512vl amx_bf16\n", True),
        ("flags\t\t: fpu avx2 avx_vnni avx_ne_convert\n", True),
        ("flags\t\t: fpu avx512f\n", False),
        ("", True),
    ],
)
def test_bfloat16_is_fast_where_a_processor_has_instructions_for_it(cpuinfo, fast):
    """AVX-512 or AVX2 with bfloat16; nothing is changed where the kernel tells nothing."""
    assert machine.has_bfloat16(f"processor\t: 0\nmodel name\t: AMD EPYC\n{cpuinfo}") is fast


def test_the_label_is_made_from_hardware(tmp_path):
    """Cores, family and memory, and never the host's name."""
    label = machine.machine_label(tmp_path, None)

    assert label.startswith(f"{len(os.sched_getaffinity(0))}-core-")
    assert label.endswith("g")
    assert os.uname().nodename not in label


def test_a_label_that_somebody_wrote_wins(tmp_path):
    """The profile's label before that of machine.toml, and that before the hardware."""
    (tmp_path / "machine.toml").write_text('label = "pair-1"\n')

    assert machine.machine_label(tmp_path, None) == "pair-1"
    assert machine.machine_label(tmp_path, "pair-2") == "pair-2"


def committed(folder):
    path = folder / "plan.toml"
    path.write_text("a = 1\n")
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    for words in (["init", "-q"], ["add", "plan.toml"], [*identity, "commit", "-qm", "plan"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return path


def test_a_committed_plan(tmp_path):
    """Committed as it stands: true, with the commit."""
    state, commit = git.committed_state(committed(tmp_path))

    assert state is True
    assert len(commit) == 40


def test_a_changed_plan(tmp_path):
    """Changed since: false, though a commit has it."""
    path = committed(tmp_path)
    path.write_text("a = 2\n")

    assert git.committed_state(path)[0] is False


def test_a_new_plan(tmp_path):
    """Never committed: false, and no commit."""
    committed(tmp_path)
    path = tmp_path / "other.toml"
    path.write_text("a = 1\n")

    assert git.committed_state(path) == (False, None)


def test_no_repository(tmp_path):
    """Outside a repository nothing can be said."""
    path = tmp_path / "plan.toml"
    path.write_text("a = 1\n")

    assert git.committed_state(path) == (None, None)
