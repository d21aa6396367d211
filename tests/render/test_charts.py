"""Charts: honest axes, words of the page's language, and the same bytes every time."""

import csv
import json
import re

import pytest

from specwiki.errors import DataError
from specwiki.render.charts import DEPTH_STYLES, STREAM_STYLES, data_of, position_chart, ratio_chart, to_svg
from specwiki.render.downloads import chart_files
from specwiki.render.figures import chart_figure
from specwiki.render.values import Sourced

ROWS = [
    {"depth": depth, "concurrency": load, "ratio": 0.9, "low": 0.8, "high": 1.4}
    for depth in (0, 2, 4, 8)
    for load in (1, 4)
]


def encodings(spec, channel):
    """A channel's encoding in every layer that has it."""
    return [layer["encoding"][channel] for layer in spec["layer"] if channel in layer["encoding"]]


def test_throughput_starts_at_zero_and_holds_every_interval():
    """The axis is the same in all layers."""
    domains = [one["scale"]["domain"] for one in encodings(ratio_chart(ROWS), "y")]

    assert all(low == 0 and high > 1.4 for low, high in domains)


def test_depths_are_ordinal_and_no_line_joins_them():
    """Between two measured depths the chart knows nothing."""
    spec = ratio_chart(ROWS)

    assert all(one["type"] == "ordinal" for one in encodings(spec, "x"))
    assert all(layer["mark"]["type"] != "line" for layer in spec["layer"])


def test_positions_of_one_depth_are_joined():
    """All of them were measured."""
    spec = position_chart([{"depth": 2, "position": at, "share": 0.5, "low": 0.4, "high": 0.6} for at in (0, 1)])

    assert any(layer["mark"]["type"] == "line" for layer in spec["layer"])


def test_a_point_without_interval_is_hollow():
    """And has no rule."""
    spec = ratio_chart([{"depth": 4, "concurrency": 1, "ratio": 0.9, "low": None, "high": None}])
    hollow = [layer for layer in spec["layer"] if layer["mark"].get("filled") is False]

    assert "false" in hollow[0]["transform"][0]["filter"]
    svg = to_svg(spec, "en", "x", "alt")
    assert 'fill="var(--sw-bg)"' in svg


def test_a_series_keeps_colour_and_shape_when_others_are_missing():
    """Four streams alone look as they do beside one stream."""
    alone = ratio_chart([row for row in ROWS if row["concurrency"] == 4])

    assert encodings(alone, "color")[0]["scale"]["range"] == [STREAM_STYLES[4][0]]
    assert encodings(alone, "shape")[0]["scale"]["range"] == [STREAM_STYLES[4][1]]


def test_no_two_series_look_alike():
    """Neither by colour nor by shape."""
    for styles in (STREAM_STYLES, DEPTH_STYLES):
        assert len({colour for colour, _ in styles.values()}) == len(styles)
        assert len({shape for _, shape in styles.values()}) == len(styles)


def test_a_stored_chart_has_keys_and_a_drawn_one_has_words():
    """In either language, with its decimal mark."""
    stored = json.dumps(ratio_chart(ROWS))
    english, vietnamese = (to_svg(ratio_chart(ROWS), lang, "x", "alt") for lang in ("en", "vi"))

    assert "label:axis.ratio" in stored
    assert "Throughput over off" in english
    assert ">1.00<" in english
    assert "Thông lượng so với tắt" in vietnamese
    assert ">1,00<" in vietnamese
    assert "label:" not in english + vietnamese


def test_a_key_without_wording_stops_the_chart():
    """Before it is drawn."""
    spec = ratio_chart(ROWS) | {"title": "label:axis.nothing"}

    with pytest.raises(DataError, match=r"axis\.nothing"):
        to_svg(spec, "en", "x", "alt")


def test_a_drawing_is_the_same_every_time_and_has_ids_of_its_own():
    """Two charts on a page share none."""
    one, again, other = (to_svg(ratio_chart(ROWS), "en", name, "alt") for name in ("a", "a", "b"))

    assert one == again
    assert "\n" not in one
    ids = [set(re.findall(r'id="([^"]+)"', svg)) for svg in (one, other)]
    assert not ids[0] & ids[1]
    assert set(re.findall(r"url\(#([^)]+)\)", one)) <= ids[0]


