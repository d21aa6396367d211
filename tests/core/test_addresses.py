"""Where a site stands, as the environment says."""

import pytest

from specwiki.core.addresses import Addresses, addresses_in
from specwiki.errors import InputError, ProblemsError


def read(en, vi):
    """Of two variables."""
    return addresses_in({"SPECWIKI_SITE_EN": en, "SPECWIKI_SITE_VI": vi, "HOME": "/x"})


@pytest.mark.parametrize(
    ("above", "path"),
    [("https://example.org/", "/"), ("https://example.org/deep/er/", "/deep/er/"), ("http://127.0.0.1:8000/w/", "/w/")],
)
def test_both_languages_in_one_folder(above, path):
    """Of any host, at any depth."""
    found = read(f"{above}en/", f"{above}vi/")

    assert (found.above, found.path) == (above, path)
    assert (found.of("en"), found.of("vi")) == (f"{above}en/", f"{above}vi/")


@pytest.mark.parametrize("variables", [{}, {"SPECWIKI_SITE_EN": "", "SPECWIKI_SITE_VI": ""}])
def test_nobody_said(variables):
    """Then addresses begin at the root of a host that is not known."""
    assert addresses_in(variables) == Addresses("/")
    assert addresses_in(variables).of("vi") == "/vi/"


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("", "'' is empty while the other language has an address"),
        ("/wiki/vi/", "'/wiki/vi/' has no host"),
        ("ftp://example.org/vi/", "has no host"),
        ("https://example.org/wiki/vi", "does not end with /vi/"),
        ("https://example.org/wiki/en/", "does not end with /vi/"),
        ("https://example.org/avi/", "does not end with /vi/"),
        ("https://example.org/wiki/vi/?a=1/vi/", "has more in it than an address of a folder"),
        ('https://example.org/"><script>/vi/', "has more in it than an address of a folder"),
        ("https://example.org/a b/vi/", "has more in it than an address of a folder"),
        ("https://[example/vi/", "cannot be read as an address"),
    ],
)
def test_what_is_no_address_of_a_language(address, says):
    """With the variable, the value, and an example."""
    with pytest.raises(InputError) as caught:
        read("https://example.org/wiki/en/", address)

    assert str(caught.value).startswith("SPECWIKI_SITE_VI: ")
    assert f"{says}, expected something like https://example.org/wiki/vi/. Set both variables, or none." in str(
        caught.value
    )


def test_both_are_told():
    """Not only the first."""
    with pytest.raises(ProblemsError) as caught:
        read("x", "y")

    assert [one.where for one in caught.value.problems] == ["SPECWIKI_SITE_EN", "SPECWIKI_SITE_VI"]


def test_two_folders():
    """Pages of the two languages link to each other, and there is one page to choose."""
    with pytest.raises(InputError, match=r"is not beside 'https://a\.org/en/', expected 'https://a\.org/vi/'"):
        read("https://a.org/en/", "https://b.org/vi/")
