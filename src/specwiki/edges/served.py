"""What a running server says that it was started as."""

from __future__ import annotations

import httpx

from specwiki.errors import EngineError

TIMEOUT_S = 60.0
"""vLLM looks at the whole host before it answers."""


def served_speculation(url: str) -> dict[str, object] | None:
    """The speculative config that a running server reports; None: it does not speculate.

    Raises:
        EngineError: If it does not report its config.
    """
    try:
        answer = httpx.get(f"{url}/server_info", params={"config_format": "json"}, trust_env=False, timeout=TIMEOUT_S)
        found: dict[str, object] | None = answer.json()["vllm_config"]["speculative_config"]
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as failure:
        raise EngineError(
            "engine", f"/server_info does not tell its config ({failure!r})", "Start it with VLLM_SERVER_DEV_MODE=1"
        ) from failure
    return found
