"""Input and output, one outside system a module; no decisions."""
