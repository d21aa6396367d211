"""Where links of a site lead, from its texts."""

import pytest

from specwiki.core.addresses import Addresses
from specwiki.core.links import broken_links, outside_links, read_html, read_markdown, read_sitemap

FILES = ["index.html", "en/index.html", "en/depth/index.html", "en/depth/index.md", "en/data/v.csv", "en/a b.html"]
DEEP = Addresses("https://example.org/deep/er/")


def broken(file, link, at=Addresses(), html='<h2 id="charts">x</h2><a name="old">y</a>'):  # noqa: B008 - frozen
    """Why a link of a file leads nowhere; None: it leads somewhere."""
    documents = {name: read_html(html) for name in FILES if name.endswith(".html")}
    documents[file] = read_html(f'<a href="{link}">x</a>{html}')
    found = broken_links(documents, FILES, at)
    assert all((one.file, one.link) == (file, link) for one in found)
    return found[0].why if found else None


@pytest.mark.parametrize("at", [Addresses(), DEEP], ids=["unknown", "deep"])
@pytest.mark.parametrize(
    "link",
    [
        "", "#", "#charts", "#old", "#charts:~:text=x", "../", "../..", "../depth/", "../depth", "./index.html",
        "../depth/#charts", "../depth/?a=1#charts", "index.md", "index.md#whatever", "../data/v.csv", "../a%20b.html",
        "mailto:x@example.org", "data:,", "javascript:void(0)", "https://example.com/", "//example.com/x",
        "https://example.org/other/",
    ],
)  # fmt: skip
def test_links_that_lead_somewhere(at, link):
    """Or to somebody else, which is not looked at; also from a deep page, and wherever the site stands."""
    assert broken("en/depth/index.html", link, at) is None


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("x.html", "there is no file for 'en/depth/x.html'"),
        ("../drafters/", "there is no file for 'en/drafters/'"),
        ("../data/", "there is no file for 'en/data/'"),
        ("depth.md", "there is no file for 'en/depth/depth.md'"),
        ("#nowhere", "'en/depth/index.html' has no id 'nowhere'"),
        ("../#nowhere", "'en/index.html' has no id 'nowhere'"),
        ("#bi%E1%BB%83u", "'en/depth/index.html' has no id 'biểu'"),
        ("http://[x/", "it cannot be read as an address"),
    ],
)
def test_links_that_lead_nowhere(link, why):
    """With what is not there."""
    assert broken("en/depth/index.html", link) == why


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("/deep/er/en/depth/", None),
        ("https://example.org/deep/er/en/depth/#charts", None),
        ("/en/depth/", "it leads to /en/depth/, past the site, which stands at /deep/er/"),
        ("/", "it leads to /, past the site, which stands at /deep/er/"),
        ("https://example.org/deep/er/vi/", "there is no file for 'vi/'"),
        ("../../../x", "it leads to /deep/x, past the site, which stands at /deep/er/"),
    ],
)
def test_below_a_folder(link, why):
    """A path from the root of the host misses the site; a whole address is checked where it is the site's own."""
    assert broken("en/depth/index.html", link, DEEP) == why


def test_everything_in_a_page_that_leads_somewhere():
    """Elements, head, data; once each; nothing in drawings and scripts."""
    page = read_html("""
        <link rel="alternate " hreflang="vi" href="a"><script src="b"></script><img src="c" srcset="d 1x, e 2x">
        <meta http-equiv="refresh" content="0; url=f"><form action="g"></form><object data="h"></object>
        <a href="a">x</a>
        <svg><a href="no"/><g id="in-svg"></g></svg><script>var x = '<a href="no">'</script><!-- <a href="no"> -->
        <script type="application/ld+json">{"@context": "https://no.org/", "url": "/i/",
        "d": [{"u": "https://j.org/k", "n": 1}], "name": "no such"}</script>
        <script type="application/json">["no"]</script>
        <script id="__config" type="application/json">{"base": "..", "search": "l.js"}</script>
        <a href="&#109;&amp;n">x</a>
    """)

    assert page.links == ("a", "b", "c", "d", "e", "f", "g", "h", "/i/", "https://j.org/k", "l.js", "m&n")
    assert page.ids == {"in-svg", "__config"}


def test_links_of_plain_markdown():
    """Of text, and addresses that stand bare; none in code, and no path in prose: a log is full of them."""
    page = read_markdown(
        "> EN: /en/depth/ · VI: https://example.org/vi/depth/ · lang: en\n\n[a](b.md) `[no](no)` <https://c.org/d>\n"
        "See https://e.org/f. Not /usr/lib/x. [w](https://w.org/X_(y)) (https://v.org/a&#95;b).\n\n"
        "```sh\n[no](no)\n```\n\n    [no](no)\n\n[g](h#i)\n"
    )

    assert page.links == (
        "b.md", "https://w.org/X_(y)", "h#i", "/en/depth/", "https://example.org/vi/depth/", "https://c.org/d",
        "https://e.org/f", "https://v.org/a_b",
    )  # fmt: skip
    assert page.ids is None


def test_addresses_of_a_sitemap():
    """Of each page, in each language."""
    page = read_sitemap(
        '<urlset xmlns="http://no.org"><url><loc> a </loc><xhtml:link rel="x" href="b"/></url></urlset>'
    )

    assert page.links == ("a", "b")


def test_links_to_others():
    """Each once, without its fragment, with the files that have it; none of the site's own, none of other schemes."""
    documents = {
        "en/index.html": read_html(
            '<a href="https://a.org/x#1"></a><a href="https://a.org/x#2"></a><a href="/deep/er/en/"></a>'
            '<a href="mailto:a@b"></a><a href="//b.org/"></a><a href="https://example.org/deep/er/vi/"></a>'
        ),
        "en/llms.txt": read_markdown("[x](https://a.org/x)"),
    }

    assert outside_links(documents, DEEP) == {
        "https://a.org/x": ["en/index.html", "en/llms.txt"],
        "https://b.org/": ["en/index.html"],
    }


@pytest.mark.parametrize("kind", ["application/ld+json", "application/json"])
def test_data_that_is_no_json(kind):
    """Nobody could read the addresses in it, so it is told like a link that leads nowhere."""
    page = read_html(f'<script type="{kind}">{{&quot;url&quot;: 1}}</script><a href="nowhere">x</a>')
    found = broken_links({"en/index.html": page}, FILES, DEEP)

    assert [(one.link, one.why) for one in found] == [
        (None, f"data of the type {kind} in it is no JSON"), ("nowhere", "there is no file for 'en/nowhere'"),
    ]  # fmt: skip
