"""A claim that cannot fail, or cannot hold, is found; one that its values decide is not."""

import pytest

from specwiki.core.result import Value
from specwiki.core.vacuity import only_state

VALUES = {
    "acceptance_rate.c1.d4": Value(number=0.3, low=0.2, high=0.4, unit="fraction"),
    "acceptance_rate.c1.d8": Value(number=0.2, low=0.1, high=0.3, unit="fraction"),
    "ratio.c1.d4": Value(number=1.1, low=1.0, high=1.2, unit="ratio"),
    "ratio.c1.d8": Value(number=None, unit="ratio", missing="crashed"),
}
QUOTED = {"000.rate": Value(number=0.8, unit="fraction", kind="quoted")}


@pytest.mark.parametrize(
    "expression",
    [
        'v("ratio.c1.d4") > 1',
        'v("acceptance_rate.c1.d8") < v("acceptance_rate.c1.d4")',
        'highest("acceptance_rate.c1.*") > 0.9',
        'not v("ratio.c1.d4") < 1',
        'q("000.rate") > 0.5',
        'q("000.rate") > 0.79 and q("000.rate") < 0.81',
    ],
)
def test_values_decide_it(expression):
    """Each verdict can come about within the values' domains."""
    assert only_state("x", expression, VALUES, QUOTED) is None


@pytest.mark.parametrize(
    ("expression", "state"),
    [
        ('v("acceptance_rate.c1.d4") >= 0', "holds"),
        ('v("acceptance_rate.c1.d4") > 1.5', "fails"),
        ('v("ratio.c1.d4") > 0.1', "holds"),
        ('v("ratio.c1.d4") > 0.1 or v("acceptance_rate.c1.d4") > 0.5', "holds"),
        ('q("000.rate") <= 1', "holds"),
    ],
)
def test_nothing_could_flip_it(expression, state):
    """Rates stay between 0 and 1, other values between half and double: then it says nothing."""
    assert only_state("x", expression, VALUES, QUOTED) == state


def test_a_missing_value_tells_nothing():
    """A claim over a value that was not measured is not judged."""
    assert only_state("x", 'v("ratio.c1.d8") > 0', VALUES, QUOTED) is None
