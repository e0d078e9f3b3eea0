"""Shots of comparison pages at two widths, and as printed: python tests/browser/screenshots.py PAGE… --out FOLDER."""

from __future__ import annotations

import argparse
from pathlib import Path

from browser.chromium import chromium

WIDTHS = (1440, 390)


def main() -> None:
    """Write the shots."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/screenshots"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for page in arguments.pages:
            for width in WIDTHS:
                tab = browser.new_page(viewport={"width": width, "height": 900})
                tab.goto(page.resolve().as_uri())
                tab.wait_for_selector("html[data-ready]")
                if tab.query_selector("button.verdict.refines:visible"):
                    tab.click("button.verdict.refines:visible >> nth=0")
                tab.screenshot(path=arguments.out / f"{page.stem}-{width}.png", full_page=True)
                if width == WIDTHS[0]:
                    tab.pdf(path=arguments.out / f"{page.stem}.pdf", format="A4", print_background=True)
                tab.close()


if __name__ == "__main__":
    main()
