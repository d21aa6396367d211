"""Which result counts."""

import datetime as dt

from specwiki.core.current import current, current_of


def test_the_newest_of_a_key_counts(make_result):
    """By day, then by run, then by derivation."""
    old = make_result(run_id="r9", as_of=dt.date(2026, 11, 1))
    first = make_result(run_id="r1")
    second = make_result(run_id="r2")
    again = make_result(run_id="r2", derivation=2)

    assert list(current([again, second, old, first]).values()) == [again]


def test_a_withdrawn_result_counts_no_more(make_result):
    """The one before it does."""
    good = make_result(run_id="r1")
    bad = make_result(run_id="r2", withdrawn="the clock was wrong")

    assert list(current([good, bad]).values()) == [good]


def test_another_machine_is_another_key(make_result):
    """It never replaces; the newest comes first."""
    here = make_result(machine="a", as_of=dt.date(2026, 11, 1))
    there = make_result(machine="b", as_of=dt.date(2026, 11, 2))
    other = make_result(machine="a", experiment="drafters")

    assert current_of([here, there, other], "depth") == [there, here]
