"""What one run says: values, tables, charts, outcomes, and under what they came to be."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from specwiki.core.model import Depth, Model, Slug

Unit = Literal["ratio", "tok_s", "ms", "s", "fraction", "tokens", "count", "w", "tok_j", "gib"]


class Value(Model):
    """One number, and what is needed to believe it."""

    number: float | None
    """None where there is none; `missing` says why. Fractions are 0 to 1."""
    unit: Unit
    kind: Literal["measured", "quoted", "simulated", "computed"] = "measured"
    """`computed`: from quoted figures, by us."""
    low: float | None = None
    """Bounds of the 95 % interval; None: one run, or a count, and no interval."""
    high: float | None = None
    n: Annotated[int, Field(ge=1)] | None = None
    """What the interval is over: replicates or prompts."""
    missing: str | None = None
    """Label key of the reason why there is no number."""

    @model_validator(mode="after")
    def _number_or_reason(self) -> Self:
        if (self.number is None) == (self.missing is None):
            msg = "exactly one of number and missing is expected"
            raise ValueError(msg)
        if (self.low is None) != (self.high is None):
            msg = "low and high come together"
            raise ValueError(msg)
        return self


class Cell(Model):
    """One cell of a stored table: the key of a value, or the key of a label."""

    value: str | None = None
    label: str | None = None


class Table(Model):
    """A table whose words are label keys, so that it can be shown in either language."""

    columns: tuple[str, ...]
    """Label keys."""
    rows: tuple[tuple[Cell, ...], ...]


class StripBlock(Model):
    """One block in the run strip: what ran, in the order in which it ran."""

    boot: int
    arm: str
    concurrency: int
    replicate: int
    """0 is the warm-up."""
    status: Literal["ok", "warm-up", "split", "void", "crashed"]
    reason: str | None = None
    """Of a void or crashed block: what went wrong; of a crash, with the end of the engine's log."""


class Outcome(Model):
    """A decision with its reason, as words that a page looks up."""

    verdict: str
    """Label key, e.g. `outcome.off`, `outcome.depth`, `outcome.undecided`."""
    depth: Depth | None = None
    arm: Slug | None = None
    """The arm that was chosen, where drafters are compared."""
    ties: tuple[Slug, ...] = ()
    """Arms that the chosen one is not shown to be ahead of."""
    replicates_needed: Annotated[int, Field(ge=1)] | None = None


class Registration(Model):
    """Whether the rule was fixed before the run."""

    plan_sha256: str
    committed_before: bool | None
    """None: not in a git repository."""
    commit: str | None


class Result(Model):
    """What one run says: the file `<as_of>-<run_id>-<derivation>.json`. Written once, never edited."""

    format: Literal[1] = 1
    experiment: Slug
    profile: Slug
    machine: Slug
    run_id: str
    run_of: Slug | None = None
    """The experiment that measured the run, where that is another one."""
    derivation: Annotated[int, Field(ge=1)] = 1
    """How often values were derived from this run's blocks, this time included."""
    as_of: dt.date
    good_until: dt.date
    effort: Literal["tiny", "quick", "full"]
    prompt_kind: Literal["traffic", "written", "synthetic"]
    withdrawn: str | None = None
    """Why the result no longer counts; it stays in the history."""
    measured_under: dict[str, str]
    """Part → hash: plan, prompts, code, engine, machine. A changed part makes the result stale."""
    derived_under: dict[str, str]
    registration: Registration
    facts: dict[str, str | int | float]
    """What the page says about engine, target, drafter, machine and time."""
    values: dict[str, Value]
    tables: dict[str, Table]
    charts: dict[str, dict[str, Any]]
    """Vega-Lite specifications whose texts are label keys (`label:…`)."""
    outcomes: dict[str, Outcome]
    schedule: tuple[tuple[int, int, int], ...] | None
    """Tiers `(first, last, depth)` for `num_speculative_tokens_per_batch_size`; None: not offered."""
    strip: tuple[StripBlock, ...]
