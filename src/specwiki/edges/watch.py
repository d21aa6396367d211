"""What a set of files was when it was last looked at, and a folder served on loopback for a browser."""

from __future__ import annotations

import functools
import hashlib
import http.server
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from specwiki.errors import EngineError


def fingerprint(paths: Iterable[Path]) -> str:
    """One hash over names and contents of files, and of the files in folders; what is not there counts as that."""
    digest = hashlib.sha256()
    for path in paths:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for one in files:
            if "__pycache__" in one.parts:
                continue
            content = hashlib.sha256(one.read_bytes()).hexdigest() if one.exists() else "-"
            digest.update(f"{one}\0{content}\0".encode())
    return digest.hexdigest()


@contextmanager
def served(folder: Path, port: int) -> Iterator[str]:
    """Serve a folder on loopback while the block runs.

    Args:
        folder: May be swapped for another while it is served.
        port: 0: a free one.

    Yields:
        The address, with a slash at its end.

    Raises:
        EngineError: If the port is taken.
    """
    handler = functools.partial(_Quiet, directory=str(folder))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as failure:
        raise EngineError(f"port {port}", f"{failure.strerror}", "Choose another with --port") from failure
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, says nothing, and lets the browser keep nothing."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it is called with
        pass
