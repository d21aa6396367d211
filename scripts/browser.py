"""Make sure that a Chromium is there for the browser tests. Standard library only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"])


def main() -> int:
    """Find a browser, or install Debian's as root; otherwise say what to install and exit with 3."""
    if any(shutil.which(name) for name in NAMES):
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("installing chromium for the browser tests")
        done = [subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode for words in INSTALL]
        if done[-1] == 0:
            return 0
    print(
        f"error: browser: none of {', '.join(NAMES)} is installed, expected one for the browser tests. "
        "Install your system's chromium package, and run 'make test' again.",
        file=sys.stderr,
    )
    return 3


if __name__ == "__main__":
    sys.exit(main())
