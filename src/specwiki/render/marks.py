"""Colour and shape of whatever charts compare: fixed, so that an arm looks the same everywhere."""

STREAM_STYLES: dict[int, tuple[str, str]] = {
    1: ("var(--sw-c1)", "circle"),
    4: ("var(--sw-c2)", "square"),
    2: ("var(--sw-c3)", "diamond"),
    8: ("var(--sw-c4)", "triangle-up"),
    16: ("var(--sw-c5)", "cross"),
}
"""Colour and shape of a number of streams, the same in every chart."""

DEPTH_STYLES: dict[int, tuple[str, str]] = {
    1: ("var(--sw-d1)", "circle"),
    2: ("var(--sw-d2)", "square"),
    3: ("var(--sw-d3)", "diamond"),
    4: ("var(--sw-d4)", "triangle-up"),
    5: ("var(--sw-d5)", "cross"),
    6: ("var(--sw-d6)", "triangle-down"),
    7: ("var(--sw-d7)", "triangle-right"),
    8: ("var(--sw-d8)", "triangle-left"),
}
"""Colour and shape of a depth, the same in every chart."""

KIND_STYLES: dict[str, tuple[str, str]] = {
    "written": ("var(--sw-c1)", "circle"),
    "synthetic": ("var(--sw-c4)", "triangle-up"),
}
"""Colour and shape of a kind of prompts; written ones at one stream look as they do in the chart of streams."""

DRAFTER_STYLES: dict[str, tuple[str, str]] = {
    "ngram": ("var(--sw-c1)", "circle"),
    "suffix": ("var(--sw-c2)", "square"),
    "suffix-memory": ("var(--sw-c3)", "diamond"),
    "eagle": ("var(--sw-d8)", "triangle-down"),
    "cut": ("var(--sw-c4)", "triangle-up"),
    "target": ("var(--sw-c5)", "cross"),
}
"""Colour and shape of a drafter; n-gram look-up as in the charts of depths, where it is the one that drafts."""

OTHER = ("var(--sw-c6)", "stroke")
"""Of what has no style of its own."""
