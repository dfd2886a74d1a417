"""`python -m goldsmith.cli` is `goldsmith`."""

from goldsmith.cli.main import main

main()
