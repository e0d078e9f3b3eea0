"""``qifldp explore``: the comparison in a browser, served to this machine only."""

from __future__ import annotations

import importlib.util
import socket
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any

import typer

from qifldp.cli.application import application, errors
from qifldp.errors import InputError
from qifldp.rendering.charts import check_altair
from qifldp.rendering.text import plain

NO_STREAMLIT = "The explorer needs Streamlit: pip install 'qifldp[app]'."

MEGABYTES = 20
"""Of an upload: see qifldp.app.uploads."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Names of this machine that a browser may ask by."""


@application.command("explore")
def explore_command(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8501,
    host: Annotated[str, typer.Option(help="Address to listen on; the default is this machine only.")] = "127.0.0.1",
) -> None:
    """Explore a comparison in a browser: sliders, charts, pairs with their proofs, your own data.

    [bold]Examples[/bold]

      qifldp explore

      qifldp explore --port 8600
    """
    if importlib.util.find_spec("streamlit") is None:
        raise InputError(NO_STREAMLIT)
    check_altair()
    address = _address(host, port)
    from streamlit.web import bootstrap  # noqa: PLC0415  # an extra, and slow to load

    settings = server_settings(host, port, address)
    script = str(Path(__file__).parent.parent / "app" / "start.py")
    shown = f"[{host}]" if ":" in host else host
    console = errors()
    console.print(f"The explorer is at http://{plain(shown)}:{port} (Ctrl+C ends it).", markup=False, soft_wrap=True)
    if not ip_address(address).is_loopback:
        words = (
            "Everybody who can reach this address can use it, and what they upload crosses the network in the clear."
        )
        console.print(words, markup=False, soft_wrap=True)
    bootstrap.load_config_options(settings)
    bootstrap.run(script, False, [], settings)


def server_settings(host: str, port: int, address: str) -> dict[str, Any]:
    """Return Streamlit's settings: nothing leaves the machine, nothing is watched, and errors show no code.

    Args:
        host: Where to listen, as it was written.
        port: The port.
        address: The same as a number; if it is this machine's own, it can be asked for by no other name.
    """
    return {
        "server_address": host,
        "server_port": port,
        "server_headless": True,
        "server_fileWatcherType": "none",
        "server_runOnSave": False,
        "server_maxUploadSize": MEGABYTES,
        "server_enableXsrfProtection": True,
        "server_enableCORS": True,
        "server_allowedHosts": [*dict.fromkeys((*LOOPBACK, host, address))] if ip_address(address).is_loopback else [],
        "server_enableStaticServing": False,
        "server_enableAgentApi": False,
        "browser_gatherUsageStats": False,
        "client_toolbarMode": "minimal",
        "client_showErrorDetails": "none",
        "client_showErrorLinks": "false",
        "client_disableDataExport": True,
        "global_developmentMode": False,
        "logger_hideWelcomeMessage": True,
        "logger_level": "error",
        "runner_magicEnabled": False,
        "runner_fastReruns": False,  # fast ones run beside the one before, and two of them lose what quick users did
        "theme_base": "light",
        "theme_primaryColor": "#0b5394",
        "theme_textColor": "#1a1a1a",
        "theme_backgroundColor": "#ffffff",
        "theme_secondaryBackgroundColor": "#f4f4f1",
        "theme_font": "-apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif",
    }


def _address(host: str, port: int) -> str:
    """Return the number of an address; raise InputError if nothing can listen there."""
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return str(address[0])
    except OSError as error:
        reason = error.strerror or "there is no such address"
        raise InputError(f"Nothing can listen on {plain(host)}, port {port}: {reason}. Try another --port.") from None
