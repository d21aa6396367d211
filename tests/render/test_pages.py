"""Pages: source and results to Markdown, with one result, with two, and with none."""

import datetime as dt
import html
import json
import re
import shlex
from dataclasses import replace

import pytest
from mkdocs.utils.meta import get_data

from specwiki.core.claims import Claim, OutcomeWordings, Wordings
from specwiki.core.quoted import QuotedSource, QuotedValue, Wording
from specwiki.errors import ClaimError, InputError
from specwiki.render.evidence import Evidence
from specwiki.render.pages import PageSource, parse_page, render_page, wording_problems
from specwiki.render.values import Sourced

WORDS = Wordings(holds='yes @{{ value("ratio.c1.d4") }}', fails="no", open="open: @{{ reason }}")
SOURCE = QuotedSource(
    seed="000",
    title="A page",
    as_of=dt.date(2026, 10, 24),
    machine="two boxes",
    values={
        "rate": QuotedValue(written="0.80", unit="fraction", as_of=dt.date(2026, 9, 30), place="p", evidence="0.80")
    },
    facts={"model": Wording(en="a *model*", vi="một mô hình")},
    not_published={"table": Wording(en="The table", vi="Bảng")},
)
SHARED = Evidence(
    (),
    (SOURCE,),
    {
        "slower": Claim(expression='v("ratio.c1.d4") < 1', en=WORDS, vi=WORDS),
        "single": Claim(expression='v("ratio.c4.d6") < 1', en=WORDS, vi=WORDS),
        "reported": Claim(
            expression='q("000.rate") > 0.5',
            en=Wordings(holds='the source reports @{{ quoted("000.rate") }}', fails="-", open="-"),
            vi=Wordings(holds='nguồn cho biết @{{ quoted("000.rate") }}', fails="-", open="-"),
        ),
    },
    {"best.c1": OutcomeWordings(en={"off": "off", "depth": 'depth @{{ depth }} @{{ estimate("ratio.c1.d" ~ depth) }}'},
                                vi={"off": "tắt", "depth": "sâu @{{ depth }}"})},
    {"published": {"values.csv": "download.values"}, "local": {"notebook.ipynb": "download.notebook"}},
)  # fmt: skip


def rendered(body, *, published=None, local=None, lang="en"):
    """A page with this body."""
    return render_page(parse_page("depth", lang, body), with_results(SHARED, local=local, published=published)).text


def with_results(shared, **by_origin):
    """This machine's first."""
    return replace(shared, results=tuple(Sourced(one, origin) for origin, one in by_origin.items() if one is not None))


def test_a_value_has_its_number_in_the_language_and_its_key(make_result):
    """So that it can be traced."""
    result = make_result(gain=0.94)

    where = 'href="../numbers/depth/#published.ratio.c1.d4"'
    assert f'data-key="ratio.c1.d4" data-origin="published" data-kind="measured" {where}>0.94×</a>' in rendered(  # noqa: RUF001
        '@{{ value("ratio.c1.d4") }}', published=result
    )
    assert ">0,94×</a>" in rendered('@{{ value("ratio.c1.d4") }}', published=result, lang="vi")  # noqa: RUF001
    assert ">0.91–0.97×</span>" in rendered('@{{ interval("ratio.c1.d4") }}', published=result)  # noqa: RUF001


def test_this_machine_leads_and_the_published_value_stands_beside_it(make_result):
    """Each says where it is from."""
    text = rendered('@{{ value("ratio.c1.d4") }}', published=make_result(gain=0.9),
                    local=make_result(gain=1.0, effort="quick"))  # fmt: skip

    assert text.index('data-origin="local"') < text.index("measured here, quick; published")
    assert text.index("measured here, quick; published") < text.index('data-origin="published"')


def test_a_value_that_this_effort_did_not_measure_says_so(make_result):
    """It is neither zero nor an error."""
    text = rendered('@{{ value("ratio.c1.d6") }} @{{ estimate("ratio.c1.d6") }} @{{ interval("ratio.c1.d6") }}',
                    published=make_result())  # fmt: skip

    assert text.count("not measured at this effort") == 3


