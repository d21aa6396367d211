"""The command line: parse, call study, print. The only place that exits."""

from specwiki.cli import prompts, tools, wiki
from specwiki.cli.application import app, main

__all__ = ["app", "main", "prompts", "tools", "wiki"]
