"""What changed: of each published result, what it says otherwise than the run before it."""

from __future__ import annotations

import datetime as dt

import pytest

from specwiki.core.claims import Claim, OutcomeWordings, Wordings
from specwiki.render.evidence import Evidence, News
from specwiki.render.pages import parse_page, render_page
from specwiki.render.values import Sourced

CLAIMS = {
    "pays": Claim(
        expression='v("ratio.c1.d4") > 1',
        en=Wordings(holds="It pays.", fails="It costs.", open="Who knows."),
        vi=Wordings(holds="Có lợi.", fails="Tốn kém.", open="Chưa rõ."),
    ),
    "same": Claim(
        expression='v("output_tok_s.c1.off") > 1',
        en=Wordings(holds="A.", fails="B.", open="C."),
        vi=Wordings(holds="A.", fails="B.", open="C."),
    ),
}
WORDED = {"best.c1": OutcomeWordings(en={"off": "Leave it off.", "depth": "Depth @{{ depth }}."},
                                     vi={"off": "Hãy tắt.", "depth": "Độ sâu @{{ depth }}."})}  # fmt: skip
OLD = {"run_id": "r0", "as_of": dt.date(2026, 10, 1)}


def told(result, *earlier, lang="en"):
    titles = {"en": "Depth", "vi": "Độ sâu"}
    news = News(Sourced(result, "published", earlier=earlier), "depth", titles, frozenset({"pays", "best.c1"}))
    evidence = Evidence(claims=CLAIMS, outcomes=WORDED, news=(news,))
    return render_page(parse_page("index", lang, "@{{ what_changed() }}"), evidence).text


def test_a_first_result_says_so(make_result):
    """With its date, page, machine, effort, and where its numbers are."""
    text = told(make_result())

    assert "- **28 November 2026, [Depth](depth.md)** (laptop, 2-core-sample-24g, full): first result." in text
    assert "[All its numbers](numbers/depth.md)" in text


@pytest.mark.parametrize(("lang", "words"), [
    ("en", ["the run before is of 1 October 2026", "It now says:", ">Depth 4.<", ">It pays.<"]),
    ("vi", ["lần chạy trước vào ngày 1 tháng 10, 2026", "Nay kết luận:", ">Độ sâu 4.<", ">Có lợi.<"]),
])  # fmt: skip
def test_a_result_that_decides_otherwise_says_what(make_result, lang, words):
    """The sentences of decisions that changed and claims that flipped, and of no others."""
    text = told(make_result(best="depth", gain=1.2), make_result(best="off", gain=0.8, **OLD), lang=lang)

    assert [one for one in words if one not in text] == []
    assert ">A.<" not in text


def test_what_the_pages_of_an_experiment_do_not_print_is_no_news_of_it(make_result):
    """Even where its result has the values."""
    flipped = {"unprinted": CLAIMS["pays"]}
    news = News(
        Sourced(make_result(gain=1.2), "published", earlier=(make_result(gain=0.8, **OLD),)),
        "depth", {"en": "Depth", "vi": "Độ sâu"}, frozenset(),
    )  # fmt: skip
    text = render_page(parse_page("index", "en", "@{{ what_changed() }}"), Evidence(claims=flipped, news=(news,))).text

    assert "It pays" not in text
    assert "says the same as before" in text


def test_a_decision_that_is_gone_is_said(make_result):
    """It has no sentence of its own."""
    text = told(make_result(outcomes={}), make_result(**OLD))

    assert "It now says: the decision <code>best.c1</code> is not made any more." in text


def test_noise_is_no_news(make_result):
    """Values that moved within their intervals are counted, and no sentence is made of them."""
    result = make_result(gain=0.93)
    both = sum(value.low is not None for value in result.values.values())
    text = told(result, make_result(gain=0.935, **OLD))

    assert "Every decision and every claim says the same as before." in text
    assert f"Of {both} values with an interval in both runs, 0 lie apart" in text
    apart = told(make_result(gain=0.93), make_result(gain=0.7, **OLD))
    assert ", 0 lie apart" not in apart


def test_without_results_there_is_no_news():
    """In words."""
    text = render_page(parse_page("index", "vi", "@{{ what_changed() }}"), Evidence()).text

    assert "Chưa có kết quả nào được công bố." in text
