"""Wordings of claims and outcomes: whether the Vietnamese ones are in date, and recording that they are."""

import tomllib

import pytest

from specwiki.core.claims import ClaimFile
from specwiki.core.model import parse
from specwiki.core.result import Value
from specwiki.core.wordings import recorded, verdicts_by_profile, verdicts_under, wordings_hash, wordings_in
from specwiki.errors import InputError

TEXT = """# Findings.
[claims.pays]
expression = 'v("ratio.c1.d4") > 1'
[claims.pays.en]
holds = 'It pays.'
fails = 'It does not.'
open = 'Who knows.'
[claims.pays.vi]   # a remark
holds = 'Có lợi.'
fails = 'Không.'
open = 'Chưa rõ.'

[claims.quoted]
expression = 'q("000.rate") > 0.5'
en = {holds = "-a", fails = "-b", open = "-c"}
vi = {holds = "-d", fails = "-e", open = "-f"}

[outcomes."best.c1".en]
off = 'off = "none"'
[outcomes."best.c1".vi]
off = 'tắt'
"""


def read(text):
    """Wordings of a file, by id."""
    return {one.id: one for one in wordings_in(parse(ClaimFile, tomllib.loads(text), where="x.toml"))}


def digests(text, *ids):
    """Hashes of the English wordings of these."""
    return {id_: read(text)[id_].digest for id_ in ids}


WRITTEN = recorded("x.toml", TEXT, digests(TEXT, "claims.pays", "outcomes.best.c1"))


def test_a_file_without_the_key_is_read_and_recorded_nowhere():
    """Older files stay valid."""
    assert {one.state for one in read(TEXT).values()} == {"unrecorded"}


def test_the_key_is_put_into_the_vietnamese_table_and_nothing_else_changes():
    """It is no verdict."""
    found = read(WRITTEN)

    assert found["claims.pays"].state == found["outcomes.best.c1"].state == "current"
    assert found["outcomes.best.c1"].vietnamese == {"off": "tắt"}
    assert [line for line in WRITTEN.splitlines() if not line.startswith("of = ")] == TEXT.splitlines()
    assert WRITTEN.splitlines()[8].startswith('of = "')


def test_an_edited_english_wording_is_out_of_date():
    """Until it is recorded again, in the same place."""
    edited = WRITTEN.replace("It pays.", "It does pay.")

    assert [one.id for one in read(edited).values() if one.state == "changed"] == ["claims.pays"]
    again = recorded("x.toml", edited, digests(edited, "claims.pays"))
    assert read(again)["claims.pays"].state == "current"
    assert len(again) == len(edited)


def test_line_ends_stay():
    """Also at the end of the file."""
    text = TEXT.replace("\n", "\r\n")

    assert recorded("x.toml", text, digests(TEXT, "claims.pays")).replace("\r\n", "") == recorded(
        "x.toml", TEXT, digests(TEXT, "claims.pays")
    ).replace("\n", "")


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        (TEXT, "claims.quoted"),
        (TEXT.replace("[claims.pays.en]\nholds = 'It pays.'", "[claims.pays.en]\nholds = '''\n[claims.pays.vi]\n'''"),
         "claims.pays"),
        (TEXT.replace("holds = 'Có lợi.'", "holds = '''\nof = 'x'\n'''"), "claims.pays"),
        (TEXT.replace("holds = 'Có lợi.'", "holds = 'Có lợi.'\n\"of\" = '0'"), "claims.pays"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_in_place_is_refused(text, id_):
    """With what to write by hand; never a guess."""
    with pytest.raises(InputError, match=f"x.toml: '{id_}' has no table .*put of = "):
        recorded("x.toml", text, digests(text, id_))


def test_the_order_of_verdicts_does_not_matter():
    """Their texts do."""
    assert (
        wordings_hash({"a": "x", "b": "y"})
        == wordings_hash({"b": "y", "a": "x"})
        != wordings_hash({"a": "y", "b": "x"})
    )


def test_verdicts_are_of_the_published_result_and_of_quoted_figures(make_result):
    """Without a result only quoted figures say anything."""
    claims = parse(ClaimFile, tomllib.loads(TEXT), where="x.toml").claims
    quoted = {"000.rate": Value(number=0.8, unit="fraction", kind="quoted")}
    without, with_ = verdicts_under(claims, None, quoted), verdicts_under(claims, make_result(gain=1.2), quoted)

    assert [without(name) for name in ("pays", "quoted", "best.c1", "nothing")] == [None, "holds", None, None]
    assert [with_(name) for name in ("pays", "quoted", "best.c1", "nothing")] == ["holds", "holds", "off", None]


@pytest.mark.parametrize("of", ["XYZ", ""])
def test_a_key_that_is_no_hash_is_refused(of):
    """With the file and what it is."""
    with pytest.raises(InputError, match="x.toml: claims.pays.of is"):
        read(TEXT.replace("[claims.pays.vi]   # a remark", f'[claims.pays.vi]\nof = "{of}"'))


def test_a_verdict_of_a_profile_is_its_own():
    """A profile that nothing is known of has none."""
    said = verdicts_by_profile(lambda name: f"leads {name}", {"other": lambda name: f"other {name}"})

    assert [said("best.c1"), said("other:best.c1"), said("none:a")] == ["leads best.c1", "other best.c1", None]
