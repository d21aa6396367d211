"""Addresses of others: whether they answer. Asks for each once, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import httpx

AT_ONCE = 8
"""Requests under way at a time."""
TIMEOUT_S = 20.0
MOST_REDIRECTS = 10
_NO_HEAD = range(400, 600)
"""Some servers refuse HEAD, or answer it wrongly, with any of these: then GET decides."""
_AGENT = "specwiki-check (looks whether a link still leads somewhere)"


@dataclass(frozen=True)
class Answer:
    """What an address answered.

    Attributes:
        address: That was asked for.
        state: `ok`; `moved`: it leads elsewhere for good, and the page should name that; `failed`.
        what: Of `moved` the new address, of `failed` the reason; empty otherwise.
    """

    address: str
    state: Literal["ok", "moved", "failed"]
    what: str = ""


def ask(addresses: Iterable[str], *, timeout_s: float = TIMEOUT_S) -> list[Answer]:
    """Ask for each address, in the order given; at most one request at a time to the same host.

    Args:
        addresses: Of http or https.
        timeout_s: For each connection and each answer.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:  # its own event loop, whatever runs in the caller's thread
        return thread.submit(asyncio.run, _ask_all(list(addresses), timeout_s)).result()


async def _ask_all(addresses: list[str], timeout_s: float) -> list[Answer]:
    several = asyncio.Semaphore(AT_ONCE)
    hosts = {urlsplit(address).netloc: asyncio.Lock() for address in addresses}
    async with httpx.AsyncClient(
        timeout=timeout_s, follow_redirects=True, max_redirects=MOST_REDIRECTS, headers={"User-Agent": _AGENT}
    ) as client:

        async def one(address: str) -> Answer:
            async with hosts[urlsplit(address).netloc], several:
                return await _asked(client, address, timeout_s)

        return list(await asyncio.gather(*(one(address) for address in addresses)))


async def _asked(client: httpx.AsyncClient, address: str, timeout_s: float) -> Answer:
    try:
        answer = await client.head(address)
        if answer.status_code in _NO_HEAD:
            # Only its beginning: whether it is there is all that is asked.
            async with client.stream("GET", address) as answer:
                pass
    except httpx.TimeoutException:
        return Answer(address, "failed", f"no answer within {timeout_s:g} s")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as failure:
        return Answer(address, "failed", str(failure) or type(failure).__name__)
    if answer.is_error:
        return Answer(address, "failed", f"HTTP {answer.status_code}")
    for_good = bool(answer.history) and all(step.status_code in {301, 308} for step in answer.history)
    return Answer(address, "moved", str(answer.url)) if for_good else Answer(address, "ok")
