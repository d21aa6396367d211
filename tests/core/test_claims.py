"""Claims: what holds, what fails, what stays open, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwiki.core.claims import ClaimFile, evaluate
from specwiki.core.model import parse
from specwiki.core.result import Value
from specwiki.errors import ClaimError, InputError

VALUES = {
    "ratio.c1.d2": Value(number=0.9, low=0.85, high=0.95, unit="ratio"),
    "ratio.c1.d4": Value(number=1.0, low=0.97, high=1.03, unit="ratio"),
    "ratio.c1.d8": Value(number=1.2, low=1.1, high=1.3, unit="ratio"),
    "ratio.c4.d4": Value(number=0.9, unit="ratio"),
    "tokens_per_step.c1.d4": Value(number=None, unit="tokens", missing="drafter_did_not_run"),
    "repeated_4grams.chat": Value(number=0.1, unit="fraction"),
    "repeated_4grams.vietnamese": Value(number=0.5, unit="fraction"),
    "boots": Value(number=4, unit="count"),
}
QUOTED = {"000.rate": Value(number=0.8, unit="fraction", kind="quoted"),
          "000.other": Value(number=0.4, unit="fraction", kind="quoted")}  # fmt: skip


def state(expression):
    """What the expression says of the values above."""
    return evaluate("test", expression, VALUES, QUOTED).state


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('v("ratio.c1.d2") < 1', "holds"),
        ('v("ratio.c1.d8") < 1', "fails"),
        ('v("ratio.c1.d4") < 1', "open"),
        ('v("ratio.c1.d4") >= 0.97', "holds"),
        ('v("ratio.c1.d4") <= 0.96', "fails"),
        ('v("ratio.c1.d4") > 1.03', "fails"),
        ('0.9 < v("ratio.c1.d4") < 1.1', "holds"),
        ('v("ratio.c1.d2") < v("ratio.c1.d8")', "holds"),
        ('v("ratio.c1.d2") - v("ratio.c1.d8") < 0', "holds"),
        ('v("ratio.c1.d8") / v("ratio.c1.d2") > 1.1', "holds"),
        ('v("ratio.c1.d8") * 2 > 2', "holds"),
        ('v("ratio.c1.d8") + 1 > 2', "holds"),
        ('-v("ratio.c1.d8") < -1', "holds"),
        ('max(v("ratio.c1.d2"), v("ratio.c1.d8")) > 1', "holds"),
        ('min(v("ratio.c1.d2"), v("ratio.c1.d8")) < 1', "holds"),
        ('highest("ratio.c1.d[1-8]") > 1', "holds"),
        ('lowest("ratio.c1.d[1-8]") < 1', "holds"),
        ('not v("ratio.c1.d8") < 1', "holds"),
        ('not v("ratio.c1.d4") < 1', "open"),
        ('v("boots") > 3', "holds"),
        ('highest("repeated_4grams.*") > 0.3', "holds"),
        ('q("000.rate") > q("000.other")', "holds"),
    ],
)
def test_a_comparison_holds_or_fails_only_when_the_intervals_settle_it(expression, expected):
    """Bounds that touch or lie on both sides leave it open."""
    assert state(expression) == expected


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        ("holds", "holds", "holds", "holds"),
        ("holds", "fails", "fails", "holds"),
        ("holds", "open", "open", "holds"),
        ("fails", "fails", "fails", "fails"),
        ("fails", "open", "fails", "open"),
        ("open", "open", "open", "open"),
    ],
)
def test_and_or_are_kleenes(left, right, both, either):
    """One decisive part settles it, whatever the open one would say."""
    says = {"holds": 'v("ratio.c1.d2") < 1', "fails": 'v("ratio.c1.d8") < 1', "open": 'v("ratio.c1.d4") < 1'}

    assert state(f"{says[left]} and {says[right]}") == both
    assert state(f"{says[right]} or {says[left]}") == either


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ('v("ratio.c4.d4") > 1', "reason.no-interval"),
        ('v("ratio.c1.d6") > 1', "reason.not-measured"),
        ('highest("ratio.c8.*") > 1', "reason.not-measured"),
        ('highest("ratio.c4.*") > 1', "reason.no-interval"),
        ('v("tokens_per_step.c1.d4") > 1', "drafter_did_not_run"),
        ('v("ratio.c1.d6") + 1 > 1', "reason.not-measured"),
        ('v("ratio.c1.d4") > 1', "reason.overlaps"),
        ('1 / (v("ratio.c1.d4") - 1) > 1', "reason.divides-by-zero"),
    ],
)
def test_an_open_claim_says_why(expression, reason):
    """A missing value, or one without an interval, is not a false one."""
    verdict = evaluate("test", expression, VALUES)

    assert (verdict.state, verdict.reason) == ("open", reason)


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ('v("ratio.c1.d2") == 1', "only <, <=, > and >="),
        ('v("ratio.c1.d2")', "is not a comparison"),
        ('v("ratio.c1.d2") ** 2 > 1', "only + - * /"),
        ('open("x") > 1', "'open' is not one of"),
        ('__import__("os").system("x") > 1', "is not allowed"),
        ("v(key) > 1", "is not allowed"),
        ("True > 0", "is not allowed"),
        ("1 >", "cannot be read"),
        ('v("ratio.c1.d2") > 1 and q("000.rate") > 1', "mixes measured and quoted"),
        ('v("ratio.c1.d22") > 1', "there is no value 'ratio.c1.d22'"),
        ('q("000.rat") > 1', "there is no quoted value '000.rat'. Did you mean '000.rate'?"),
    ],
)
def test_anything_else_is_refused_with_the_expression(expression, says):
    """No attribute, no unknown name, no mixing of kinds."""
    with pytest.raises(ClaimError) as caught:
        evaluate("test", expression, VALUES, QUOTED)

    assert says in str(caught.value)
    assert "claim 'test'" in str(caught.value)


def test_the_verdict_names_what_was_read():
    """Each key once, in order."""
    verdict = evaluate("test", 'v("ratio.c1.d8") > v("ratio.c1.d2") and v("ratio.c1.d8") > 1', VALUES)

    assert verdict.keys == ("ratio.c1.d8", "ratio.c1.d2")


BOUND = st.floats(-100, 100, allow_nan=False)


@given(BOUND, BOUND, BOUND, BOUND, st.floats(0, 1), st.floats(0, 1))
def test_a_settled_comparison_is_true_for_every_number_inside_the_intervals(a, b, c, d, s, t):
    """What interval arithmetic calls certain is certain."""
    low, high, other_low, other_high = *sorted((a, b)), *sorted((c, d))
    values = {
        "ratio.c1.d1": Value(number=low, low=low, high=high, unit="ratio"),
        "ratio.c1.d2": Value(number=other_low, low=other_low, high=other_high, unit="ratio"),
    }
    one, other = low + s * (high - low), other_low + t * (other_high - other_low)

    verdict = evaluate("test", 'v("ratio.c1.d1") * v("ratio.c1.d2") - v("ratio.c1.d1") < 7', values)

    truth = one * other - one
    assert not (verdict.state == "holds" and truth > 7 + 1e-6)
    assert not (verdict.state == "fails" and truth < 7 - 1e-6)


def test_an_outcome_needs_the_same_verdicts_in_both_languages():
    """A verdict that one language cannot say is found when the file is read."""
    data = {"outcomes": {"best.c1": {"en": {"off": "a", "depth": "b"}, "vi": {"off": "a"}}}}

    with pytest.raises(InputError, match="expected the same in both"):
        parse(ClaimFile, data, where="docs/claims/x.toml")


def test_a_claim_needs_every_wording():
    """A claim without the wording for what the data may say is refused."""
    words = {"holds": "a", "fails": "b"}

    with pytest.raises(InputError, match=r"claims\.x\.en\.open"):
        parse(
            ClaimFile, {"claims": {"x": {"expression": "1 > 0", "en": words, "vi": words | {"open": "c"}}}}, where="f"
        )
