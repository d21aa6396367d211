"""The site builds from stored results alone."""

import subprocess
import sys

ENGINE_SIDE = ("httpx", "papermill", "jupytext", "psutil", "prometheus_client", "torch", "vllm")


def test_building_the_site_loads_nothing_that_measures():
    """`pip install specwiki[site]` has none of it."""
    code = f"""
import sys
for name in {ENGINE_SIDE!r}:
    sys.modules[name] = None
import specwiki.study.site
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert ended.returncode == 0, ended.stderr
