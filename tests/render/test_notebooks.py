"""Executed notebooks as pages."""

import pytest

from specwiki.errors import DataError
from specwiki.render.notebooks import notebook_page


def page(notebook, lang="en"):
    """A notebook as Markdown, with a marker in place of its chart."""
    return notebook_page(
        "n", notebook, lang, title="depth", chart=lambda name: f"<figure>{name}</figure>", back="[x](y.md)"
    ).text


def test_code_is_folded_and_the_chart_stands_in_its_place(notebook):
    """After the output that came before it."""
    text = page(notebook)

    assert '??? quote "Code"' in text
    assert "    ````python\n    x = '```'" in text
    assert text.index("not a heading") < text.index("<figure>ratio</figure>")


def test_output_is_inert(notebook):
    """No tag, no Jinja, no fence, no colour code of it survives."""
    text = page(notebook)

    assert "<script" not in text
    assert "<b onclick" not in text
    assert "@{{" not in text
    assert "\n# not a heading" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "text&#47;html" in text or "text/html" in text


def test_plain_text_output_is_shown_as_it_is(notebook):
    """Asterisks and all."""
    said = {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "a * b"}}
    cell = {"cell_type": "code", "execution_count": 1, "id": "d", "metadata": {}, "source": "1", "outputs": [said]}

    assert "<code>a &#42; b</code>" in page(notebook | {"cells": [cell]})


def test_injected_parameters_are_left_out(notebook):
    """They are this run's, with paths in them."""
    assert "secret" not in page(notebook)


def test_headings_sink_below_the_page_title(notebook):
    """One page has one first heading."""
    text = page(notebook, "vi")

    assert "# Notebook đã chạy: depth {#notebook}" in text
    assert "\n## Depth" in text


@pytest.mark.parametrize(
    "change",
    [{"metadata": {"papermill": {"exception": True}}},
     {"cells": [{"cell_type": "code", "metadata": {}, "source": "", "execution_count": 1, "id": "a",
                 "outputs": [{"output_type": "error", "ename": "E", "evalue": "", "traceback": []}]}]}],
)  # fmt: skip
def test_a_failed_notebook_is_no_page(notebook, change):
    """It must not be published."""
    with pytest.raises(DataError, match="failed"):
        page(notebook | change)
