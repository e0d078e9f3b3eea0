"""The script that Streamlit runs for every session; see :mod:`qifldp.cli.explore`, which starts the server."""

from qifldp.app.page import main

main()
