"""Composes core, render and edges into what the commands and the notebooks do."""
