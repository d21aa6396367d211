"""Boots of the real engine, as few as will do: each fixture is one boot, shared by the session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from specwiki.core.layout import Layout, Store
from specwiki.core.model import Profile, Prompt
from specwiki.edges import engine
from specwiki.edges.lock import engine_lock
from specwiki.edges.model_cache import cache_folder, cut_model, embedded_model
from specwiki.study.project import load_experiment, load_profile, load_prompt_set
from specwiki.study.starts import dtype_here

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return Layout(ROOT, Store(tmp_path_factory.mktemp("local") / "data"))


@pytest.fixture(scope="session")
def profile(layout: Layout) -> Profile:
    return load_profile(layout, "laptop")


@pytest.fixture(scope="session")
def prompts(layout: Layout) -> list[Prompt]:
    """Prompts on which n-gram look-up drafts often: the copy-heavy stratum."""
    prompt_set = load_experiment(layout, "depth", "laptop", "full").prompt_set
    return [prompt for prompt in prompt_set.prompts if prompt.stratum == "copy-heavy"][:4]


@pytest.fixture(scope="session")
def lists(layout: Layout) -> list[Prompt]:
    """Lists of code words, which n-gram look-up drafts nearly whole."""
    return list(load_prompt_set(layout, "nato").prompts[:3])


@pytest.fixture(scope="session")
def model() -> str:
    return str(embedded_model(cache_folder()))


@pytest.fixture(scope="module")
def boot(
    layout: Layout, profile: Profile, model: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Iterator[engine.Engine]]:
    """Start an engine with these depths (`None`: off), or at one native depth; the cut-down target drafts if asked."""
    tmp_path = tmp_path_factory.mktemp("engine")

    def start(
        depths: tuple[int, ...] | None = None, native_depth: int | None = None, *, cut: bool = False
    ) -> Iterator[engine.Engine]:
        cores = engine.Cores.of_this_process()
        chosen = load_profile(layout, "laptop-cut") if cut else profile
        drafter = str(cut_model(cache_folder(), chosen.drafter.layers)) if chosen.drafter.layers else None
        wanted = engine.Boot(
            chosen, model, depths, cores, tmp_path / "engine.log", native_depth, drafter, dtype_here(chosen)
        )
        with engine_lock(cache_folder(), "the tests") as lock, engine.running(wanted, lock) as live:
            yield live

    return start