def test_a_drawing_comes_in_two_widths_with_its_alternative_text():
    """Escaped, whatever it says."""
    svg = to_svg(ratio_chart(ROWS), "en", "x", '"quoted" <b>')

    assert svg.count('role="img" aria-label="&quot;quoted&quot; &lt;b&gt;"') == 2
    assert 'class="sw-svg sw-wide"' in svg
    assert 'class="sw-svg sw-narrow"' in svg


def test_a_layer_without_marks_is_not_announced_as_an_image():
    """Nothing would describe it."""
    svg = to_svg(ratio_chart(ROWS), "en", "x", "alt")

    assert not re.search(r"<g\b[^>]*(?:/>|></g>)", svg)
    assert svg.count('role="graphics-symbol"') >= len(ROWS) * 2


def test_a_chart_without_rows_is_an_empty_frame(make_result):
    """A drafter that never ran has no positions."""
    figure = chart_figure(
        Sourced(make_result(charts={"position": position_chart([])}), "published"), "position", "x", "vi"
    )

    assert "Vị trí token nháp" in figure
    assert 'aria-roledescription="point"' not in figure


def test_a_mark_says_its_numbers(make_result):
    """A script shows them to who points at it."""
    figure = chart_figure(Sourced(make_result(gain=0.94), "published"), "ratio", "x", "vi")

    assert "Thông lượng so với tắt: 0,94; Số luồng: 1 luồng; Cận dưới: 0,91; Cận trên: 0,97" in figure


def test_a_point_without_interval_is_explained_and_has_words_in_the_table(make_result):
    """In the caption, and in place of its bounds."""
    chart = ratio_chart([{"depth": 4, "concurrency": 1, "ratio": 0.9, "low": None, "high": None}])
    figure = chart_figure(Sourced(make_result(charts={"ratio": chart}), "published"), "ratio", "alt", "en")

    assert "hollow: one run, no interval</figcaption>" in figure
    assert figure.count("<td>one run, no interval</td>") == 2


def test_a_chart_that_the_result_lacks_is_an_error(make_result):
    """A notebook may name one."""
    with pytest.raises(DataError, match="there is no chart 'ratios'. Did you mean 'ratio'"):
        chart_figure(Sourced(make_result(), "published"), "ratios", "alt", "en")


def test_the_rows_behind_a_chart_are_files_too(make_result):
    """Numbers as they are stored, words in the page's language, and a link to each beside the table."""
    result = make_result(gain=0.94)
    files = chart_files(result, "vi")
    rows = json.loads(files["chart-ratio.json"])
    figure = chart_figure(Sourced(result, "published").seen_from("../", "depth"), "ratio", "x", "vi")

    assert len(rows) == len(data_of(result.charts["ratio"]))
    assert "1 luồng" in {row["streams"] for row in rows}
    assert [row["ratio"] for row in rows] == [row["ratio"] for row in data_of(result.charts["ratio"])]
    assert list(csv.DictReader(files["chart-ratio.csv"].splitlines())) == [
        {key: "" if one is None else str(one) for key, one in row.items()} for row in rows
    ]
    assert 'href="../data/depth/published/chart-ratio.csv"' in figure
    assert "href" not in chart_figure(Sourced(result, "published"), "ratio", "x", "vi")


def test_the_data_of_a_chart_are_its_rows():
    """The reference line is none."""
    assert len(data_of(ratio_chart(ROWS))) == len(ROWS)
    assert data_of({}) == []
    assert data_of({"layer": [{"data": {"values": [{"a": 1}]}}]}) == [{"a": 1}]


def test_a_drawing_leaves_its_font_to_the_page():
    """And has one class, ours; what a mark says stays."""
    svg = to_svg(ratio_chart(ROWS), "vi", "x", "alt")

    assert "font-family" not in svg
    assert re.findall(r'class="([^"]*)"', svg) == ["sw-svg sw-wide", "sw-svg sw-narrow"]
    marks = re.findall(r'<path [^>]*role="graphics-symbol"[^>]*>', svg)
    assert len(marks) >= len(ROWS) * 2
    assert all("aria-label=" in mark for mark in marks)


def test_marks_are_placed_to_a_tenth_of_a_pixel():
    """More digits weigh, and show nothing; what a mark says is left as it is."""
    svg = to_svg(ratio_chart(ROWS), "en", "x", "from 1.0385 to 1.1384")

    placed = re.findall(r' (?:d|transform|x|y|x1|x2|y1|y2)="([^"]*)"', svg)
    assert len(placed) > 20
    assert not [one for one in placed if re.search(r"\d\.\d\d", one)]
    assert 'aria-label="from 1.0385 to 1.1384"' in svg
