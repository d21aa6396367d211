"""Find the project, and load its profiles, plans and prompt sets."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from specwiki.core.blocks import SYNTHETIC
from specwiki.core.layout import Layout, Store
from specwiki.core.model import Drafter, Profile, Prompt, PromptSet, parse
from specwiki.core.plan import prompt_groups
from specwiki.core.plan_file import AnyEffort, AnyPlan, DrafterEffort, DrafterPlan, EffortName, Reading, parse_plan
from specwiki.edges.machine import machine_label
from specwiki.edges.store import read_toml
from specwiki.errors import InputError


def find_layout(start: Path) -> Layout:
    """The project that `start` is in; its local store is `SPECWIKI_DATA`, or `.specwiki/data` in it.

    Raises:
        InputError: If no folder from `start` upwards holds `mkdocs.yml` and `experiments`.
    """
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / "mkdocs.yml").exists() and (folder / "experiments").is_dir():
            local = os.environ.get("SPECWIKI_DATA")
            return Layout(folder, Store(Path(local).resolve() if local else folder / ".specwiki" / "data"))
    raise InputError(
        str(start), "it is not in a specwiki project, expected mkdocs.yml and experiments/ there or above",
        "Change into the folder of your clone",
    )  # fmt: skip


@dataclass(frozen=True)
class Experiment:
    """One experiment as it would be measured now: everything that was read from files.

    Attributes:
        layout: The project.
        slug: The experiment that is told.
        plan: What is measured: from its `plan.toml`, or that of the experiment that it reads.
        effort_name: `tiny`, `quick` or `full`.
        profile: From `profiles/`.
        prompt_set: From `data/prompts/`, or imported into the local store.
        machine: Label of this machine.
    """

    layout: Layout
    slug: str
    plan: AnyPlan
    effort_name: EffortName
    profile: Profile
    prompt_set: PromptSet
    synthetic_set: PromptSet | None
    machine: str

    @property
    def folder(self) -> Path:
        """Folder with `plan.toml` and `notebook.py`."""
        return self.layout.experiments / self.slug

    @property
    def is_reading(self) -> bool:
        """Whether it reads the run of another experiment, `plan.slug`, and measures nothing itself."""
        return self.slug != self.plan.slug

    @property
    def effort(self) -> AnyEffort:
        """The chosen effort."""
        return self.plan.efforts[self.effort_name]

    @property
    def drafters(self) -> tuple[Drafter, ...]:
        """The drafters that are measured, the one in use first."""
        most = self.effort.most_drafters if isinstance(self.effort, DrafterEffort) else 1
        return self.profile.drafters[:most]

    @property
    def warm_up_prompts(self) -> tuple[Prompt, ...]:
        """Prompts that warm an engine up and count nowhere; empty: the first ones of what is measured."""
        if not isinstance(self.plan, DrafterPlan):
            return ()
        return tuple(one for one in self.prompt_set.prompts if one.stratum == self.plan.warm_up)

    @property
    def groups(self) -> dict[str, tuple[Prompt, ...]]:
        """The prompts of each block, by group."""
        groups = prompt_groups(self.prompt_set, self.effort)
        if self.synthetic_set is not None:
            groups[SYNTHETIC] = self.synthetic_set.prompts[: self.effort.synthetic_prompts]
        return groups


def load_experiment(layout: Layout, slug: str, profile_name: str, effort_name: str) -> Experiment:
    """Read everything that an experiment needs.

    Raises:
        InputError: For each file that is missing or wrong; names the nearest that exists.
    """
    plan_file = layout.experiments / slug / "plan.toml"
    where = str(plan_file.relative_to(layout.root))
    content = read_toml(_existing(plan_file, slug, "experiment", _slugs(layout)))
    if "uses" in content:
        reading = parse(Reading, content, where=where)
        return replace(load_experiment(layout, reading.uses[0], profile_name, effort_name), slug=reading.slug)
    plan = parse_plan(content, where=where)
    chosen = next((name for name in plan.efforts if name == effort_name), None)
    if chosen is None:
        raise InputError("--effort", f"'{effort_name}' is not in {slug}'s plan, expected one of {sorted(plan.efforts)}",
                         "Name one of these")  # fmt: skip
    profile = load_profile(layout, profile_name)
    prompt_set = load_prompt_set(layout, plan.prompt_set)
    synthetic = None if plan.synthetic_set is None else _synthetic(layout, plan.synthetic_set)
    machine = machine_label(layout.local.root.parent, profile.machine)
    experiment = Experiment(layout, slug, plan, chosen, profile, prompt_set, synthetic, machine)
    if isinstance(plan, DrafterPlan) and not experiment.warm_up_prompts:
        known = sorted(stratum.name for stratum in prompt_set.strata)
        raise InputError(where, f"warm_up is '{plan.warm_up}', of which prompt set '{prompt_set.id}' has no prompt, "
                         f"expected one of {known}", "Name another stratum")  # fmt: skip
    return experiment


def _synthetic(layout: Layout, name: str) -> PromptSet:
    found = load_prompt_set(layout, name)
    if found.kind != "synthetic":
        raise InputError(f"prompt set '{name}'", f"its kind is '{found.kind}', expected 'synthetic'",
                         "Name a synthetic set in plan.toml")  # fmt: skip
    return found


def measured_by(layout: Layout, slug: str) -> str:
    """The experiment whose runs `slug` tells of: itself, or the one that it reads.

    Raises:
        InputError: If there is none of that name, or its plan is wrong.
    """
    plan_file = layout.experiments / slug / "plan.toml"
    content = read_toml(_existing(plan_file, slug, "experiment", _slugs(layout)))
    where = str(plan_file.relative_to(layout.root))
    return parse(Reading, content, where=where).uses[0] if "uses" in content else slug


def load_profile(layout: Layout, name: str) -> Profile:
    """Read one profile.

    Raises:
        InputError: If there is none of that name, or it is wrong.
    """
    path = layout.profiles / f"{name}.toml"
    known = sorted(one.stem for one in layout.profiles.glob("*.toml"))
    return parse(
        Profile, read_toml(_existing(path, name, "profile", known)),
        where=str(path.relative_to(layout.root)),
    )  # fmt: skip


def load_prompt_set(layout: Layout, name: str) -> PromptSet:
    """Read one prompt set: a published one, or one that was imported on this machine.

    Raises:
        InputError: If there is none of that name in either store, or it is wrong.
    """
    known = {path.stem: path for store in (layout.local, layout.published) for path in store.prompts.glob("*.toml")}
    path = known.get(name, layout.prompts / f"{name}.toml")
    prompts = read_toml(_existing(path, name, "prompt set", sorted(known)))
    return parse(PromptSet, prompts, where=shown_path(layout, path))


def shown_path(layout: Layout, path: Path) -> str:
    """A path as messages name it: from the project's root where it is below it."""
    return str(path.relative_to(layout.root) if path.is_relative_to(layout.root) else path)


def _slugs(layout: Layout) -> list[str]:
    return sorted(path.parent.name for path in layout.experiments.glob("*/plan.toml"))


def _existing(path: Path, name: str, kind: str, known: list[str]) -> Path:
    if not path.exists():
        near = difflib.get_close_matches(name, known, n=1)
        raise InputError(
            f"{kind} '{name}'", f"there is none of that name, expected one of {known}",
            f"Did you mean '{near[0]}'?" if near else f"Name one of these, or add {path.name}",
        )  # fmt: skip
    return path
