"""`python -m specwiki`."""

from specwiki.cli import main

main()
