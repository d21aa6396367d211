"""What a search engine is told about a page's result: a schema.org Dataset as JSON-LD."""

from __future__ import annotations

import json

from specwiki.core.result import Result
from specwiki.render.pages import PageSource

LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"
VOCABULARY = "https://schema.org/"


def dataset_json(result: Result, page: PageSource, base: str, folder: str) -> str:
    """The result as a dataset, safe inside a script element.

    Args:
        result: Published, or this machine's.
        page: The page that shows it.
        base: Address of the language's root; ends with a slash.
        folder: Of the downloads below it; ends with a slash.
    """
    content = {
        "@context": VOCABULARY,
        "@type": "Dataset",
        "name": page.title,
        "description": page.description,
        "inLanguage": page.lang,
        "url": base + page.address,
        "license": LICENCE,
        "dateModified": result.as_of.isoformat(),
        "expires": result.good_until.isoformat(),
        "version": f"{result.run_id}-{result.derivation}",
        "variableMeasured": sorted({key.split(".")[0] for key in result.values}),
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": kind, "contentUrl": f"{base}{folder}{name}"}
            for name, kind in (("values.csv", "text/csv"), ("result.json", "application/json"))
        ],
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
