"""Which boots a run has, in which order, and how the engine of each is started; a result is compared by the same."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np

from specwiki.core import plan as planning
from specwiki.core.model import Drafter
from specwiki.core.plan import OFF, TWIN
from specwiki.core.plan_file import Plan
from specwiki.edges import engine
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
    experiment: Experiment, kind: str, target: str, cut: Callable[[int], str], cores: engine.Cores, log: Path
) -> engine.Boot:
    """One boot of a plan as an engine is started for it.

    Args:
        experiment: Plan, effort and profile.
        kind: As in `plan.Boot`.
        target: Folder or id of the target's weights.
        cut: From a number of layers to the weights of the target's first so many.
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
    layers = drafter.layers
    weights = None if layers is None else target if layers == "all" else cut(layers)
    return engine.Boot(
        profile.model_copy(update={"drafter": drafter}), target, depths, cores, log, native, drafter_model=weights
    )


def not_built(experiment: Experiment) -> set[str]:
    """Drafters that this machine cannot run, since a package that they need is not installed.

    A profile with a command of its own starts an engine elsewhere, of which nothing is known here.
    """
    return set() if experiment.profile.command else {one.slug for one in experiment.profile.drafters if _lacks(one)}


def _lacks(drafter: Drafter) -> bool:
    return drafter.needs is not None and importlib.util.find_spec(drafter.needs) is None
