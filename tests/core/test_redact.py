"""Nothing that is stored tells of the machine it was made on."""

from __future__ import annotations

from specwiki.core.redact import redact, redactions


def test_the_longer_path_goes_first():
    """A folder inside another keeps its own name."""
    replaced = redactions({"/home/ana": "~", "/home/ana/wiki": "$REPO"}, "spark-7f", "ana")

    assert redact("/home/ana/wiki/docs and /home/ana/x on spark-7f", replaced) == "$REPO/docs and ~/x on host-0"


def test_short_names_are_left_alone():
    """A user called `ana`, or a host called `pc`, would garble words."""
    assert redact("banana pc root", redactions({}, "pc", "ana")) == "banana pc root"
    assert "root" not in redactions({}, "pc", "root")


def test_a_long_user_name_is_replaced():
    """A user's name that no word contains is replaced."""
    assert redact("by annabelle", redactions({}, "pc", "annabelle")) == "by user-0"


def test_the_root_folder_is_no_place():
    """A path of one character would be in every path."""
    assert redactions({"/": "$REPO"}, "", "") == {}
