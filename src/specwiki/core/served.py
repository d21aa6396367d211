"""What a server was asked to be, and what it says that it is: a recipe is not evidence of what runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPARED = ("method", "num_speculative_tokens")
"""Parts of a speculative config by which results differ; a server fills in many more by itself."""


def differences(asked: Mapping[str, Any] | None, served: Mapping[str, Any] | None) -> list[str]:
    """Where the speculative config of a running server is not the one that was asked for.

    Args:
        asked: None: no speculation.
        served: As the server reports it; None: no speculation.

    Returns:
        A phrase for each difference, with both values; empty if there is none.
    """
    if asked is None or served is None:
        states = {True: "off", False: "on"}
        if (asked is None) == (served is None):
            return []
        return [f"speculation is {states[served is None]}, the profile asks for {states[asked is None]}"]
    return [
        f"{part} is {served.get(part)!r}, the profile asks for {asked[part]!r}"
        for part in COMPARED
        if served.get(part) != asked[part]
    ]
