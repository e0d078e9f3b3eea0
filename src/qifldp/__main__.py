"""``python -m qifldp``: the command line."""

from qifldp.cli.main import main

main()
