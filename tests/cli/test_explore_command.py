"""``qifldp explore`` starts a server that only this machine reaches, and says what is missing in a sentence."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from typing import Any

import pytest
from streamlit import config
from streamlit.web import bootstrap

from qifldp.app.uploads import MEGABYTES as UPLOAD_MEGABYTES
from qifldp.cli import explore
from qifldp.cli.main import run
from qifldp.errors import InputError


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the server would have been started with."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(bootstrap, "load_config_options", lambda settings: None)

    def start(script: str, is_hello: bool, arguments: list[str], settings: dict[str, Any]) -> None:
        found.update(settings, script=script)

    monkeypatch.setattr(bootstrap, "run", start)
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_it_serves_this_machine_only(started: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    assert run(["explore", "--port", str(port)]) == 0
    assert capsys.readouterr().err == f"The explorer is at http://127.0.0.1:{port} (Ctrl+C ends it).\n"
    assert started["script"].endswith("start.py")
    expected = {
        "server_address": "127.0.0.1",
        "server_port": port,
        "server_headless": True,
        "server_fileWatcherType": "none",
        "server_enableXsrfProtection": True,
        "server_enableCORS": True,
        "server_allowedHosts": ["127.0.0.1", "localhost", "::1"],
        "server_maxUploadSize": UPLOAD_MEGABYTES,
        "browser_gatherUsageStats": False,
        "runner_fastReruns": False,
        "client_showErrorDetails": "none",
        "logger_hideWelcomeMessage": True,
    }
    assert {key: started[key] for key in expected} == expected


def test_another_address_is_warned_of(started: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explore", "--host", "0.0.0.0", "--port", str(free_port())]) == 0
    assert "Everybody who can reach this address can use it" in capsys.readouterr().err
    assert started["server_address"] == "0.0.0.0"
    assert started["server_allowedHosts"] == []


@pytest.mark.parametrize(("host", "address"), [("127.0.0.2", "127.0.0.2"), ("127.1", "127.0.0.1")])
def test_this_machine_has_other_names(
    started: dict[str, Any], capsys: pytest.CaptureFixture[str], host: str, address: str
) -> None:
    assert run(["explore", "--host", host, "--port", str(free_port())]) == 0
    assert "Everybody" not in capsys.readouterr().err
    assert {*started["server_allowedHosts"]} == {"127.0.0.1", "localhost", "::1", host, address}


def test_every_setting_is_one_of_streamlits() -> None:
    known = config.get_config_options()
    names = {name.replace("_", ".") for name in explore.server_settings("127.0.0.1", 8501, "127.0.0.1")}
    assert names - set(known) == set()


def test_a_port_that_is_taken(started: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert run(["explore", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"qifldp: Nothing can listen on 127.0.0.1, port {port}: ")
    assert started == {}


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find: Callable[..., ModuleSpec | None] = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "streamlit" else find(name, *a))
    with pytest.raises(InputError, match=r"^The explorer needs Streamlit: pip install 'qifldp\[app\]'\.$"):
        explore.explore_command()
