"""The command line as a user types it, in this process."""

from __future__ import annotations

import sys

import pytest

from specwiki import cli


@pytest.fixture
def command(monkeypatch, capsys):
    """Run the command line with these words: exit code, output, errors."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["specwiki", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return run
