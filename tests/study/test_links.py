"""Links of a built site, with the real MkDocs: below a folder of a host, and broken ones."""

from __future__ import annotations

import json
import re
import threading
import xml.etree.ElementTree as ET
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup

from specwiki.errors import CheckError, InputError, SpecwikiError
from specwiki.study.outside import check_outside
from specwiki.study.site import build_site, render_site, site_is_current

ABOVE = "https://example.org/deep/er/"


@pytest.fixture
def below(monkeypatch):
    """The site will stand below a folder."""
    for lang in ("en", "vi"):
        monkeypatch.setenv(f"SPECWIKI_SITE_{lang.upper()}", f"{ABOVE}{lang}/")


def append(project, name, text):
    """Add to a page's source."""
    path = project.docs / name
    path.write_text(path.read_text("utf-8") + text, encoding="utf-8")


def in_page(html):
    """Kind and address of everything in a page that leads somewhere; read by another parser than the build's own."""
    page = BeautifulSoup(html, "html.parser")
    for kind in ("href", "src"):
        yield from ((kind, element[kind]) for element in page.find_all(attrs={kind: True}))
    yield from (("alternate", element["href"]) for element in page.find_all("link", hreflang=True))
    for data in page.find_all("script", type="application/ld+json"):
        yield from (("jsonld", link) for link in re.findall(r'"(https?://example[^"]+|/[^"]*)"', data.string))
    yield from (("search", json.loads(data.string)["search"]) for data in page.find_all("script", id="__config"))


def beside_pages(site, lang):
    """The same of a language's sitemap and list of pages, with the file that has it."""
    for element in ET.parse(site / lang / "sitemap.xml").iter():
        if element.tag.endswith("}loc") or element.get("href"):
            yield f"{lang}/sitemap.xml", "sitemap", element.get("href") or element.text
    for link in re.findall(r"\]\((.+?)\)", (site / lang / "llms.txt").read_text("utf-8")):
        yield f"{lang}/llms.txt", "list", link


def is_missing(site, page, link):
    """Whether a link leads past the site on its host, or to no file of it."""
    address = urljoin(ABOVE + page, link)
    parts = urlsplit(address)
    if parts.netloc != "example.org":
        return False
    path = site / unquote(parts.path.removeprefix("/deep/er/"))
    return not address.startswith(ABOVE) or not (path / "index.html" if parts.path.endswith("/") else path).is_file()