def test_nothing_measured_names_the_command():
    """And every function still answers."""
    body = """@{{ result_note() }} @{{ value("ratio.c1.d4") }} @{{ interval("ratio.c1.d4") }} @{{ claim("slower") }}
@{{ outcome("best.c1") }} @{{ table("current") }} @{{ chart("ratio", "x") }} @{{ strip() }} @{{ provenance() }}
@{{ downloads() }} @{{ schedule() }} @{{ notebook("n") }} @{{ fact("engine") }} @{{ estimate("ratio.c1.d4") }}"""
    english, vietnamese = rendered(body), rendered(body, lang="vi")

    assert "Nothing has been measured yet" in english
    assert "specwiki run depth" in english
    assert "Chưa có gì được đo" in vietnamese
    assert english.count("not measured yet") == vietnamese.count("chưa đo") > 5


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('@{{ value("ratio.c1.d44") }}', "there is no value 'ratio.c1.d44'. Did you mean 'ratio.c1.d4'?"),
        ('@{{ quoted("000.rates") }}', "there is no quoted value '000.rates'. Did you mean '000.rate'?"),
        ('@{{ quoted_date("000.x") }}', "there is no quoted value '000.x'"),
        ('@{{ claim("slow") }}', "there is no claim 'slow'. Did you mean 'slower'?"),
        ('@{{ outcome("best.c2") }}', "there is no outcome 'best.c2'. Did you mean 'best.c1'?"),
        ('@{{ table("currant") }}', "there is no table 'currant'. Did you mean 'current'?"),
        ('@{{ chart("ratios", "x") }}', "there is no chart 'ratios'. Did you mean 'ratio'?"),
        ('@{{ fact("motor") }}', "there is no fact 'motor'"),
        ('@{{ source_fact("000", "modal") }}', "there is no fact of source 000 'modal'. Did you mean 'model'?"),
        ('@{{ not_published("000", "tables") }}', "there is no gap of source 000 'tables'. Did you mean 'table'?"),
        ('@{{ source_note("001") }}', "there is no quoted source '001', expected one of ['000']"),
        ("@{{ values }}", "'values' is undefined. Did you mean 'value'?"),
        ("line\n@{% if %}", "line 2 of its text"),
        ("@{{ value.__class__.__mro__ }}", "depth.md"),
    ],
)
def test_a_name_that_is_not_there_is_an_error_with_the_nearest(make_result, body, says):
    """It names the page."""
    with pytest.raises(InputError) as caught:
        rendered(body, published=make_result())

    assert says in str(caught.value)
    assert str(caught.value).startswith("docs/en/depth.md: ")


def test_a_claim_prints_the_wording_that_the_data_support(make_result):
    """With its state for a test to find."""
    assert 'data-claim="slower" data-state="holds" data-origin="published">yes <a' in rendered(
        '@{{ claim("slower") }}', published=make_result(gain=0.9)
    )
    assert ">no<" in rendered('@{{ claim("slower") }}', published=make_result(gain=1.2))
    assert "open: the intervals do not settle it" in rendered('@{{ claim("slower") }}', published=make_result(gain=1.0))
    assert "open: a value that it needs was not measured" in rendered('@{{ claim("single") }}', published=make_result())


def test_a_sentence_never_mixes_two_results(make_result):
    """Each result says its own, the published one below."""
    text = rendered('@{{ claim("slower") }}', published=make_result(gain=0.9), local=make_result(gain=1.2))

    assert ">no</span>" in text
    assert text.index(">no</span>") < text.index("Published result of 28 November 2026:") < text.index("yes <a")


def test_the_same_sentence_is_not_said_twice(make_result):
    """It is enough that the published result agrees."""
    text = rendered('@{{ outcome("best.c1") }}', published=make_result(), local=make_result(effort="quick"))

    assert "Published result of 28 November 2026:</b> the same." in text


def test_a_claim_over_quoted_figures_is_marked(make_result):
    """Once, whatever was measured, with source and date at hand."""
    text = rendered('@{{ claim("reported") }}', published=make_result(), local=make_result())

    assert text.count("the source reports") == 1
    assert 'title="A page, 30 September 2026, two boxes">quoted</sup>' in text


def test_an_outcome_without_a_wording_is_an_error(make_result):
    """Nothing is printed in its place."""
    with pytest.raises(ClaimError, match="no wording for the verdict 'undecided'"):
        rendered('@{{ outcome("best.c1") }}', published=make_result(best="undecided"))


def test_an_outcome_says_its_depth(make_result):
    """With the value at that depth."""
    text = rendered('@{{ outcome("best.c1") }}', published=make_result(best="depth", gain=1.15))

    assert 'data-outcome="best.c1" data-state="depth"' in text
    assert "depth 4 <a" in text
    assert "(95% interval <span" in text


