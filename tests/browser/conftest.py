"""Comparison pages, and a Chromium to open them in; without one the tests are skipped (``make unit`` installs it)."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser.opened import HOSTILE_COLUMN, HOSTILE_FILE, Opened
from qifldp.cli.main import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser


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
    """A folder with pages and their JSON documents: two budgets, a limit, a channel twice, text that means harm."""
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
