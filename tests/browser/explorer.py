"""A running explorer, as ``qifldp explore`` starts it, for tests and for screenshots."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

STARTS_WITHIN, ANSWERS_WITHIN = 120, 120_000
"""Seconds for the server to start, and milliseconds for an answer, on a machine that is busy."""

HOSTILE = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>=1+1"
"""A column's name, and a value, that mean harm."""

CAPACITY = "td[data-key=bayes_capacity] data"
"""The Bayes capacities in the table."""

Explore = Callable[[str], "Page"]
"""Opens the explorer at a query."""


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
            [sys.executable, "-m", "qifldp", "explore", "--port", str(port)],
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


def tab(page: Page, view: str) -> Locator:
    """Return what chooses a view."""
    return page.get_by_role("radio", name=view).or_(page.get_by_role("button", name=view)).first


def box(page: Page, label: str) -> Locator:
    """Return the box for the exact value of something."""
    return page.get_by_role("textbox", name=f"{label}, exactly")


def slider(page: Page, label: str) -> Locator:
    """Return the slider of something."""
    return page.get_by_role("slider", name=label)


def press(page: Page, target: Locator, milliseconds: int) -> None:
    """Press a mouse button on something for so long, as a hand does; a click of a test takes no time."""
    target.hover()
    page.mouse.down()
    page.wait_for_timeout(milliseconds)
    page.mouse.up()


def at_rest(page: Page, facts: str, query: str) -> None:
    """Wait until the page answers a question, and check that it stays with it."""
    page.wait_for_selector(f"p.facts >> text={facts}", timeout=ANSWERS_WITHIN)
    settled(page)
    page.wait_for_timeout(1_000)  # for whatever the browser may still send
    settled(page)
    assert page.locator("p.facts").inner_text() == facts
    assert unquote(page.url.partition("?")[2]) == query


def upload(page: Page, which: int, name: str, data: bytes) -> None:
    """Give a file to an uploader: 0 is the column's, 1 the channel's."""
    chosen = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator("input[type=file]").nth(which).set_input_files(chosen)  # type: ignore[arg-type]  # a file in memory
    settled(page)


def capacities(page: Page) -> list[str]:
    """Return the Bayes capacities as the table shows them."""
    return page.locator(CAPACITY).all_inner_texts()


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"The explorer did not start: {log.read_text(encoding='utf-8')}")