def test_a_run_without_an_outcome_says_so(make_result):
    """A trial run decides nothing."""
    assert "not measured at this effort" in rendered('@{{ outcome("best.c1") }}', published=make_result(outcomes={}))


def test_a_wording_that_no_page_shows_yet_is_checked_too():
    """Else a typing error would appear on the day that a verdict changes."""
    bad = Wordings(holds='@{{ value("ratio.c1.d44") }}', fails="@{{ x }}", open="-")
    claims = {"odd": Claim.model_construct(expression='v("ratios") > 1', en=bad, vi=WORDS)}
    outcomes = {"best.c1": OutcomeWordings(en={"depth": "@{% if %}"}, vi={"depth": "@{{ depth }}"})}

    found = [str(one) for one in wording_problems(Evidence(claims=claims, outcomes=outcomes))]

    assert [one.partition(":")[0] for one in found] == [
        "claim 'odd', en.holds", "claim 'odd', en.fails", "outcome 'best.c1', en.depth", "claim 'odd'",
    ]  # fmt: skip
    assert wording_problems(SHARED) == []


def test_quoted_figures_keep_their_digits_and_are_marked():
    """In both languages."""
    assert '>80%</a><sup class="sw-kind sw-kind-quoted"' in rendered('@{{ quoted("000.rate") }}')
    assert "trích dẫn" in rendered('@{{ quoted("000.rate") }}', lang="vi")
    assert "30 September 2026" in rendered('@{{ quoted_date("000.rate") }}')
    assert "a &#42;model&#42;" in rendered('@{{ source_fact("000", "model") }}')
    assert "The table: not published in the source" in rendered('@{{ not_published("000", "table") }}')
    assert "“A page”, 24 October 2026, two boxes" in rendered('@{{ source_note("000") }}')


def test_a_note_has_both_dates_and_a_hidden_banner(make_result):
    """The reader's clock decides, not ours."""
    text = rendered("@{{ result_note() }}", published=make_result())

    assert 'data-as-of="2026-11-28" data-good-until="2027-02-26"' in text
    assert "Result as of 28 November 2026 · good until 26 February 2027" in text
    assert '<p class="sw-stale" role="status" hidden>' in text


def test_a_synthetic_set_decides_nothing(make_result):
    """The note says it."""
    assert "they decide nothing" in rendered("@{{ result_note() }}", published=make_result(prompt_kind="synthetic"))


def test_facts_are_inert(make_result):
    """Whatever a file claims the drafter is called."""
    text = rendered('@{{ provenance() }} @{{ fact("drafter") }}', published=make_result())

    assert "<script" not in text
    assert "@{{" not in text
    assert "**bold**" not in text
    assert "U+202E" in text


def test_provenance_has_a_column_for_each_result(make_result):
    """With the rule's registration."""
    registered = make_result().registration
    alone = make_result(registration=registered.model_copy(update={"committed_before": None}))
    published = make_result(facts={"engine": "vLLM", "seed": 12345})
    text = rendered("@{{ provenance() }}", published=published, local=alone)

    assert "| measured here, full | published |" in text
    assert "not in a git repository" in text
    assert "yes, in commit" in text
    assert "12345" in text
    assert "| — |" in text
    assert "plan not committed before the run" in rendered(
        "@{{ provenance() }}",
        published=make_result(registration=registered.model_copy(update={"committed_before": False})),
    )


def test_a_schedule_is_shown_where_it_is_offered(make_result):
    """With what is not measured."""
    text = rendered("@{{ schedule() }}", published=make_result(best="depth"))

    flag = re.search("<code>(.*)</code>", text)
    assert flag is not None
    words = shlex.split(html.unescape(flag[1]))
    assert words[0] == "--speculative-config"
    assert json.loads(words[1]) == {
        "method": "ngram", "num_speculative_tokens": 4, "num_speculative_tokens_per_batch_size": [[1, 3, 4], [4, 8, 2]],
    }  # fmt: skip
    assert "above 8: not measured" in text
    assert "For this machine: 2-core-sample-24g" in text
    assert "[[" not in rendered("@{{ schedule() }}", published=make_result())


@pytest.mark.parametrize("config", ["", "[1]"])
def test_a_schedule_without_a_known_config_stands_alone(make_result, config):
    """It is to be put into the reader's own."""
    text = rendered("@{{ schedule() }}", published=make_result(best="depth", facts={"drafter_config": config}))

    assert "<code>{&quot;num_speculative_tokens_per_batch_size&quot;: [[1, 3, 4], [4, 8, 2]]}</code>" in text


