"""The command line: parse, call study, print. The only place that exits."""

from specwiki.cli import changes, prompts, tools, translate, wiki
from specwiki.cli.application import app, main

__all__ = ["app", "changes", "main", "prompts", "tools", "translate", "wiki"]
