"""A vLLM server on this host: started, awaited, ended with everything it started."""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import platform
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from specwiki.core.model import Profile
from specwiki.errors import CrashError, EngineError

HOST = "127.0.0.1"
STOP_GRACE_S = 15.0
"""Between asking the process group to end and killing it; the engine's own grace period is shorter."""
LOG_TAIL_LINES = 12
LOG_LINE_LENGTH = 300
SEE_LOG = "See the engine's log"
POLL_S = 0.2


@dataclass(frozen=True)
class Cores:
    """Which cores the engine computes on, and which the client and the notebook use."""

    engine: tuple[int, ...]
    client: tuple[int, ...]

    @classmethod
    def of_this_process(cls) -> Cores:
        """Give the client the last allowed core and the engine the others; with one core, they share it."""
        allowed = tuple(sorted(os.sched_getaffinity(0)))
        if len(allowed) == 1:
            return cls(allowed, allowed)
        return cls(allowed[:-1], allowed[-1:])


@dataclass(frozen=True)
class Boot:
    """How one engine is started.

    Attributes:
        profile: The recipe.
        model: Folder or id of the target's weights.
        depths: Depths between which requests may switch; None: no speculative config at all (`off`).
        native_depth: Start at this one depth as vLLM itself does, with no switching; excludes `depths`.
        drafter_model: Folder or id of the drafter's weights, where it has any that the profile's options do not name.
        dtype: What to compute in, as in vLLM's `--dtype`; None: the profile's arguments or the model say.
        cores: Who computes where.
        log: File for everything that the engine prints.
    """

    profile: Profile
    model: str
    depths: tuple[int, ...] | None
    cores: Cores
    log: Path
    native_depth: int | None = None
    drafter_model: str | None = None
    dtype: str | None = None


