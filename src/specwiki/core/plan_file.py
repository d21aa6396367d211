"""What `plan.toml` says: an experiment's arms and loads, how much of them is measured, and the rule that decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from specwiki.core.model import MAX_DEPTH, Depth, Fraction, Model, Slug, parse


class BaseEffort(Model):
    """How much of a plan is measured."""

    concurrency: Annotated[tuple[Annotated[int, Field(ge=1, le=256)], ...], Field(min_length=1)]
    strata: Annotated[tuple[Slug, ...], Field(min_length=1)]
    prompts_per_stratum: Annotated[int, Field(ge=1)] | None
    """The first so many of each stratum; None: all of them."""
    synthetic_prompts: Annotated[int, Field(ge=1)] | None = None
    """The first so many of the synthetic set, if the plan has one; None: all of them."""
    max_tokens: Annotated[int, Field(ge=2)]
    """Cap of each answer, in tokens; an answer may stop earlier, at its end token."""
    replicates: Annotated[int, Field(ge=2)]
    budget_minutes: Annotated[float, Field(gt=0)]
    """The run ends, with an error that says where it was, when it takes longer."""


class Effort(BaseEffort):
    """How much of a sweep of depths is measured."""

    depths: Annotated[tuple[Depth, ...], Field(min_length=1)]
    replicates_per_boot: Annotated[int, Field(ge=1)]


class DrafterEffort(BaseEffort):
    """How much of a comparison of drafters is measured."""

    concurrency: Annotated[tuple[Annotated[int, Field(ge=1, le=256)], ...], Field(min_length=1, max_length=1)]
    """One load: a drafter with a memory must not see a prompt twice in a boot."""
    most_drafters: Annotated[int, Field(ge=1)] | None = None
    """The first so many of the profile's; None: all of them."""
    twin: bool = True
    """Whether `off` is booted a second time in each replicate (A/A)."""


class BaseRule(Model):
    """The adoption rule, fixed before the run; where drafters are compared, the one in use is the profile's own."""

    primary: Literal["output_tok_s"]
    guards: tuple[str, ...]
    threshold: Fraction
    """Gain over the current setting that is worth a change: 0.10 is +10 %."""
    variant: Literal["strict", "weak"]


class Rule(BaseRule):
    """The adoption rule of a sweep of depths."""

    current_depth: Depth


class Reading(Model):
    """A `plan.toml` that measures nothing: it reads the run of another experiment."""

    slug: Slug
    uses: Annotated[tuple[Slug, ...], Field(min_length=1, max_length=1)]
    """The experiment whose run is read."""


MIN_REPLICATES = {"quick": 4, "full": 6}
"""Our choice: with fewer, an interval from log ratios cannot decide ±10 % at this noise."""

EffortName = Literal["tiny", "quick", "full"]


class BasePlan(Model):
    """What an experiment measures, and the rule by which it decides: `plan.toml`."""

    slug: Slug
    prompt_set: Slug
    synthetic_set: Slug | None = None
    """Measured beside it at the lowest load, to compare with; it decides nothing."""
    temperature: Annotated[float, Field(ge=0)]
    seed: int
    """Seeds the order of arms."""
    good_for_days: Annotated[int, Field(ge=1)]
    rule: BaseRule
    efforts: Mapping[EffortName, BaseEffort]

    @model_validator(mode="after")
    def _enough(self) -> Self:
        problems = [
            f"efforts.{name}.replicates is {effort.replicates}, expected at least {MIN_REPLICATES[name]}"
            for name, effort in self.efforts.items()
            if effort.replicates < MIN_REPLICATES.get(name, 2)
        ] + self._further_problems()
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _further_problems(self) -> list[str]:
        return []


class Plan(BasePlan):
    """A sweep of one drafter's depths."""

    design: Literal["in_place"]
    """Every depth in one boot, where a request switches it; `off` in boots of its own."""
    twin_of: Depth
    """The depth that is measured twice under two names (A/A)."""
    rule: Rule
    efforts: Mapping[EffortName, Effort]

    def _further_problems(self) -> list[str]:
        return [
            f"efforts.{name}.depths lacks the twin's depth {self.twin_of}"
            for name, effort in self.efforts.items()
            if self.twin_of not in effort.depths
        ]


class DrafterPlan(BasePlan):
    """A comparison of the profile's drafters, all at one depth."""

    design: Literal["by_boot"]
    """Every arm in boots of its own; the control is `off`."""
    depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)]
    warm_up: Slug
    """The stratum that warms an engine up, and of which nothing is measured: a memory must see no prompt twice."""
    efforts: Mapping[EffortName, DrafterEffort]

    def _further_problems(self) -> list[str]:
        problems = [
            f"efforts.{name}.strata has '{self.warm_up}', expected that stratum for the warm-up alone"
            for name, effort in self.efforts.items()
            if self.warm_up in effort.strata
        ]
        if self.synthetic_set is not None:
            problems.append("synthetic_set is set, expected none where drafters are compared")
        return problems


AnyPlan = Plan | DrafterPlan
AnyEffort = Effort | DrafterEffort


def parse_plan(data: dict[str, Any], *, where: str) -> AnyPlan:
    """A plan of either design.

    Raises:
        InputError: For each thing that is wrong with it.
    """
    return parse(DrafterPlan, data, where=where) if data.get("design") == "by_boot" else parse(Plan, data, where=where)
