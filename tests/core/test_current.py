"""Which result counts."""

import datetime as dt

from specwiki.core.current import current, current_of, earlier


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


def test_what_a_result_took_the_place_of(make_result):
    """Other runs of its key and effort, the last derivation of each, newest first; nothing withdrawn, nothing newer."""
    day = dt.date(2026, 11, 1)
    first = make_result(run_id="r1", as_of=day)
    second, again = make_result(run_id="r2", as_of=day), make_result(run_id="r2", as_of=day, derivation=2)
    bad = make_result(run_id="r3", as_of=day, withdrawn="the clock was wrong")
    elsewhere = make_result(run_id="r4", as_of=day, machine="b")
    less = make_result(run_id="r6", as_of=day, effort="quick")
    now, now_again = make_result(run_id="r5"), make_result(run_id="r5", derivation=2)
    stored = [now_again, less, elsewhere, bad, again, second, first, now]

    assert earlier(stored, now_again) == [again, first]
    assert earlier(stored, first) == []
