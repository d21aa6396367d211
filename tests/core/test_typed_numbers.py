"""Figures typed into prose are found; code, mathematics, dates and versions are left alone."""

import pytest

from specwiki.core.typed_numbers import TypedNumber, typed_numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It ran at 1.13 of off.", "1.13"),
        ("Thông lượng bằng 1,13 so với tắt.", "1,13"),
        ("A gain of 13%.", "13%"),
        ("A gain of 13 %.", "13 %"),
        ("That is 2\u00d7 as fast.", "2\u00d7"),
        ("It takes 36 ms.", "36 ms"),
        ("It takes 36\u00a0ms.", "36\u00a0ms"),
        ("At 59 tok/s.", "59 tok/s"),
        ("| d4 | 0.30 |", "0.30"),
        ("**0.80** on lists", "0.80"),
        ("4,096 tokens", "4,096"),
        ("@{% set alternative %}\nAbout 0.5 at depth 4.\n@{% endset %}", "0.5"),
        ("44.0 W at most", "44.0 W"),
    ],
)
def test_figures_in_prose(text, found):
    """Decimals, percent, times and our units, in sentences, tables and alternative texts."""
    assert [one.text for one in typed_numbers(text)] == [found]


@pytest.mark.parametrize(
    "text",
    [
        "depth 4 at 8 streams, 135 million parameters",
        "`--temperature 0.7` and\n```sh\nsleep 1.5 # 30%\n```\n",
        '<math><mn>0.5</mn></math> and <div style="width: 12.5%">x</div>',
        '@{{ value("ratio.c1.d4") }} and @{% if x > 0.5 %}y@{% endif %}',
        "as of 2026-10-24, or 24.10.2026",
        "vLLM 0.32, Python 3.11, version 0.1, and 1.2.3",
        "[here](https://example.org/1.5/x) and https://example.org/2.5",
        "## Depth {#depth-1.5}",
        "a 2-core machine, and 4-grams",
    ],
)
def test_what_is_no_figure(text):
    """Whole numbers, code, mathematics, markup, calls, dates, versions, addresses and ids."""
    assert typed_numbers(text) == []


def test_the_line_is_said_and_allowed_figures_pass():
    """Lines count from 1, through code that is skipped."""
    text = "one\n```\n1.5\n```\nwith a 95% interval, and 0.3\n"

    assert typed_numbers(text, ["95%"]) == [TypedNumber(5, "0.3")]
