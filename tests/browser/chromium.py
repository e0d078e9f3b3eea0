"""A headless Chromium with the network cut, for tests and screenshots of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable")
"""Programs of Debian, and of other systems, in the order in which they are taken."""

ARGUMENTS = (
    "--no-sandbox",  # tests may run as root, and open files of their own only
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def installed() -> str | None:
    """Return the Chromium of this machine: QIFLDP_CHROMIUM, or one on the path."""
    return os.environ.get("QIFLDP_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser that can reach nothing but files."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=installed(), headless=True, args=[*ARGUMENTS, "--proxy-server=127.0.0.1:9"]
        )
        try:
            yield browser
        finally:
            browser.close()
