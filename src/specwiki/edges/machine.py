"""What this host is: cores, memory, processor, and the label that results are filed under. Never its name."""

from __future__ import annotations

import os
import platform
import re
import tomllib
from pathlib import Path

GIB = 1024**3
BFLOAT16_FLAGS = frozenset({"avx512bw", "avx_ne_convert"})
"""Flags of x86 processors on which oneDNN, vLLM's library there, multiplies matrices in bfloat16: AVX-512 and AVX2 with
bfloat16 (its `dnnl::cpu_isa`: avx512_core, avx2_vnni_2)."""


def cpu_model() -> str:
    """The processor's name as the kernel gives it, or `unknown CPU`."""
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return " ".join(line.split(":", 1)[1].split())
    return "unknown CPU"


def multiplies_bfloat16() -> bool:
    """Whether vLLM has fast bfloat16 here: without the instructions for it, it is several times slower than float32."""
    return platform.machine() != "x86_64" or has_bfloat16(_read("/proc/cpuinfo"))


def has_bfloat16(cpuinfo: str) -> bool:
    """Whether an x86 processor, by the kernel's text about it, has the instructions; True where it does not tell.

    >>> has_bfloat16("flags : fpu avx avx2")
    False
    >>> has_bfloat16("flags : fpu avx2 avx512f avx512bw")
    True
    """
    flags = next((line.split(":", 1)[1].split() for line in cpuinfo.splitlines() if line.startswith("flags")), None)
    return flags is None or not BFLOAT16_FLAGS.isdisjoint(flags)


def core_count() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0))


def memory_gib() -> int:
    """Memory of the host in GiB, rounded; firmware keeps a part, so 23.5 reads 24."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return round(total / GIB)


def machine_label(local_folder: Path, profile_label: str | None) -> str:
    """Label of this machine: the profile's, the one in `machine.toml`, or made from cores, CPU and memory.

    Args:
        local_folder: `.specwiki`, where `machine.toml` may say `label = "…"`.
        profile_label: From the profile; None: it has none.

    Returns:
        For example `2-core-xeon-24g`.
    """
    if profile_label:
        return profile_label
    written = local_folder / "machine.toml"
    if written.exists():
        return str(tomllib.loads(written.read_text(encoding="utf-8"))["label"])
    return f"{core_count()}-core-{short_cpu_name(cpu_model())}-{memory_gib()}g"


def short_cpu_name(model: str) -> str:
    """The one word of a processor's name that tells its family.

    >>> short_cpu_name("Intel(R) Xeon(R) Processor @ 2.00GHz")
    'xeon'
    >>> short_cpu_name("AMD EPYC 7B13")
    'epyc'
    """
    words = re.findall(r"[a-z]{3,}", re.sub(r"\((r|tm|c)\)", " ", model.lower()))
    maker = {"intel", "amd", "arm", "cpu", "processor", "core", "virtual", "with", "generation", "gen", "unknown"}
    return next((word for word in words if word not in maker), "cpu")


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
