"""What people write: profiles and prompt sets; plans are in `plan_file`.

Frozen pydantic models; parsing a file against one finds every problem in it, not only the first.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from specwiki.errors import InputError, SpecwikiError, raise_all

MAX_DEPTH = 8
"""Deepest draft that is measured; the range of the pair's own panel (seed 000)."""

Depth = Annotated[int, Field(ge=0, le=MAX_DEPTH)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")]
Fraction = Annotated[float, Field(ge=0, le=1)]


class Model(BaseModel):
    """Base of everything read from a file: frozen, and no key that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")


AnyModel = TypeVar("AnyModel", bound=BaseModel)


def parse(model: type[AnyModel], data: Any, *, where: str, error: type[SpecwikiError] = InputError) -> AnyModel:
    """Validate `data` against `model`.

    Args:
        model: The expected shape.
        data: What was read from TOML or JSON.
        where: File that it came from, for the message.
        error: Class of the errors to raise.

    Raises:
        SpecwikiError: One per problem; several come as `ProblemsError`.
    """
    try:
        return model.model_validate(data)
    except ValidationError as failure:
        raise_all([_as_problem(detail, where, error) for detail in failure.errors()])
        raise


def _as_problem(detail: Any, where: str, error: type[SpecwikiError]) -> SpecwikiError:
    place = ".".join(str(part) for part in detail["loc"]) or "the file"
    said = detail["msg"].removeprefix("Value error, ")
    expected = said[0].lower() + said[1:]
    if detail["type"] in {"missing", "extra_forbidden"}:
        return error(where, f"{place}: {expected}", "Compare it with the files beside it and correct the key")
    return error(where, f"{place} is {detail['input']!r}: {expected}", "Set a value in that range")


class Target(Model):
    """The model that verifies and whose answers are served."""

    name: str
    """Name that pages show, and that requests ask for."""
    embedded: Literal["smollm2-135m"] | None = None
    """A model that an installed package carries; converted once into the cache."""
    model: str | None = None
    """Otherwise a path or hub id that vLLM resolves itself."""
    max_model_len: Annotated[int, Field(ge=64)] = 2048

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.embedded is None) == (self.model is None):
            msg = "exactly one of embedded and model is expected"
            raise ValueError(msg)
        return self


class Drafter(Model):
    """What proposes tokens. `options` go into vLLM's speculative config as they are."""

    slug: Slug
    """Name of the arm where drafters are compared."""
    name: str
    method: str
    """As in vLLM's `--speculative-config`."""
    layers: Annotated[int, Field(ge=1)] | Literal["all"] | None = None
    """Its weights are the first so many layers of the embedded target; None: it needs none, or `options` name them."""
    folder: str | None = None
    """Its weights lie in this folder of the project, and are checked by the hashes in its manifest."""
    scheduler: Literal["DepthScheduler", "AsyncDepthScheduler"] | None = None
    """The class of `specwiki.vllm_ext.scheduler` that switches depth under this method; None: its depth is fixed."""
    needs: str | None = None
    """A Python package that vLLM asks for and that not every machine can build; None: nothing besides vLLM."""
    options: dict[str, int | float | str | bool] = {}

    @model_validator(mode="after")
    def _weights_of_one_kind(self) -> Self:
        if self.layers is not None and self.folder is not None:
            msg = "layers and folder are both set, expected at most one of them"
            raise ValueError(msg)
        if self.folder is not None and (self.folder[:1] in {"", "/", "~"} or ".." in self.folder.split("/")):
            msg = f"folder is '{self.folder}', expected a folder of the project, as in experiments/NAME/head"
            raise ValueError(msg)
        return self


class Profile(Model):
    """A named, complete recipe for starting one engine on this host."""

    name: Slug
    way: Literal["local"]
    target: Target
    drafter: Drafter
    """The one in use; its depths are compared."""
    others: tuple[Drafter, ...] = ()
    """Drafters that it is compared with, those that say most first."""
    seats: Annotated[int, Field(ge=1)] = 8
    """Requests that the engine admits at once (`--max-num-seqs`)."""
    engine_args: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    """Words that start vLLM's command line in place of the installed one; `serve …` follows them."""
    kv_cache_gib: Annotated[int, Field(ge=1)] = 1
    port: Annotated[int, Field(ge=1024, le=65535)] | None = None
    """On loopback; None: a free one."""
    boot_timeout_s: Annotated[float, Field(gt=0)] = 300.0
    request_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    machine: str | None = None
    """Label of the machine; None: `.specwiki/machine.toml`, or made from CPU, cores and memory."""

    @property
    def drafters(self) -> tuple[Drafter, ...]:
        """All of them, the one in use first."""
        return (self.drafter, *self.others)

    @model_validator(mode="after")
    def _drafters_can_run(self) -> Self:
        slugs = Counter(one.slug for one in self.drafters)
        problems = [f"drafter '{slug}' occurs {count} times" for slug, count in slugs.items() if count > 1]
        problems += [
            f"layers of drafter '{one.slug}' cut the embedded target, expected target.embedded beside it"
            for one in self.drafters
            if one.layers is not None and self.target.embedded is None
        ]
        if self.drafter.scheduler is None:
            problems.append("drafter.scheduler is missing: its depths are compared in one boot")
        if problems:
            raise ValueError("; ".join(problems))
        return self


class Stratum(Model):
    """One kind of prompt."""

    name: Slug
    language: Literal["en", "vi"]
    pooled: bool
    """Whether it counts in the pooled value; each pooled stratum has the same weight."""


class Prompt(Model):
    """One user message."""

    id: Slug
    stratum: Slug
    text: Annotated[str, Field(min_length=1)]


class PromptSet(Model):
    """A fixed set of prompts; its identity is the hash of its content."""

    id: Slug
    kind: Literal["traffic", "written", "synthetic"]
    public: bool
    licence: str
    description: str
    strata: Annotated[tuple[Stratum, ...], Field(min_length=1)]
    prompts: Annotated[tuple[Prompt, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = {stratum.name for stratum in self.strata}
        ids = Counter(prompt.id for prompt in self.prompts)
        problems = [
            f"prompt '{prompt.id}' names stratum '{prompt.stratum}', expected one of {sorted(names)}"
            for prompt in self.prompts
            if prompt.stratum not in names
        ]
        problems += [f"prompt id '{one}' occurs {ids[one]} times" for one in sorted(ids) if ids[one] > 1]
        if problems:
            raise ValueError("; ".join(problems))
        return self
