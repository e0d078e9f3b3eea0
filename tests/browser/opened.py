"""A tab with a page in it, and what went wrong there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

HOSTILE_COLUMN = '</script><script>window.harmed=1</script><img src=x onerror="window.harmed=1">\u202e'
HOSTILE_FILE = "m'<img src=x onerror=window.harmed=1>\u202e.csv"


@dataclass(frozen=True)
class Opened:
    """Opens pages of a folder.

    Attributes:
        context: The browser's context; it is closed after a test.
        folder: The folder.
    """

    context: BrowserContext
    folder: Path

    def __call__(self, name: str) -> tuple[Page, list[str]]:
        """Return the page, drawn to its end, and a list of complaints that grows: errors, warnings, requests."""
        tab, complaints = self.context.new_page(), list[str]()
        address = (self.folder / f"{name}.html").as_uri()
        tab.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        tab.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        tab.on(
            "request", lambda asked: None if asked.url == address else complaints.append(f"request: {asked.url[:90]}")
        )
        tab.goto(address)
        tab.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        return tab, complaints
