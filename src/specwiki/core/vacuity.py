"""Claims that nothing could flip: a sentence that cannot fail says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from specwiki.core.claims import State, evaluate
from specwiki.core.result import Value


def only_state(name: str, expression: str, measured: Mapping[str, Value], quoted: Mapping[str, Value]) -> State | None:
    """The one verdict that a claim has whatever its values come to be; None: they decide it.

    Values are moved to the ends of their domains, together and one by one: 0 to 1 for fractions, half to double for
    others. Where a value that the claim reads is not there, nothing can be told, and None is the answer.

    Args:
        name: Of the claim, for messages.
        expression: As in the claims file.
        measured: Values of one result.
        quoted: Quoted figures by key.

    Raises:
        ClaimError: As `evaluate`.
    """
    known = {**measured, **quoted}
    read = {key: known.get(key) for key in evaluate(name, expression, measured, quoted).keys}
    values = {key: value for key, value in read.items() if value is not None and value.number is not None}
    if len(values) < len(read) or not values:
        return None
    states: set[State] = set()
    for moved in _ends({key: _domain(value) for key, value in values.items()}):
        tried = {
            key: values[key].model_copy(update={"number": one, "low": one, "high": one}) for key, one in moved.items()
        }
        states.add(evaluate(name, expression, {**measured, **tried}, {**quoted, **tried}).state)
    return None if {"holds", "fails"} <= states else next(iter(states - {"open"}), "open")


def _domain(value: Value) -> tuple[float, float, float]:
    """Lowest, present and highest number that is looked at."""
    number = value.number or 0.0
    if value.unit == "fraction":
        return 0.0, number, 1.0
    return min(number / 2, number * 2), number, max(number / 2, number * 2)


def _ends(domains: Mapping[str, tuple[float, float, float]]) -> Iterator[dict[str, float]]:
    """All values as they are, all at one end, and each alone at the other."""
    for end in range(3):
        yield {key: domain[end] for key, domain in domains.items()}
    for end, other in ((0, 2), (2, 0)):
        for moved in domains:
            yield {key: domain[other if key == moved else end] for key, domain in domains.items()}
