"""What search engines are told about the whole site: which pages are one in two languages, where they are listed."""

from __future__ import annotations

from specwiki.core.addresses import Addresses
from specwiki.units import LANGS


def robots_text(addresses: Addresses) -> str:
    """`robots.txt`: everything may be read; with the sitemap of each language where the site has an address."""
    lines = ["User-agent: *", "Allow: /"]
    if addresses.host:
        lines += ["", *(f"Sitemap: {addresses.of(lang)}sitemap.xml" for lang in LANGS)]
    return "\n".join(lines) + "\n"


def with_languages(html: str, addresses: Addresses) -> str:
    """The page above both languages with links, in its head, to the home page of each and to itself.

    The home pages name it as the page for readers of other languages, and search engines believe that only of a page
    that names them too. The links need an address, so without one the page stays as it is.
    """
    if not addresses.host:
        return html
    links = [*((str(lang), addresses.of(lang)) for lang in LANGS), ("x-default", addresses.above)]
    told = "".join(f'<link rel="alternate" hreflang="{code}" href="{address}">\n' for code, address in links)
    return html.replace("</head>", f"{told}</head>", 1)
