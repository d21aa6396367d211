"""Quoted figures agree with their sources' text, where that is at hand, and with each other everywhere.

The text is not ours to keep. `SPECWIKI_SEEDS` names a folder of `<seed>*.txt`; without it those tests are skipped.
"""

import os
import re
import unicodedata
from pathlib import Path

import pytest

from specwiki.core import cycle, geometric
from specwiki.core.quoted import by_key
from specwiki.edges.pages import read_quoted

SOURCES = read_quoted(Path(__file__).parents[2] / "data" / "quoted")
QUOTED = {key: value.number for key, (_, value) in by_key(SOURCES).items()}
SEEDS = os.environ.get("SPECWIKI_SEEDS")

each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda one: one.seed)
with_text = pytest.mark.skipif(not SEEDS, reason="SPECWIKI_SEEDS does not name the sources' texts")

LEFT_OUT = {
    "000": {"0.45": "assumed for an example of the formula"},
    "001": {
        **dict.fromkeys(("0.64", "0.38", "0.23"), "position-k3-p0 to -p2 again, rounded"),
        "14.9": "slope again, rounded",
        "95": "level of confidence of t-draft-low and -high",
    },
    "003": {},
}
"""Figures of the sources that are not quoted, and why."""


def text_of(seed):
    """A source's text as lines without the marks of headings."""
    (path,) = Path(SEEDS).glob(f"{seed}*.txt")
    return [line.strip("# ") for line in path.read_text(encoding="utf-8").splitlines()]


def section(lines, place, places):
    """The text from one heading to the next of those that are named."""
    start = lines.index(place) + 1
    end = next((at for at in range(start, len(lines)) if lines[at] in places), len(lines))
    return " ".join(" ".join(lines[start:end]).split())


@with_text
@each_source
def test_evidence_stands_where_it_is_said_to(source):
    """Word for word, below the heading that the figure names; `…` stands for words between."""
    lines = text_of(source.seed)
    places = {value.place for value in source.values.values()}
    for name, value in source.values.items():
        pattern = ".{1,80}".join(re.escape(part.strip()) for part in value.evidence.split("…"))
        assert re.search(pattern, section(lines, value.place, places)), f"{name}: {value.evidence}"


@with_text
@each_source
def test_no_figure_is_forgotten(source):
    """Every decimal number and every percentage of the text is quoted, or left out for a reason."""
    text = "\n".join(text_of(source.seed))
    found = {*re.findall(r"(?<![\w./:-])\d+\.\d+(?!\d|\.\d)", text), *re.findall(r"(?<![\w.])(\d+) ?%", text)}
    written = {value.written.removesuffix(" %") for value in source.values.values()}
    written |= {value.spread for value in source.values.values() if value.spread}

    assert found - written == set(LEFT_OUT[source.seed])


@each_source
def test_words_about_a_source(source):
    """Both languages, in NFC, and no figure in them: those are values. Each source has gaps, and they are named."""
    for name, wording in (source.facts | source.not_published).items():
        assert wording.en, name
        assert unicodedata.is_normalized("NFC", wording.vi), name
        assert not re.search(r"(?<![\w-])\d+([.,]\d| ?[%\u00d7])", wording.en + wording.vi), name
    assert source.not_published


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("000.mtp-tokens-d4", 1 + QUOTED["000.mtp-rate-d4"] * 4),
        ("000.traffic-tokens", 1 + QUOTED["000.mtp-rate-d4"] * 4),
        ("000.mtp-tokens-d6", 1 + QUOTED["000.mtp-rate-d6"] * 6),
        ("000.synthetic-tokens", 1 + QUOTED["000.synthetic-rate"] * 4),
        ("000.dflash-tokens-d4", 1 + QUOTED["000.dflash-rate-d4"] * 4),
        ("000.dflash-d16-ratio", QUOTED["000.dflash-d16"] / QUOTED["000.dflash-d16-off"]),
        ("000.mtp-a", geometric.acceptance_from_rate(QUOTED["000.mtp-rate-d4"], 4)),
        ("000.mtp-a-d6", geometric.acceptance_from_rate(QUOTED["000.mtp-rate-d6"], 6)),
        ("000.formula-a45-d4", geometric.expected_tokens_per_step(0.45, 4)),
        ("000.formula-a45-limit", geometric.expected_tokens_per_step(0.45, 60)),
        ("000.formula-a80-d4", geometric.expected_tokens_per_step(0.80, 4)),
        ("000.formula-a80-d8", geometric.expected_tokens_per_step(0.80, 8)),
        ("001.tokens-gain-k3", QUOTED["001.tokens-k3"] - QUOTED["001.tokens-k2"]),
        ("001.tokens-k3", 1 + sum(QUOTED[f"001.position-k3-p{position}"] for position in range(3))),
        ("001.extrapolated-p3", QUOTED["001.position-k3-p2"] ** 2 / QUOTED["001.position-k3-p1"]),
        ("001.t-draft-k1-7", QUOTED["001.t-draft"]),
        ("003.dspark-over-mtp-code", QUOTED["003.dspark-code"] / QUOTED["003.mtp-code"]),
        ("003.mtp-over-dspark-essays", QUOTED["003.mtp-essays"] / QUOTED["003.dspark-essays"]),
    ],
)
def test_figures_agree_with_each_other(key, number):
    """To the digits that the source prints: a slip of typing shows without the text."""
    written = by_key(SOURCES)[key][1].written
    decimals = len(written.partition(".")[2])

    assert number == pytest.approx(QUOTED[key], abs=0.5001 * 10**-decimals)