def test_downloads_and_notebooks_are_links(make_result):
    """Only to what is there."""
    text = rendered('@{{ downloads() }} @{{ notebook("n") }}', published=make_result(), local=make_result())

    assert "[values as CSV](data/depth/published/values.csv)" in text
    assert "[n](notebooks/depth-local.md) (measured here, full)" in text
    assert "depth-published.md" not in text
    bare = with_results(Evidence(), published=make_result())
    assert "](" not in render_page(parse_page("depth", "en", "@{{ downloads() }}"), bare).text


def test_figures_of_both_results_are_there(make_result):
    """This machine's first, the published chart folded below."""
    alternative = 'Ratio: @{{ value("ratio.c1.d4") }}'
    figures = '@{{ chart("ratio", words) }}@{{ table("strata") }}@{{ strip() }}'
    body = "@{% set words %}" + alternative + "@{% endset %}" + figures
    text = rendered(body, published=make_result(), local=make_result(effort="quick"))

    assert text.index('data-chart="ratio" data-origin="local"') < text.index('<details class="sw-published">')
    assert 'aria-label="Ratio: 0.93× (measured here, quick; published 0.93×)"' in text  # noqa: RUF001
    assert text.count('class="sw-table" data-table="strata"') == 2
    assert text.count('class="sw-strip"') == 2


def test_a_part_that_a_run_lacks_is_named_as_such(make_result):
    """A quick run has no table of positions."""
    text = rendered(
        '@{{ table("acceptance") }} @{{ chart("position", "x") }}', published=make_result(tables={}, charts={})
    )

    assert text.count("not measured at this effort") == 2


def test_a_chart_with_unknown_data_is_an_error(make_result):
    """Its table would have no headings."""
    odd = {"layer": [{"mark": "point", "encoding": {}, "data": {"values": [{"speed": 1}]}}]}

    with pytest.raises(InputError, match="field 'speed'"):
        rendered('@{{ chart("odd", "x") }}', published=make_result(charts={"odd": odd}))


def test_the_formula_table_is_marked_as_simulated():
    """Measured nowhere."""
    text = rendered("@{{ expected_table() }}", lang="vi")

    assert "mô phỏng" in text
    assert "| 45% | 1,45 | 1,65 | 1,78 |" in text


def test_front_matter_stays_without_what_is_ours():
    """MkDocs reads the rest."""
    text = render_page(parse_page("depth", "vi", "---\ntitle: Độ sâu\nexperiment: depth\n---\nx"), SHARED).text

    assert text == '---\ntitle: "Độ sâu"\n---\nx'


@pytest.mark.parametrize(
    "title", ["Depth: how deep", '"quoted"', "a # b", "`off` first", "{x}", "- x", "it\u2028ends", "'"]
)
def test_front_matter_survives_being_written(title):
    """Whatever is in it, MkDocs reads what the author wrote."""
    page = PageSource("depth", "en", {"title": title, "search": {"exclude": True}}, "x")
    _, meta = get_data(page.text)

    assert meta == {"title": title, "search": {"exclude": True}}
    assert parse_page("depth", "en", page.text) == page


def test_front_matter_is_yaml():
    """A title in quotes has none; a date is as it is written."""
    page = parse_page("depth", "en", '---\ntitle: "Depth: x"\nas_of: 2026-01-02\n---\n')

    assert page.title == "Depth: x"
    assert page.front["as_of"] == "2026-01-02"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("---\ntitle: x\n", "has no end"),
        ("---\ntitle\n---\n", "'title' in the front matter is no 'key: value'"),
        ("---\na: 1\ntitle: b: c\n---\n", "the front matter is no YAML, line 3"),
    ],
)
def test_front_matter_must_be_whole(text, says):
    """Else a page would lose its title without a word."""
    with pytest.raises(InputError, match=says):
        parse_page("depth", "en", text)


def test_text_is_composed():
    """Vietnamese in NFC, however it was typed."""
    assert rendered("do\u0323\u0302") == "d\u1ed9"


def test_the_same_files_give_the_same_bytes(make_result):
    """No clock, no host, no order of a set."""
    body = '@{{ chart("ratio", "x") }}@{{ strip() }}@{{ provenance() }}@{{ result_note() }}'

    assert rendered(body, published=make_result()) == rendered(body, published=make_result())
