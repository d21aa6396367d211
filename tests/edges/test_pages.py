"""Page sources in, rendered pages out."""

import shutil

import pytest

from specwiki.edges.pages import read_claims, read_quoted, read_raw, read_sources, write_pages
from specwiki.errors import InputError, SpecwikiError


def test_every_page_is_read_in_both_languages(project):
    """In order."""
    found = read_sources(project.docs)

    assert list(found)[:2] == [("depth", "en"), ("depth", "vi")]


def test_a_page_that_lacks_a_language_is_named(project):
    """So are all others with a problem."""
    (project.docs / "vi" / "depth.md").unlink()
    (project.docs / "en" / "index.md").write_bytes(b"\xff\xfe")

    with pytest.raises(SpecwikiError) as caught:
        read_sources(project.docs)

    problems = [str(one) for one in caught.value.problems]
    assert any("vi/depth.md" in one and "not there in this language" in one for one in problems)
    assert any("en/index.md" in one and "not UTF-8" in one for one in problems)


def test_a_folder_without_pages_is_an_error(tmp_path):
    """Not an empty site."""
    with pytest.raises(InputError, match="there are no pages"):
        read_sources(tmp_path)


def test_two_files_must_not_define_one_claim(project):
    """The second one would win in silence."""
    claims = project.docs / "claims"
    shutil.copyfile(claims / "pair.toml", claims / "twice.toml")

    with pytest.raises(InputError, match=r"twice\.toml: 'pair-.*' is in another file"):
        read_claims(project.docs)


def test_a_broken_claims_file_is_named(project):
    """With the place."""
    (project.docs / "claims" / "x.toml").write_text("[claims", encoding="utf-8")

    with pytest.raises(InputError, match=r"x\.toml: it is not TOML"):
        read_claims(project.docs)


def test_a_quoted_file_is_named_after_its_seed(project):
    """Keys begin with the seed."""
    (project.quoted / "000.toml").rename(project.quoted / "002.toml")

    with pytest.raises(InputError, match="seed is '000', expected '002'"):
        read_quoted(project.quoted)


def test_pages_replace_those_that_were_there(tmp_path):
    """A page that is gone is gone."""
    write_pages(tmp_path / "pages", {"en/old.md": "x"})
    written = write_pages(tmp_path / "pages", {"en/new.md": "y"})

    assert [path.name for path in written] == ["new.md"]
    assert [path.name for path in (tmp_path / "pages").rglob("*.md")] == ["new.md"]
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


def test_a_failure_leaves_the_old_pages(tmp_path):
    """Half-written ones are removed."""
    write_pages(tmp_path / "pages", {"en/old.md": "x"})

    with pytest.raises(InputError, match="cannot be written"):
        write_pages(tmp_path / "pages", {"en/new.md": "y", f"en/{'n' * 300}.md": "z"})

    assert [path.name for path in tmp_path.rglob("*.md")] == ["old.md"]


def test_a_raw_file_keeps_its_line_ends(tmp_path):
    """And is refused when it is not UTF-8."""
    path = tmp_path / "page.md"
    path.write_bytes(b"a\r\nb\rc\n")
    assert read_raw(path) == "a\r\nb\rc\n"
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_raw(path)
