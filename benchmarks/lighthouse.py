"""Print Lighthouse's mobile figures of the built site, served as a static host would: compressed, with its types.

Usage: make site && .venv/bin/python benchmarks/lighthouse.py [SITE]
Needs Chromium and npm's npx, which fetches Lighthouse. Nothing else should run meanwhile: performance is measured in
time, so on a busy machine its figure is a lower bound. The other three do not depend on the machine.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIGHTHOUSE = "lighthouse@12.8.2"
PAGES = ("", "depth/", "drafters/")
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TEXT = (".html", ".css", ".js", ".json", ".md", ".svg", ".txt", ".xml", ".csv")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class StaticHost(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, text compressed, to be kept for ten minutes: what GitHub Pages answers."""

    protocol_version = "HTTP/1.1"
    extensions_map = {  # noqa: RUF012 - as the class that it overrides has it
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".md": "text/markdown; charset=utf-8",
    }

    def do_GET(self) -> None:
        """Answer with one file, or with the page for what is not there."""
        path = Path(self.translate_path(self.path))
        found = path / "index.html" if path.is_dir() else path
        missing = not found.is_file()
        if missing:
            found = Path(self.directory) / "404.html"
        body = found.read_bytes()
        self.send_response(404 if missing else 200)
        self.send_header("Content-Type", self.guess_type(found))
        self.send_header("Cache-Control", "max-age=600")
        if found.suffix in TEXT and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


def main(words: list[str]) -> int:
    """Serve the site, look at each page, print a line for each."""
    site = Path(words[0]) if words else ROOT / "site"
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if not (site / "en" / "index.html").is_file() or browser is None or shutil.which("npx") is None:
        print(f"error: needs a built site in {site}, one of {', '.join(BROWSERS)}, and npx", file=sys.stderr)
        return 2
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(StaticHost, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"{'page':16}" + "".join(f"{name:>16}" for name in CATEGORIES) + f"{'kB':>8}{'shift':>8}")
    for lang in ("en", "vi"):
        for page in PAGES:
            report = looked_at(f"http://127.0.0.1:{server.server_port}/{lang}/{page}", browser)
            print_line(f"/{lang}/{page}", report)
    server.shutdown()
    return 0


def looked_at(address: str, browser: str) -> dict:
    """Lighthouse's report on a page, as its mobile default."""
    flags = "--headless=new --disable-gpu" + (" --no-sandbox" if os.geteuid() == 0 else "")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json", f"--output-path={report}",
                   f"--chrome-flags={flags}", f"--only-categories={','.join(CATEGORIES)}"]  # fmt: skip
        subprocess.run(command, check=True, env={**os.environ, "CHROME_PATH": browser})
        return json.loads(report.read_text(encoding="utf-8"))


def print_line(name: str, report: dict) -> None:
    """The four figures, what was transferred, how far the page moved while it loaded; then every audit that failed."""
    audits = report["audits"]
    scores = "".join(f"{100 * (report['categories'][one]['score'] or 0):16.0f}" for one in CATEGORIES)
    weight = audits["total-byte-weight"]["numericValue"] / 1000
    print(f"{name:16}{scores}{weight:8.1f}{audits['cumulative-layout-shift']['numericValue']:8.3f}", flush=True)
    for category in CATEGORIES[1:]:
        for one in report["categories"][category]["auditRefs"]:
            audit = audits[one["id"]]
            if one["weight"] and audit["score"] is not None and audit["score"] < 1:
                print(f"    {category}: {audit['title']}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