class Engine:
    """A running server. Use `running` to get one."""

    def __init__(self, url: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.url = url
        self.process = process
        self.log = log

    def log_size(self) -> int:
        """Bytes that the engine has printed so far; where `log_since` would go on."""
        return self.log.stat().st_size

    def log_since(self, offset: int) -> str:
        """What the engine printed after `offset` bytes."""
        with self.log.open("rb") as handle:
            handle.seek(offset)
            return handle.read().decode(errors="replace")

    def log_tail(self) -> str:
        """The last lines that the engine printed, long ones cut."""
        with self.log.open(encoding="utf-8", errors="replace") as handle:
            return "\n".join(line.rstrip()[:LOG_LINE_LENGTH] for line in deque(handle, maxlen=LOG_TAIL_LINES))

    def ended_within(self, limit_s: float) -> bool:
        """Whether its process ends within so many seconds from now."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(limit_s)
        return self.process.returncode is not None

    def died(self) -> CrashError:
        """The error for an engine that ended by itself."""
        return CrashError("engine", f"it ended with exit code {self.process.poll()}, expected it to run", SEE_LOG)

    def with_log(self, failure: CrashError) -> CrashError:
        """The same error with the end of the engine's log."""
        tail = self.log_tail()
        what = f"{failure.what}; its log ends:\n{tail}\n" if tail else f"{failure.what}; its log is empty"
        return CrashError(failure.where, what, f"{failure.hint}; the whole log is in {self.log}")


def speculative_config(profile: Profile, depths: Sequence[int], drafter_model: str | None = None) -> dict[str, object]:
    """Build `--speculative-config` for one or more depths.

    Several depths need a schedule that names each of them: vLLM prepares itself for the depths of the schedule,
    and our scheduler sets which one is in force. The batch sizes in it are then never looked at.

    Args:
        profile: Its drafter and seats.
        depths: At least one above 0; more than one only with our scheduler.
        drafter_model: The drafter's weights; None: it has none, or the profile's options name them.
    """
    config: dict[str, object] = {
        "method": profile.drafter.method,
        "num_speculative_tokens": max(depths),
        **({} if drafter_model is None else {"model": drafter_model}),
        **profile.drafter.options,
    }
    if len(depths) > 1:
        named = sorted(set(depths))
        config["num_speculative_tokens_per_batch_size"] = [[i, i, depth] for i, depth in enumerate(named, start=1)]
    return config


def command(boot: Boot, port: int) -> list[str]:
    """The words that start the engine, without interpreter and launcher."""
    profile = boot.profile
    words = ["serve", boot.model, "--host", HOST, "--port", str(port)]
    words += ["--served-model-name", profile.target.name, "--max-model-len", str(profile.target.max_model_len)]
    words += ["--max-num-seqs", str(profile.seats), *profile.engine_args]
    words += [] if boot.dtype is None else ["--dtype", boot.dtype]
    if boot.native_depth is not None:
        words += [
            "--speculative-config",
            json.dumps(speculative_config(profile, [boot.native_depth], boot.drafter_model)),
        ]
    elif boot.depths is not None:
        words += ["--speculative-config", json.dumps(speculative_config(profile, boot.depths, boot.drafter_model))]
        words += ["--scheduler-cls", f"specwiki.vllm_ext.scheduler.{profile.drafter.scheduler}"]
    if boot.native_depth is not None or boot.depths is not None:
        words += ["--per-request-spec-decode-metrics", "detailed"]
    return words


def variables(boot: Boot) -> dict[str, str]:
    """What the engine's environment has besides this process's own: settings of vLLM's CPU build."""
    return {
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "VLLM_CPU_KVCACHE_SPACE": str(boot.profile.kv_cache_gib),
        "VLLM_CPU_OMP_THREADS_BIND": ",".join(str(core) for core in boot.cores.engine),
        "VLLM_NO_USAGE_STATS": "1",
        # For /reset_prefix_cache; the server listens on loopback only.
        "VLLM_SERVER_DEV_MODE": "1",
    }


def _environment(boot: Boot) -> dict[str, str]:
    """Raise `EngineError` on x86 if the OpenMP runtime that the CPU build must be started with is missing."""
    preloads = platform.machine() == "x86_64" and not boot.profile.command
    return {**os.environ, **variables(boot), **({"LD_PRELOAD": str(_openmp_library())} if preloads else {})}


def _openmp_library() -> Path:
    with suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files("intel-openmp") or []:
            if file.name == "libiomp5.so":
                return Path(str(file.locate())).resolve()
    raise EngineError("engine", "libiomp5.so is not installed, expected it beside vllm-cpu", "Run 'make engine'")


@contextmanager
def running(boot: Boot, lock: int | None = None, limit_s: float = math.inf) -> Iterator[Engine]:
    """Start an engine, wait until it answers, and end its whole process group in every way out.

    Args:
        boot: How to start it.
        lock: Descriptor of the host's engine lock, held until the last process of the engine has ended.
        limit_s: For the boot, where it is less than the profile's own limit.

    Yields:
        The engine, once `/health` answered.

    Raises:
        EngineError: If its port is taken, or it cannot be started at all.
        CrashError: If it ends, or does not answer in time; and what the caller raises of this kind while it uses
            the engine: each with the end of the engine's log.
    """
    port = boot.profile.port or _free_port()
    _check_port(port)
    boot.log.parent.mkdir(parents=True, exist_ok=True)
    read_end, write_end = os.pipe()
    handed = [read_end] if lock is None else [read_end, lock]
    words = [sys.executable, "-m", "specwiki.vllm_ext.launcher", str(read_end)]
    words += ["--", *boot.profile.command] if boot.profile.command else []
    words += command(boot, port)
    with boot.log.open("wb") as log:
        process = subprocess.Popen(
            words, env=_environment(boot), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            pass_fds=handed, start_new_session=True,
        )  # fmt: skip
    os.close(read_end)
    engine = Engine(f"http://{HOST}:{port}", process, boot.log)
    try:
        _await_health(engine, min(boot.profile.boot_timeout_s, limit_s))
        yield engine
    except CrashError as failure:
        raise engine.with_log(failure) from failure
    finally:
        os.close(write_end)
        _end_group(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as failure:
            raise EngineError(
                "engine", f"port {port} is taken, expected it free ({failure.strerror})",
                "Set another 'port' in the profile, or leave it out",
            ) from failure  # fmt: skip


def _await_health(engine: Engine, limit_s: float) -> None:
    import httpx  # noqa: PLC0415 - who builds the site asks only how an engine would be started

    until = time.monotonic() + limit_s
    with httpx.Client(trust_env=False, timeout=5.0) as client:
        while time.monotonic() < until:
            if engine.process.poll() is not None:
                raise engine.died()
            with suppress(httpx.TransportError):
                if client.get(f"{engine.url}/health").is_success:
                    return
            time.sleep(POLL_S)
    raise CrashError(
        "engine",
        f"no answer from /health within {limit_s:.3g} s",
        "Raise 'boot_timeout_s' in the profile if the host is slow",
    )


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Wait for the group to follow its leash's end, then kill what is left."""
    until = time.monotonic() + STOP_GRACE_S
    while time.monotonic() < until:
        process.poll()
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def version(profile: Profile) -> str:
    """Name and version of the engine that a profile starts, e.g. `vllm-cpu 0.32.0`, or its own command.

    Raises:
        EngineError: If the profile has no command of its own, and none is installed.
    """
    return " ".join(profile.command) or installed_version()


def installed_version() -> str:
    """Name and version of the installed engine, e.g. `vllm-cpu 0.32.0`.

    Raises:
        EngineError: If none is installed.
    """
    for name in ("vllm", "vllm-cpu"):
        with suppress(importlib.metadata.PackageNotFoundError):
            return f"{name} {importlib.metadata.version(name)}"
    raise EngineError("engine", "neither vllm nor vllm-cpu is installed", "Run 'make engine'")
