"""A chart as Vega draws it, made ready to stand in a page: light, with ids of its own, and described."""

from __future__ import annotations

import re
from html import escape

_EMPTY = re.compile(r"<g\b[^>]*(?:/>|></g>)")
"""A layer without marks; Vega announces it as an image all the same, and one that nothing describes."""

_IDLE = re.compile(
    r' (?:class="mark[^"]*"|xmlns(?::xlink)?="[^"]*"|version="1.1"|pointer-events="none"|opacity="1"'
    r'|font-family="[^"]*")|<path class="(?:back|fore)ground"[^>]*/>'
)
"""What a still drawing in a page does not need: classes that nothing names, frames that nobody sees, and the font,
which `site.css` sets."""

_PLACES = re.compile(r'(?<= )(?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
"""Attributes that place a mark. Vega writes 15 digits; past a tenth of a pixel they show nothing, and weigh."""


def prepared(svg: str, prefix: str, name: str, alternative: str) -> str:
    """One drawing, ready for a page.

    Args:
        svg: As Vega made it.
        prefix: Distinct on the page; ids inside start with it.
        name: Of the width that it was drawn for, for its class.
        alternative: What the chart says, for who cannot see it; escaped here.
    """
    svg = _EMPTY.sub("", _IDLE.sub("", re.sub(r"\s*\n\s*", "", svg)))
    svg = _PLACES.sub(_rounded, svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    words = escape(alternative, quote=True)
    opened = f'<svg class="sw-svg sw-{name}" role="img" aria-label="{words}" '
    return svg.replace("<svg ", opened, 1)


def _rounded(places: re.Match[str]) -> str:
    return re.sub(r"-?\d+\.\d+", lambda number: f"{round(float(number[0]), 1):g}", places[0])
