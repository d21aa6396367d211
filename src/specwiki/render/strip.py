"""The run strip: what ran in which order, one small mark a block, with the same in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import groupby

from specwiki.core.result import StripBlock
from specwiki.render.escaping import preformatted
from specwiki.render.labels import label
from specwiki.units import Lang

MARK = 9
GAP = 2
ROW = 20
"""Pixels: width of a block, space between blocks, height of a boot's row."""

HEADING = 34
"""Pixels on the left for the number of the boot."""

TALL, SHORT = 14, 8
"""Pixels: height of a block under the highest load of the run, and under any lower one."""

_WORDS = {
    "boot": {"en": "boot", "vi": "lần khởi động"},
    "blocks": {"en": "blocks", "vi": "khối"},
    "height": {
        "en": "Tall marks ran with {}, short ones with fewer.",
        "vi": "Ô cao chạy với {}, ô thấp chạy với ít luồng hơn.",
    },
    "order": {"en": "Order of blocks", "vi": "Thứ tự các khối đo"},
    "each": {
        "en": "One row is one boot of the engine, one mark one block, from left to right as they ran.",
        "vi": "Mỗi hàng là một lần khởi động engine, mỗi ô là một khối đo, từ trái sang phải theo thứ tự đã chạy.",
    },
}


def strip_html(blocks: Sequence[StripBlock], lang: Lang) -> str:
    """The strip as one line of HTML: an SVG, its legend, and the order in words behind a fold."""
    boots = [(boot, list(group)) for boot, group in groupby(blocks, key=lambda block: block.boot)]
    longest = max((len(group) for _, group in boots), default=0)
    width = HEADING + longest * (MARK + GAP)
    height = len(boots) * ROW
    summary = escape(strip_text(blocks, lang), quote=True)
    most = max((block.concurrency for block in blocks), default=1)
    rows = "".join(_row(index, boot, group, most, lang) for index, (boot, group) in enumerate(boots))
    drawing = (
        f'<svg class="sw-strip-svg" role="img" aria-label="{summary}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{rows}</svg>'
    )
    order = "".join(_order(boot, group, lang) for boot, group in boots)
    told = _WORDS["each"][lang]
    if len({block.concurrency for block in blocks}) > 1:
        told += " " + _WORDS["height"][lang].format(label(f"streams.{most}", lang))
    return (
        f'<div class="sw-strip" data-search-exclude><p class="sw-note">{told}</p>'
        f'<div class="sw-scroll" tabindex="0">{drawing}</div>{_legend(blocks, lang)}{_failures(blocks, lang)}'
        f"<details><summary>{_WORDS['order'][lang]}</summary><ol>{order}</ol></details></div>"
    )


def strip_text(blocks: Sequence[StripBlock], lang: Lang) -> str:
    """The strip in one sentence: how many boots and blocks, and what became of them."""
    boots = len({block.boot for block in blocks})
    states = Counter(block.status for block in blocks)
    told = "; ".join(f"{label(f'state.{state}', lang)}: {number}" for state, number in states.items())
    return {
        "en": f"{len(blocks)} blocks in {boots} boots of the engine ({told})",
        "vi": f"{len(blocks)} khối đo trong {boots} lần khởi động engine ({told})",
    }[lang]


def _row(index: int, boot: int, group: Sequence[StripBlock], most: int, lang: Lang) -> str:
    bottom = index * ROW + 17
    marks = ""
    for i, block in enumerate(group):
        height = TALL if block.concurrency == most else SHORT
        marks += (
            f'<g class="{_css(block)}"><title>{escape(_title(block, lang))}</title>'
            f'<rect x="{HEADING + i * (MARK + GAP)}" y="{bottom - height}" width="{MARK}" height="{height}" rx="1.5">'
            "</rect></g>"
        )
    return f'<text class="sw-strip-boot" x="0" y="{bottom - 1}">{boot}</text>{marks}'


def _css(block: StripBlock) -> str:
    kind = "off" if block.arm == "off" else block.arm.removesuffix("-twin")
    twin = " sw-twin" if block.arm.endswith("-twin") else ""
    return f"sw-block sw-block-{kind} sw-state-{block.status}{twin}"


def _title(block: StripBlock, lang: Lang) -> str:
    parts = [label(f"arm.{block.arm}", lang), label(f"streams.{block.concurrency}", lang)]
    return ", ".join([*parts, label(f"state.{block.status}", lang)])


def _legend(blocks: Sequence[StripBlock], lang: Lang) -> str:
    arms = {block.arm: block for block in sorted(blocks, key=lambda block: block.arm) if block.status != "warm-up"}
    ordered = sorted(arms, key=lambda arm: (arm != "off", arm))
    states = [one for one in ("warm-up", "split", "void", "crashed") if any(block.status == one for block in blocks)]
    entries = [(_css(arms[arm].model_copy(update={"status": "ok"})), label(f"arm.{arm}", lang)) for arm in ordered]
    entries += [(f"sw-block sw-state-{state}", label(f"state.{state}", lang)) for state in states]
    items = "".join(
        f'<li><svg class="{css}" width="11" height="12" aria-hidden="true"><rect x="1" y="1" width="9" height="10" '
        f'rx="1.5"></rect></svg>{escape(text)}</li>'
        for css, text in entries
    )
    return f'<ul class="sw-legend">{items}</ul>'


def _failures(blocks: Sequence[StripBlock], lang: Lang) -> str:
    """What went wrong in void and crashed blocks: the engine's words, behind a fold each; the same ones once."""
    seen: dict[tuple[str, str], list[StripBlock]] = {}
    for block in blocks:
        if block.reason is not None:
            seen.setdefault((_title(block, lang), block.reason), []).append(block)
    return "".join(
        f"<details><summary>{escape(title)}{_times(len(many))}</summary>{preformatted(reason.strip())}</details>"
        for (title, reason), many in seen.items()
    )


def _times(number: int) -> str:
    return f" ({number}\u00a0\u00d7)" if number > 1 else ""


def _order(boot: int, group: Sequence[StripBlock], lang: Lang) -> str:
    told = "; ".join(escape(_title(block, lang)) for block in group)
    return f"<li>{_WORDS['boot'][lang]} {boot}: {told}</li>"
