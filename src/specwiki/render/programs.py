"""What stands beside the pages for programs: each page's Markdown, a list of pages, and data about the results."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from specwiki.render.dataset import dataset_json
from specwiki.render.evidence import Evidence
from specwiki.render.pages import PageSource
from specwiki.render.twins import llms_txt, twin, with_links
from specwiki.units import LANGS, Lang

BESIDE = "beside"
"""Folder of what is put beside the built pages, one folder a language in it."""
VALUES = "values.json"
CLUSTER = "speculative-decoding"
"""What the pages are about, as neighbouring wikis name their clusters."""

_SITE: dict[Lang, tuple[str, str, str]] = {
    "en": (
        "specwiki",
        "Speculative decoding on vLLM, measured: how deep to draft, with which drafter, and how sure that is.",
        "Every value, verdict and quoted figure",
    ),
    "vi": (
        "specwiki",
        "Giải mã suy đoán trên vLLM, đo thực tế: nháp sâu bao nhiêu, với mô hình nháp nào, và chắc chắn đến đâu.",
        "Mọi giá trị, kết luận và số trích dẫn",
    ),
}
"""Name and description of the site, and title of the file of values."""

_SECTIONS: dict[Lang, tuple[str, str]] = {"en": ("Pages", "Data"), "vi": ("Trang", "Dữ liệu")}
"""Headings of the list of pages; its third, `Optional`, is a word of the format."""


def with_dataset(page: PageSource, evidence: Evidence, experiment: str, base: str) -> PageSource:
    """A rendered page with what its head tells programs: of when its result is, and the result as a dataset.

    Args:
        page: Rendered.
        evidence: What it shows.
        experiment: Whose results these are.
        base: Address of the language's root.
    """
    front = {**page.front, "markdown": "index.md"}
    if evidence.main is not None:
        result = evidence.main.result
        folder = f"data/{experiment}/{evidence.main.origin}/"
        told = dataset_json(result, page, base, folder)
        front |= {"as_of": result.as_of.isoformat(), "jsonld": told}
    return replace(page, front=front)


def for_programs(pages: Sequence[PageSource], bases: Mapping[Lang, str]) -> dict[str, str]:
    """Files beside the built pages, by path: `<lang>/<page>/index.md` and `<lang>/llms.txt`.

    Args:
        pages: Rendered, with `with_dataset`; those in a folder list numbers, or are notebooks.
        bases: Address of each language's root; ends with a slash.
    """
    found: dict[str, str] = {}
    for lang in LANGS:
        mine = sorted((page for page in pages if page.lang == lang), key=lambda page: page.name != "index")
        names = {page.name for page in mine}
        for page in mine:
            addresses = [(other, bases[other] + page.address) for other in LANGS]
            as_of = page.front.get("as_of")
            facts = [f"lang: {lang}", *([f"as_of {as_of}"] if as_of else []), f"cluster {CLUSTER}"]
            text = twin(page.title, page.description, page.body, addresses, facts)
            found[f"{lang}/{page.address}index.md"] = with_links(text, _addressing(page.name, names, bases[lang]))
        name, description, values = _SITE[lang]
        main, more = ([(page.title, f"{bases[lang]}{page.address}index.md", page.description) for page in mine
                       if ("/" in page.name) == nested] for nested in (False, True))  # fmt: skip
        pages_word, data_word = _SECTIONS[lang]
        sections = {pages_word: main, data_word: [(values, bases[lang] + VALUES, "")], "Optional": more}
        found[f"{lang}/llms.txt"] = llms_txt(name, description, {key: one for key, one in sections.items() if one})
    return found


def _addressing(name: str, twins: Collection[str], base: str) -> Callable[[str], str]:
    """Turns a link of a page's source into a whole address: what it names lies elsewhere in the built site.

    Args:
        name: Of the page, from the language's root.
        twins: Names of the pages that have Markdown beside them; a link to one leads there.
        base: Address of the language's root; ends with a slash.
    """

    def address(link: str) -> str:
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|/|#", link):
            return link
        path, hash_, fragment = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        page = path.removesuffix(".md")
        if page == path:
            return base + path
        folder = page.removesuffix("index") if page == "index" or page.endswith("/index") else f"{page}/"
        return base + folder + ("index.md" if page in twins else "") + hash_ + fragment

    return address
