"""Sentences with a truth value: an expression over values and their intervals that holds, fails or stays open."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from specwiki.core import keys
from specwiki.core.model import Model, Slug
from specwiki.core.result import Value
from specwiki.errors import ClaimError

State = Literal["holds", "fails", "open"]


class Wordings(Model):
    """What a page prints for each state, in one language. `value("…")` and the like work inside."""

    holds: Annotated[str, Field(min_length=1)]
    fails: Annotated[str, Field(min_length=1)]
    open: Annotated[str, Field(min_length=1)]


class _InBoth(Model):
    """What is worded in both languages."""

    of: Annotated[str, Field(pattern=r"^[0-9a-f]+$")] | None = None
    """Hash of the English wordings that the Vietnamese ones translate; in a file it stands in the `vi` table."""

    @model_validator(mode="before")
    @classmethod
    def _apart(cls, data: Any) -> Any:
        vi = data.get("vi") if isinstance(data, dict) else None
        if not isinstance(vi, dict) or "of" not in vi:
            return data
        return data | {"vi": {key: text for key, text in vi.items() if key != "of"}, "of": vi["of"]}


class Claim(_InBoth):
    """One finding: what must be true, and how to say that it is, is not, or cannot be told."""

    expression: Annotated[str, Field(min_length=1)]
    en: Wordings
    vi: Wordings

    @property
    def is_quoted(self) -> bool:
        """Whether it is over quoted figures, and so says the same beside every result."""
        return "q(" in self.expression


class OutcomeWordings(_InBoth):
    """How to say each verdict of one decision; `depth` and `replicates_needed` work inside, as `value("…")` does."""

    en: dict[Slug, str]
    vi: dict[Slug, str]

    @model_validator(mode="after")
    def _same(self) -> Self:
        if set(self.en) != set(self.vi):
            msg = f"verdicts are {sorted(self.en)} in en and {sorted(self.vi)} in vi, expected the same in both"
            raise ValueError(msg)
        return self


class ClaimFile(Model):
    """`docs/claims/NAME.toml`."""

    claims: dict[Slug, Claim] = Field(default_factory=dict)
    outcomes: dict[str, OutcomeWordings] = Field(default_factory=dict)
    """Keys as in `Result.outcomes`."""


@dataclass(frozen=True)
class Verdict:
    """What the data say about a claim.

    Attributes:
        state: Holds, fails, or open.
        reason: Label key of why it is open; None otherwise.
        keys: Values that the expression read, in order, each once.
    """

    state: State
    reason: str | None
    keys: tuple[str, ...]


@dataclass(frozen=True)
class _Span:
    """An interval of numbers, or, with `reason`, none."""

    low: float = 0.0
    high: float = 0.0
    reason: str | None = None


@dataclass(frozen=True)
class _Truth:
    """True, False, or None with the reason."""

    value: bool | None
    reason: str | None = None


_NO_INTERVAL = "reason.no-interval"
_NOT_MEASURED = "reason.not-measured"
_OVERLAPS = "reason.overlaps"


def evaluate(
    name: str, expression: str, measured: Mapping[str, Value], quoted: Mapping[str, Value] | None = None
) -> Verdict:
    """Evaluate a claim's expression.

    `v("key")` is a measured value's interval, or its number where there is nothing to infer (a count, a description of
    what was run). `highest("pattern")` and `lowest("pattern")` go over all measured keys of a pattern. `q("000.name")`
    is a quoted figure. `+ - * /`, `min`, `max`, comparisons, `and`, `or`, `not` join them.

    Args:
        name: Of the claim, for messages.
        expression: As in the claims file.
        measured: Values of one result.
        quoted: Quoted figures by key.

    Raises:
        ClaimError: If the expression has anything else in it, names a key that cannot exist, or mixes measured with
            quoted values.
    """
    reader = _Reader(name, expression, measured, quoted or {})
    try:
        body = ast.parse(expression, mode="eval").body
    except SyntaxError as failure:
        raise reader.refused(f"it cannot be read: {failure.msg}") from None
    truth = reader.truth(body)
    if len(reader.kinds) > 1:
        raise reader.refused("it mixes measured and quoted values")
    state: State = "open" if truth.value is None else ("holds" if truth.value else "fails")
    return Verdict(state, truth.reason if state == "open" else None, tuple(dict.fromkeys(reader.read)))


class _Reader:
    """Walks one expression; remembers which values it read, and of which kinds they are."""

    def __init__(self, name: str, expression: str, measured: Mapping[str, Value], quoted: Mapping[str, Value]) -> None:
        self.where = f"claim '{name}'"
        self.expression = expression
        self.measured = measured
        self.quoted = quoted
        self.read: list[str] = []
        self.kinds: set[str] = set()

    def refused(self, what: str) -> ClaimError:
        return ClaimError(self.where, f"{what}, in `{self.expression}`", "Correct 'expression' in docs/claims")

    def truth(self, node: ast.expr) -> _Truth:
        match node:
            case ast.BoolOp(op=operator, values=parts):
                return _join([self.truth(part) for part in parts], decisive=isinstance(operator, ast.Or))
            case ast.UnaryOp(op=ast.Not(), operand=part):
                inner = self.truth(part)
                return _Truth(None if inner.value is None else not inner.value, inner.reason)
            case ast.Compare(left=left, ops=operators, comparators=rest):
                spans = [self.span(part) for part in [left, *rest]]
                pairs = zip(operators, spans, spans[1:], strict=False)
                return _join([self.compare(operator, *pair) for operator, *pair in pairs], decisive=False)
            case _:
                raise self.refused(f"'{ast.unparse(node)}' is not a comparison")

    def compare(self, operator: ast.cmpop, left: _Span, right: _Span) -> _Truth:
        reason = left.reason or right.reason
        if reason:
            return _Truth(None, reason)
        match operator:
            case ast.Lt():
                return _decide(left.high < right.low, left.low >= right.high)
            case ast.LtE():
                return _decide(left.high <= right.low, left.low > right.high)
            case ast.Gt():
                return _decide(left.low > right.high, left.high <= right.low)
            case ast.GtE():
                return _decide(left.low >= right.high, left.high < right.low)
            case _:
                raise self.refused("only <, <=, > and >= compare measured values")

    def span(self, node: ast.expr) -> _Span:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return _Span(number, number)
            case ast.UnaryOp(op=ast.USub(), operand=part):
                inner = self.span(part)
                return _Span(-inner.high, -inner.low, inner.reason)
            case ast.BinOp(left=left, op=operator, right=right):
                return self.arithmetic(operator, self.span(left), self.span(right))
            case ast.Call(func=ast.Name(id="min" | "max" as which), args=parts, keywords=[]) if parts:
                return _extreme([self.span(part) for part in parts], max if which == "max" else min)
            case ast.Call(func=ast.Name(id=called), args=[ast.Constant(value=str() as key)], keywords=[]):
                return self.value(called, key)
            case _:
                raise self.refused(f"'{ast.unparse(node)}' is not allowed")

    def arithmetic(self, operator: ast.operator, left: _Span, right: _Span) -> _Span:
        reason = left.reason or right.reason
        if reason:
            return _Span(reason=reason)
        match operator:
            case ast.Add():
                return _Span(left.low + right.low, left.high + right.high)
            case ast.Sub():
                return _Span(left.low - right.high, left.high - right.low)
            case ast.Mult():
                return _corners(left, right, lambda a, b: a * b)
            case ast.Div():
                if right.low <= 0 <= right.high:
                    return _Span(reason="reason.divides-by-zero")
                return _corners(left, right, lambda a, b: a / b)
            case _:
                raise self.refused("only + - * / join values")

    def value(self, called: str, key: str) -> _Span:
        match called:
            case "v":
                return self.measured_span(key)
            case "q":
                return self.quoted_span(key)
            case "highest" | "lowest":
                found = keys.matching(key, (one for one, value in self.measured.items() if value.number is not None))
                if not found:
                    self.kinds.add("measured")
                    return _Span(reason=_NOT_MEASURED)
                return _extreme([self.measured_span(one) for one in found], max if called == "highest" else min)
            case _:
                raise self.refused(f"'{called}' is not one of v, q, highest, lowest, min, max")

    def measured_span(self, key: str) -> _Span:
        value = self.measured.get(key)
        if value is None and not keys.is_key(key):
            raise ClaimError(self.where, f"there is no value '{key}'", keys.nearest_key(key, self.measured))
        self.read.append(key)
        if value is None or value.number is None:
            self.kinds.add("measured" if value is None else value.kind)
            return _Span(reason=_NOT_MEASURED if value is None else value.missing)
        self.kinds.add(value.kind)
        if value.low is not None and value.high is not None:
            return _Span(value.low, value.high)
        if value.unit == "count" or key.partition(".")[0] in keys.DESCRIPTIVE:
            return _Span(value.number, value.number)
        return _Span(reason=_NO_INTERVAL)

    def quoted_span(self, key: str) -> _Span:
        value = self.quoted.get(key)
        if value is None or value.number is None:
            raise ClaimError(self.where, f"there is no quoted value '{key}'", keys.nearest(key, self.quoted))
        self.read.append(key)
        self.kinds.add("quoted")
        return _Span(value.number, value.number)


def _decide(certainly: bool, impossible: bool) -> _Truth:
    if certainly:
        return _Truth(value=True)
    return _Truth(value=False) if impossible else _Truth(None, _OVERLAPS)


def _join(parts: list[_Truth], *, decisive: bool) -> _Truth:
    """Kleene's `or` (decisive: True) and `and` (decisive: False): one decisive part settles it."""
    if any(part.value is decisive for part in parts):
        return _Truth(decisive)
    unsettled = [part for part in parts if part.value is None]
    return _Truth(None, unsettled[0].reason) if unsettled else _Truth(not decisive)


def _extreme(spans: list[_Span], pick: Callable[[list[float]], float]) -> _Span:
    reason = next((span.reason for span in spans if span.reason), None)
    if reason:
        return _Span(reason=reason)
    return _Span(pick([span.low for span in spans]), pick([span.high for span in spans]))


def _corners(left: _Span, right: _Span, operate: Callable[[float, float], float]) -> _Span:
    found = [operate(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    return _Span(min(found), max(found))
