"""Comparison pages, a running explorer, and a Chromium to open them in.

Without a Chromium the tests are skipped; ``make unit`` installs one.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser.explorer import Explore, running, settled
from browser.opened import HOSTILE_COLUMN, HOSTILE_FILE, Opened
from qifldp.cli.main import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if importlib.util.find_spec("playwright") is None:
        _missing("browser tests need Playwright")
    from browser.chromium import chromium, installed  # noqa: PLC0415  # imports Playwright

    if installed() is None:
        _missing("browser tests need a Chromium (make chromium)")
    with chromium() as found:
        yield found


def _missing(reason: str) -> None:
    """Skip what needs a browser; fail where one is required (QIFLDP_BROWSER=required)."""
    if os.environ.get("QIFLDP_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages and their JSON documents: two budgets, a limit, a chain, a channel twice, hostile text."""
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("data.csv").write_text(
            '"' + HOSTILE_COLUMN.replace('"', '""') + '"\n' + '"<b>a</b>"\n"</script>"\n"""c"\n' * 40, encoding="utf-8"
        )
        Path(HOSTILE_FILE).write_text("0.7,0.2,0.1\n0.2,0.7,0.1\n0.1,0.2,0.7\n", encoding="utf-8")
        for name, arguments in {
            "plain": ("--domain-size", "12", "--epsilon", "1,2"),
            "limit": ("--domain-size", "12", "--max-asr", "0.2", "--no-order"),
            "chain": ("--domain-size", "2", "--epsilon", "1"),
            "twice": ("--domain-size", "12", "--epsilon", "1", "--protocols", "ss,ss:omega=3,oue"),
            "hostile": (
                *("data.csv", "--column", HOSTILE_COLUMN, "--epsilon", "1"),
                *("--protocols", f"grr,oue,file:{HOSTILE_FILE}"),
            ),
        }.items():
            assert run(["compare", *arguments, "--html", f"{name}.html", "--out", f"{name}.json"]) == 0
    return folder


@pytest.fixture
def opened(browser: Browser, pages: Path) -> Iterator[Opened]:
    """A function that opens a page in a tab that reports everything it complains about."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    yield Opened(context, pages)
    context.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the explorer works in."""
    return tmp_path_factory.mktemp("explorer")


@pytest.fixture(scope="module")
def address(browser: Browser, folder: Path) -> Iterator[str]:
    """The address of a running explorer."""
    with running(folder) as found:
        yield found


@pytest.fixture
def explore(browser: Browser, address: str) -> Iterator[Explore]:
    """A function that opens the explorer at a query; at the end nothing may have been complained about."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    complaints: list[str] = []

    def open_at(query: str) -> Page:
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on(
            "request", lambda asked: None if _own(asked.url, address) else complaints.append(f"request: {asked.url}")
        )
        page.goto(f"{address}?{query}")
        settled(page)
        return page

    yield open_at
    harmed = [page.evaluate("window.harmed") for page in context.pages]
    context.close()
    assert complaints == []
    assert harmed == [None] * len(harmed)


def _own(url: str, address: str) -> bool:
    return url.startswith((address, address.replace("http", "ws"), "data:", "blob:"))
