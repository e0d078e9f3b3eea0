"""A running explorer, as ``qifldp explore`` starts it, for tests and for screenshots."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

COMMAND = "from qifldp.cli import explore, main; main.main()"

STARTS_WITHIN, ANSWERS_WITHIN = 120, 120_000
"""Seconds for the server to start, and milliseconds for an answer, on a machine that is busy."""

HOSTILE = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>=1+1"
"""A column's name, and a value, that mean harm."""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(folder: Path, port: int | None = None) -> Iterator[str]:
    """Yield the address of an explorer whose working folder is this one."""
    port = free_port() if port is None else port
    log = folder / "log.txt"
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "explore", "--port", str(port)],
            cwd=folder,
            env=os.environ | {"HOME": str(folder)},
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}/"
            _wait(process, address, log)
            yield address
        finally:
            process.terminate()
            process.wait(30)


def settled(page: Page) -> None:
    """Wait until the page shows the answer to what was last asked."""
    page.wait_for_selector("h1 >> text=Which protocol", timeout=ANSWERS_WITHIN)
    page.wait_for_timeout(300)
    page.wait_for_function(
        "document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running' && "
        "!document.querySelector('[data-testid=stSkeleton], [data-stale=true]')",
        timeout=ANSWERS_WITHIN,
    )


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"The explorer did not start: {log.read_text(encoding='utf-8')}")
