"""What search engines are told about the whole site."""

from specwiki.core.addresses import Addresses
from specwiki.core.crawlers import robots_text, with_languages

AT = Addresses("https://example.org/wiki/")


def test_robots_are_told_both_sitemaps_where_the_site_has_an_address():
    """A sitemap is named by its whole address, or not at all."""
    assert robots_text(AT) == (
        "User-agent: *\nAllow: /\n\n"
        "Sitemap: https://example.org/wiki/en/sitemap.xml\nSitemap: https://example.org/wiki/vi/sitemap.xml\n"
    )
    assert robots_text(Addresses()) == "User-agent: *\nAllow: /\n"


def test_the_page_above_both_languages_names_their_home_pages_and_itself():
    """Only where there is an address to name."""
    page = "<head><title>x</title></head><body></head></body>"

    assert with_languages(page, AT) == (
        "<head><title>x</title>"
        '<link rel="alternate" hreflang="en" href="https://example.org/wiki/en/">\n'
        '<link rel="alternate" hreflang="vi" href="https://example.org/wiki/vi/">\n'
        '<link rel="alternate" hreflang="x-default" href="https://example.org/wiki/">\n'
        "</head><body></head></body>"
    )
    assert with_languages(page, Addresses()) == page
