"""What is done to the built pages after MkDocs, with the real MkDocs."""

import pytest

from specwiki.errors import SpecwikiError
from specwiki.study.site import build_site


def test_a_page_that_brings_a_script_stops_the_build_and_the_old_site_stays(project):
    """Every such page is named; no hash is given to what came with somebody's text."""
    build_site(project)
    for lang in ("en", "vi"):
        index = project.docs / lang / "index.md"
        index.write_text(index.read_text(encoding="utf-8") + "\n<script>alert(1)</script>\n", encoding="utf-8")

    with pytest.raises(SpecwikiError) as caught:
        build_site(project)

    assert str(caught.value).startswith("site/en/index.html: it has 'alert(1)' inline, expected only")
    assert "alert(1)" not in (project.site / "en" / "index.html").read_text(encoding="utf-8")
    assert not list(project.root.glob(".site*"))
