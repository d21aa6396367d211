"""The run strip: every block, in order, in marks and in words."""

from specwiki.core.result import StripBlock
from specwiki.render.strip import strip_html, strip_text

BLOCKS = (
    StripBlock(boot=1, arm="off", concurrency=1, replicate=0, status="warm-up"),
    StripBlock(boot=1, arm="off", concurrency=4, replicate=1, status="ok"),
    StripBlock(boot=2, arm="d4", concurrency=1, replicate=1, status="void"),
    StripBlock(boot=2, arm="d4-twin", concurrency=1, replicate=1, status="ok"),
)


def test_there_is_one_mark_a_block_and_one_row_a_boot():
    """The legend's marks come on top."""
    html = strip_html(BLOCKS, "en")

    assert html.count("<title>") == len(BLOCKS)
    assert html.count('class="sw-strip-boot"') == 2
    assert "\n" not in html


def test_the_order_is_there_in_words():
    """For who cannot see the marks."""
    html = strip_html(BLOCKS, "vi")

    assert "lần khởi động 2: độ sâu 4, 1 luồng, không tính; độ sâu 4, đo lặp (A/A)" in html
    assert 'aria-label="4 khối đo trong 2 lần khởi động engine' in html


def test_the_sentence_counts_what_became_of_the_blocks():
    """Nothing that was void is passed over."""
    assert strip_text(BLOCKS, "en") == (
        "4 blocks in 2 boots of the engine (warm-up, thrown away: 1; measured: 2; void: 1)"
    )


def test_heights_are_explained_only_where_they_differ():
    """One load needs no word on it."""
    assert "Tall marks ran with 4 streams" in strip_html(BLOCKS, "en")
    assert "Tall" not in strip_html(BLOCKS[2:], "en")


def test_nothing_measured_is_an_empty_strip():
    """Not an error."""
    assert 'height="0"' in strip_html((), "en")


def test_a_crash_is_shown_with_the_engines_words():
    """Hostile ones are text; the same words of the same arm stand there once."""
    crash = StripBlock(
        boot=3, arm="d8", concurrency=1, replicate=1, status="crashed", reason="gone:\n<script>alert(1)</script>"
    )
    html = strip_html((*BLOCKS, crash, crash.model_copy(update={"boot": 4})), "en")

    assert html.count("&lt;script&gt;") == 1
    assert "<script>" not in html
    assert "depth 8, 1 stream, the engine crashed (2\u00a0\u00d7)</summary>" in html