def test_which_of_two_decays_the_figures_support():
    """Seed 001 says 60 % and 40 % of one fall: each position keeps about 60 % of the one before, so 40 % it is."""
    kept = [QUOTED[f"001.position-k3-p{at + 1}"] / QUOTED[f"001.position-k3-p{at}"] for at in range(2)]

    assert [1 - one for one in kept] == pytest.approx([QUOTED["001.decay-text"]] * 2, abs=0.01)
    assert 1 - QUOTED["001.decay-text"] == pytest.approx(QUOTED["001.decay-summary"])


def test_depths_without_a_published_throughput():
    """Seed 001 has tokens per verify at depths 0 to 7, throughput at five of them; no figure fills the gap."""
    assert [depth for depth in range(8) if f"001.rate-k{depth}" in QUOTED] == [0, 1, 2, 3, 6]
    assert all(f"001.tokens-k{depth}" in QUOTED for depth in range(8))


def published_cycle_ms(depth):
    """Cycle time from the tokens per verify and the throughput that seed 001 publishes."""
    return cycle.cycle_ms(QUOTED[f"001.tokens-k{depth}"], QUOTED[f"001.rate-k{depth}"])


def test_cycle_times_of_published_points():
    """62.3, 90.6, 89.4, 105.8 and 167.6 ms; from depth 1 to depth 2 the cycle gets shorter."""
    found = [published_cycle_ms(depth) for depth in (0, 1, 2, 3, 6)]

    assert [round(one, 1) for one in found] == [62.3, 90.6, 89.4, 105.8, 167.6]


@pytest.mark.parametrize("last", [2, 3])
def test_the_drifting_intercept(last):
    """29.6 and 17.8 ms, as the line through the published points less the cycle at depth 0.

    The points have three digits, hence 0.15 ms.
    """
    depths = range(1, last + 1)
    line = cycle.fit_line(depths, [published_cycle_ms(depth) for depth in depths])

    assert line.intercept - published_cycle_ms(0) == pytest.approx(QUOTED[f"001.t-draft-k1-{last}"], abs=0.15)


def test_what_stands_behind_the_plus_minus():
    """9.3 and 2.08 ms are one standard error each, of seven depths and not of eight."""
    figures = by_key(SOURCES)
    errors = cycle.line_errors(range(1, 8), QUOTED["001.scatter"])

    assert errors == pytest.approx((QUOTED["001.t-draft.spread"], QUOTED["001.slope.spread"]), abs=0.005)
    assert cycle.line_errors(range(8), QUOTED["001.scatter"])[1] < 0.9 * QUOTED["001.slope.spread"]
    assert {figures[f"001.{name}"][1].spread_kind for name in ("slope", "t-draft")} == {"one-standard-error"}


@pytest.mark.parametrize(("name", "half"), [("t-draft", 23.9), ("slope", 5.35)])
def test_intervals_of_the_line(name, half):
    """With t of five degrees of freedom: 2.8 ± 23.9 and 14.9 ± 5.35 ms, wider than the source's two errors."""
    interval = cycle.coefficient_interval(QUOTED[f"001.{name}"], QUOTED[f"001.{name}.spread"], df=5)

    assert interval.high - interval.point == pytest.approx(half, abs=0.05)


def test_the_published_interval_is_two_standard_errors():
    """Around 2.8 ms, from -16 to +21."""
    point, error = QUOTED["001.t-draft"], QUOTED["001.t-draft.spread"]

    assert (round(point - 2 * error), round(point + 2 * error)) == (
        QUOTED["001.t-draft-low"],
        QUOTED["001.t-draft-high"],
    )
