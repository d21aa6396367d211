"""Where a schedule changes depth, against the load that was seen."""

from __future__ import annotations

import pytest

from specwiki.core.schedule_edges import edges_of

SCHEDULE = [(1, 4, 2), (5, 512, 0)]


def test_c26_a_load_that_straddles_the_edge():
    """Case C26: running requests between 4 and 5 cross the edge at each reading; it is said, with where they do not."""
    (edge,) = edges_of([4, 5] * 30, SCHEDULE)

    assert (edge.switches, edge.beside, edge.num_samples) == (59, 60, 60)
    assert edge.is_straddled
    assert str(edge) == (
        "schedule edge between 4 and 5 running requests (depth 2 to 0): crossed 59 times in 60 readings, 60 of them "
        "beside it. Put it where no reading crossed: between 3 and 4 or between 5 and 6"
    )


def test_a_load_on_one_side():
    """Readings that stay below an edge, beside it too, do not cross it; one crossing in sixty is no straddling."""
    (beside,) = edges_of([3, 4] * 30, SCHEDULE)
    (once,) = edges_of([2] * 30 + [8] * 30, SCHEDULE)

    assert (beside.switches, beside.beside, beside.is_straddled) == (0, 30, False)
    assert (once.switches, once.is_straddled) == (1, False)


def test_a_load_down_to_one_has_only_a_place_above():
    """Where even one request is on the other side now and then, only a higher edge stays quiet."""
    (edge,) = edges_of([1, 2, 5, 1, 6] * 10, SCHEDULE)

    assert edge.quiet == (None, 6)
    assert str(edge).endswith("where no reading crossed: between 6 and 7")


def test_only_changes_of_depth_are_edges():
    """Two tiers of one depth have nothing between them; tiers may come in any order."""
    assert [edge.last for edge in edges_of([9] * 20, [(9, 16, 2), (1, 4, 4), (5, 8, 4)])] == [8]


@pytest.mark.parametrize("running", [[], [4, 5] * 9, [0] * 60])
def test_few_readings_say_nothing(running):
    """Fewer than 20 readings of a server at work are no share of anything."""
    assert edges_of(running, SCHEDULE) == []
