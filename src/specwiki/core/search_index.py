"""MkDocs' search index with the words that a reader types: without diacritics, and with them decomposed."""

from __future__ import annotations

import json
import re
import unicodedata
from html import unescape

FIELD = "folded"
"""Named in `mkdocs.yml` too, where it is worth less than title and text."""

_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[^\W_]+")


def with_folded_words(index: str) -> str:
    """Add to every section the forms of its words that its own text does not have.

    Vietnamese is typed without diacritics (`do tre` for `độ trễ`), and some keyboards send a letter and its marks one
    after another; the index itself has composed letters.

    Args:
        index: `search_index.json` as MkDocs writes it.
    """
    content = json.loads(index)
    for section in content["docs"]:
        words = set(_WORD.findall(unescape(_TAG.sub(" ", f"{section['title']} {section['text']}")).lower()))
        forms = {form for word in words for form in (folded(word), unicodedata.normalize("NFD", word))}
        section[FIELD] = " ".join(sorted(forms - words))
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def without_sections(index: str) -> str:
    """The same index, of no page: what the search is set up with until somebody types."""
    return json.dumps(json.loads(index) | {"docs": []}, ensure_ascii=False, separators=(",", ":"))


def folded(text: str) -> str:
    """Without diacritics: letters that carry marks lose them, and đ becomes d."""
    apart = unicodedata.normalize("NFD", text)
    bare = "".join(one for one in apart if not unicodedata.combining(one))
    return bare.replace("đ", "d").replace("Đ", "D")