@pytest.mark.usefixtures("below")
def test_below_a_folder_everything_is_where_it_is_said_to_be(project, add, make_result):
    """Links, assets, languages, data, search, sitemap and lists: looked up in the folder, not by the build's check."""
    add(project.published, make_result(best="depth", gain=1.15))
    site = build_site(project)
    pages = {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    found = [(page, *one) for page, html in pages.items() for one in in_page(html)]
    found += [one for lang in ("en", "vi") for one in beside_pages(site, lang)]

    assert {kind for _, kind, _ in found} == {"href", "src", "alternate", "jsonld", "search", "sitemap", "list"}
    assert [(page, link) for page, _, link in found if is_missing(site, page, link)] == []
    whole = [link for _, kind, link in found if kind in {"alternate", "jsonld", "sitemap", "list"}]
    assert all(link.startswith((ABOVE, "https://www.apache.org/")) for link in whole)
    for lang in ("en", "vi"):
        assert (f"{lang}/llms.txt", "list", f"{ABOVE}{lang}/values.json") in found
        assert ("404.html", "href", f"/deep/er/{lang}/") in found
    assert is_missing(site, "en/index.html", "/en/")
    assert is_missing(site, "en/index.html", "nowhere/")


def test_what_a_reader_chose_is_kept_apart_from_other_sites(project, monkeypatch):
    """Of one host: by the folder in which both languages are, not by the host's root."""
    for above in ("https://example.org/one/", "https://example.org/two/"):
        for lang in ("en", "vi"):
            monkeypatch.setenv(f"SPECWIKI_SITE_{lang.upper()}", f"{above}{lang}/")
        site = build_site(project)
        pages = [(site / name).read_text("utf-8") for name in ("en/index.html", "vi/depth/index.html")]
        assert [re.findall(r'__md_scope=new URL\("(.*?)"', page) for page in pages] == [[urlsplit(above).path]] * 2


def test_another_address_is_another_site(project, monkeypatch):
    """It is built again, though no file changed."""
    build_site(project)
    assert site_is_current(project)
    for lang in ("en", "vi"):
        monkeypatch.setenv(f"SPECWIKI_SITE_{lang.upper()}", f"{ABOVE}{lang}/")

    assert not site_is_current(project)


def test_an_address_that_is_none_stops_everything(project, monkeypatch):
    """Before anything is rendered."""
    monkeypatch.setenv("SPECWIKI_SITE_EN", "example.org/en")

    with pytest.raises(SpecwikiError) as caught:
        render_site(project)
    assert [one.where for one in caught.value.problems] == ["SPECWIKI_SITE_EN", "SPECWIKI_SITE_VI"]
    assert not project.pages.exists()


def test_links_that_mkdocs_does_not_look_at_stop_the_build(project, add, make_result):
    """In HTML, to a fragment, to a path of the host, in the page above both; all are told, and the old site stays."""
    add(project.published, make_result())
    site = build_site(project)
    append(project, "en/index.md", '\n<p><a href="nowhere/">x</a> <img src="no.png" alt="x"></p>\n')
    append(project, "vi/depth.md", '\n<p><a href="#nothing">x</a></p>\n\n[x](index.md#nothing)\n')
    root = project.docs / "root" / "index.html"
    root.write_text(root.read_text("utf-8").replace('href="vi/"', 'href="vn/"'), "utf-8")

    with pytest.raises(SpecwikiError) as caught:
        build_site(project)

    problems = [str(one) for one in caught.value.problems]
    assert all(isinstance(one, CheckError) for one in caught.value.problems)
    assert {one.partition(". Correct")[0] for one in problems} >= {
        "site/en/index.html: the link 'nowhere/': there is no file for 'en/nowhere/'",
        "site/en/index.html: the link 'no.png': there is no file for 'en/no.png'",
        "site/vi/depth/index.html: the link '#nothing': 'vi/depth/index.html' has no id 'nothing'",
        "site/vi/depth/index.html: the link '../#nothing': 'vi/index.html' has no id 'nothing'",
        "site/index.html: the link 'vn/': there is no file for 'vn/'",
    }
    assert "nowhere" not in (site / "en" / "index.html").read_text("utf-8")
    assert not list(project.root.glob(".site*"))


def test_links_of_a_pages_markdown_lead_to_what_is_there(project, add, make_result):
    """To the other page's Markdown where it has one, else to the page; downloads and code stay what they are."""
    add(project.published, make_result())
    append(project, "en/depth.md", "\n[a](index.md#pair) [b](synthetic.md) [c](https://c.org/) `[d](index.md)`\n")
    text = (build_site(project) / "en" / "depth" / "index.md").read_text("utf-8")

    assert "[a](/en/index.md#pair) [b](/en/synthetic/index.md) [c](https://c.org/) `[d](index.md)`" in text
    assert "](/en/data/depth/published/values.csv)" in text
    assert re.search(r"\]\(/en/notebooks/depth-published/(index\.md)?\)", text)


@pytest.fixture
def elsewhere():
    """A server that has one page and has moved another."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_response({"/here": 200, "/old": 301}.get(self.path, 404))
            self.send_header("Location", "/here")
            self.end_headers()

        do_GET = do_HEAD  # noqa: N815 - the name is the library's

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_links_to_others_are_asked_for(project, elsewhere):
    """Those that do not answer are told with every page that has them, those that moved are noted."""
    build_site(project)
    for path in project.site.rglob("*.html"):
        path.write_text(re.sub(r'"https?://[^"]*"', '""', path.read_text("utf-8")), "utf-8")
    for name in ("en", "vi"):
        path = project.site / name / "index.html"
        links = "".join(f'<a href="{elsewhere}/{one}">x</a>' for one in ("here", "old", "gone"))
        path.write_text(path.read_text("utf-8") + links, "utf-8")
    found = check_outside(project)

    assert [str(one) for one in found.problems] == [
        f"site/en/index.html, site/vi/index.html: the link '{elsewhere}/gone': HTTP 404. Correct it, or remove it."
    ]
    assert found.text() == (
        f"site/en/index.html: '{elsewhere}/old' moved to '{elsewhere}/here'\n3 links to others, 1 do not answer"
    )


def test_without_a_site_there_is_nothing_to_ask_for(project):
    """It is said what to do."""
    with pytest.raises(InputError, match=r"there is no built site\. Run 'specwiki build' first"):
        check_outside(project)


def test_a_sites_own_addresses_are_nobody_elses(project, monkeypatch):
    """Also when it was built for an address that the environment does not say any more."""
    for lang in ("en", "vi"):
        monkeypatch.setenv(f"SPECWIKI_SITE_{lang.upper()}", f"http://127.0.0.1:9/{lang}/")
    build_site(project)
    for lang in ("en", "vi"):
        monkeypatch.delenv(f"SPECWIKI_SITE_{lang.upper()}")
    text = (project.site / "en" / "sitemap.xml").read_text("utf-8")

    assert "http://127.0.0.1:9/en/depth/" in text
    assert not [one for one in check_outside(project).problems if "127.0.0.1:9" in str(one)]


def test_a_link_that_all_pages_have_names_some_of_them(project):
    """And how many more there are."""
    for i in range(5):
        path = project.site / f"{i}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text('<a href="http://127.0.0.1:9/x">x</a>', encoding="utf-8")
    (project.site / "index.html").write_text("x", encoding="utf-8")

    (problem,) = check_outside(project).problems
    assert problem.where == "site/0.html, site/1.html, site/2.html and 2 more"
