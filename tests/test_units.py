"""Numbers, intervals and dates as text."""

import datetime as dt

import pytest

from specwiki.units import date_text, interval_text, number_locale, number_text, plain_number, written_text


@pytest.mark.parametrize(
    ("number", "unit", "half_width", "english", "vietnamese"),
    [
        (0.94, "ratio", 0.03, "0.94\u00d7", "0,94\u00d7"),
        (0.9984, "ratio", 0.004, "0.998\u00d7", "0,998\u00d7"),
        (0.731, "fraction", None, "73.1%", "73,1%"),
        (0.731, "fraction", 0.2, "73%", "73%"),
        (59.94, "tok_s", None, "59.9\u00a0tok/s", "59,9\u00a0tok/s"),
        (1234.5, "tok_s", None, "1,234\u00a0tok/s", "1.234\u00a0tok/s"),
        (8.2, "tok_s", None, "8.20\u00a0tok/s", "8,20\u00a0tok/s"),
        (59.94, "tok_s", 15, "60\u00a0tok/s", "60\u00a0tok/s"),
        (0.31, "ms", None, "0.3\u00a0ms", "0,3\u00a0ms"),
        (2.314, "tokens", 0.02, "2.31", "2,31"),
        (0, "fraction", None, "0.0%", "0,0%"),
        (-0.5, "ratio", None, "\u22120.50\u00d7", "\u22120,50\u00d7"),
        (24, "gib", None, "24\u00a0GiB", "24\u00a0GiB"),
    ],
)
def test_a_number_has_its_unit_and_no_digit_that_its_interval_hides(number, unit, half_width, english, vietnamese):
    """The same number, in each language's form, with sensible digits."""
    assert english == number_text(number, unit, "en", half_width=half_width)
    assert vietnamese == number_text(number, unit, "vi", half_width=half_width)


def test_an_interval_has_its_unit_once():
    """Both bounds have the digits that the width allows."""
    assert interval_text(0.91, 0.972, "ratio", "en") == "0.91\u20130.97\u00d7"
    assert interval_text(0.28, 0.35, "fraction", "vi") == "28,0\u201335,0%"


def test_an_interval_with_a_negative_bound_has_a_word_between():
    """A dash beside a minus sign would be unreadable."""
    assert interval_text(-0.1, 0.2, "ratio", "en") == "\u22120.10 to 0.20\u00d7"
    assert interval_text(-0.1, 0.2, "ratio", "vi") == "\u22120,10 đến 0,20\u00d7"


def test_a_quoted_number_keeps_the_digits_of_its_source():
    """0.80 says more than 0.8."""
    assert written_text(0.8, "fraction", 0, "en") == "80%"
    assert written_text(3.0, "tokens", 2, "vi") == "3,00"


def test_dates_are_written_in_full():
    """In the order of each language."""
    assert date_text(dt.date(2026, 10, 24), "en") == "24 October 2026"
    assert date_text(dt.date(2026, 10, 24), "vi") == "24 tháng 10, 2026"


def test_plain_numbers_and_axes_use_the_same_marks():
    """A decimal comma in Vietnamese, everywhere."""
    assert plain_number(0.25, "vi") == "0,25"
    assert plain_number(12345, "en") == "12,345"
    assert number_locale("vi")["decimal"] == ","
