"""A wiki about speculative decoding on vLLM whose numbers re-run themselves.

The names below are what notebooks may use. They are loaded on first use: vLLM's processes import this package for
`specwiki.vllm_ext` and need none of them.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "Lab": "specwiki.study.lab",
    "drafter_chart": "specwiki.render.charts",
    "kind_chart": "specwiki.render.charts",
    "open_lab": "specwiki.study.lab",
    "position_chart": "specwiki.render.charts",
    "ratio_chart": "specwiki.render.charts",
    "show_chart": "specwiki.study.lab",
}
__all__ = ["__version__", *sorted(_PUBLIC)]  # noqa: PLE0604 - names of the table above


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        msg = f"module 'specwiki' has no attribute '{name}'"
        raise AttributeError(msg)
    return getattr(importlib.import_module(_PUBLIC[name]), name)
