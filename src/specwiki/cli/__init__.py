"""The command line: parse, call study, print. The only place that exits."""

from specwiki.cli import tools, wiki
from specwiki.cli.application import app, main

__all__ = ["app", "main", "tools", "wiki"]
