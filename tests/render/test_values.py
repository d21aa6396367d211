"""Values as text, and what marks them."""

import re
from html import unescape

import markdown

from specwiki.core.result import Value
from specwiki.render.values import interval_or_reason, kind_mark, missing_text, plain, value_span, value_text


def test_a_missing_value_is_its_reason_never_zero():
    """With the bare name of an absence, or a whole label key."""
    value = Value(number=None, unit="fraction", missing="nothing_accepted")

    assert value_text(value, "en") == interval_or_reason(value, "en") == "nothing was accepted"
    assert missing_text("missing.void", "vi") == "không tính"
    assert missing_text(None, "en") == "not measured"


def test_a_value_without_interval_says_so():
    """One run has none."""
    assert interval_or_reason(Value(number=1.0, unit="ratio"), "en") == "one run, no interval"


def test_a_simulated_value_is_marked_wherever_it_is():
    """A measured one is not."""
    simulated = value_span(Value(number=0.5, unit="fraction", kind="simulated"), "k", "published", "vi")
    measured = value_span(Value(number=0.5, unit="fraction"), "k", "published", "vi")

    assert "mô phỏng</sup>" in simulated
    assert "<sup" not in measured


def test_alternative_texts_are_words_only():
    """Marks would be read aloud after every number."""
    simulated = value_span(Value(number=0.5, unit="fraction", kind="simulated"), "k", "published", "en")

    assert plain(f"a {simulated} b") == "a 50.0% b"


def test_a_title_of_others_stays_inside_its_attribute():
    """Markdown reads attributes, and a link's quotes would end this one."""
    built = markdown.markdown(str(kind_mark("quoted", "quoted", 'a [b](c) `d` "e" <f> *g*')))

    assert re.fullmatch(r'<p><sup class="sw-kind sw-kind-quoted" title="([^"<>]*)">quoted</sup></p>', built)
    assert unescape(built).count('a [b](c) `d` "e" <f> *g*') == 1
