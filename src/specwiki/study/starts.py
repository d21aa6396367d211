"""Which boots a run has, in which order, and how the engine of each is started; a result is compared by the same."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np

from specwiki.core import plan as planning
from specwiki.core.model import Drafter, Profile
from specwiki.core.plan import OFF, TWIN
from specwiki.core.plan_file import Plan
from specwiki.edges import engine, machine
from specwiki.edges.model_cache import cache_folder, checked_model, cut_model
from specwiki.study.project import Experiment


def measured_order(experiment: Experiment) -> tuple[planning.Boot, ...]:
    """The boots and blocks of an experiment, in their order; those that this machine cannot run included."""
    plan, name = experiment.plan, experiment.effort_name
    rng = np.random.default_rng(plan.seed)
    if isinstance(plan, Plan):
        return planning.boots(plan, plan.efforts[name], list(experiment.groups), rng)
    slugs = [one.slug for one in experiment.profile.drafters]
    return planning.drafter_boots(plan, plan.efforts[name], slugs, list(experiment.groups), rng)


def engine_boot(
    experiment: Experiment,
    kind: str,
    target: str,
    weights: Callable[[Drafter], str | None],
    cores: engine.Cores,
    log: Path,
) -> engine.Boot:
    """One boot of a plan as an engine is started for it.

    Args:
        experiment: Plan, effort and profile.
        kind: As in `plan.Boot`.
        target: Folder or id of the target's weights.
        weights: From a drafter to folder or id of its weights, where it has any that its options do not name.
        cores: Who computes where.
        log: File for what the engine prints.
    """
    profile = experiment.profile
    if kind.removesuffix(TWIN) == OFF:
        return engine.Boot(profile, target, None, cores, log)
    if isinstance(experiment.plan, Plan):
        drafter, depths, native = profile.drafter, experiment.plan.efforts[experiment.effort_name].depths, None
    else:
        (drafter,) = (one for one in profile.drafters if one.slug == kind)
        depths, native = None, experiment.plan.depth
    drafted = profile.model_copy(update={"drafter": drafter})
    return engine.Boot(drafted, target, depths, cores, log, native, drafter_model=weights(drafter))


def dtype_here(profile: Profile) -> str | None:
    """What the embedded target computes in on this machine; None: in the type of its weights, bfloat16.

    Other targets are left alone, and so is a profile whose arguments name a type.
    """
    named = any(word.split("=")[0] == "--dtype" for word in profile.engine_args)
    return None if profile.target.embedded is None or named or machine.multiplies_bfloat16() else "float32"


def drafter_weights(experiment: Experiment, target: str, drafter: Drafter) -> str | None:
    """Folder of a drafter's weights, made or checked; None where its options name them, or it needs none.

    Args:
        experiment: Its project has the folders that drafters name.
        target: Folder or id of the target's weights.
        drafter: One of the profile's.

    Raises:
        EngineError: If the files in a folder are not those of its manifest, or the target cannot be cut.
    """
    if drafter.folder is not None:
        return str(checked_model(experiment.layout.root / drafter.folder))
    if drafter.layers == "all":
        return target
    return None if drafter.layers is None else str(cut_model(cache_folder(), drafter.layers))


def not_built(experiment: Experiment) -> set[str]:
    """Drafters that this machine cannot run, since a package that they need is not installed.

    A profile with a command of its own starts an engine elsewhere, of which nothing is known here.
    """
    return set() if experiment.profile.command else {one.slug for one in experiment.profile.drafters if _lacks(one)}


def _lacks(drafter: Drafter) -> bool:
    return drafter.needs is not None and importlib.util.find_spec(drafter.needs) is None
