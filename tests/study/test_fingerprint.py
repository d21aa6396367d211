"""What a result was measured under: each part changes with what it stands for, and with nothing else."""

from __future__ import annotations

import pytest

from specwiki.study.fingerprint import measured_under
from specwiki.study.project import load_experiment


def under(project):
    return measured_under(load_experiment(project, "depth", "laptop", "quick"))


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("seats = 9", "engine"),
        ('engine_args = ["--enforce-eager", "--block-size", "32"]', "engine"),
        ("options = { prompt_lookup_min = 3, prompt_lookup_max = 4 }", "engine"),
        ("kv_cache_gib = 2", "engine"),
        ("port = 8123", None),
        ("boot_timeout_s = 9", None),
    ],
)
def test_what_starts_the_engine_counts(project, line, part):
    """Words and variables that the engine is started with count; its port and our patience do not."""
    before = under(project)
    profile = project.profiles / "laptop.toml"
    key = line.split(" = ", 1)[0]
    kept = [one for one in profile.read_text().splitlines() if not one.startswith(f"{key} =")]
    place = len(kept) if key == "options" else kept.index('name = "laptop"') + 1
    profile.write_text("\n".join([*kept[:place], line, *kept[place:]]) + "\n")
    after = under(project)

    assert [name for name in before if before[name] != after[name]] == ([part] if part else [])
