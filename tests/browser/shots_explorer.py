"""Shots of the explorer at two widths: PYTHONPATH=tests python tests/browser/shots_explorer.py --out FOLDER."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from browser.chromium import chromium
from browser.explorer import running, settled

WIDTHS, TALLEST = (1440, 390), 5_000

VIEWS = {
    "overview": "",
    "adversary": "adversary=membership&epsilon=ln(3)&data=kosarak",
    "plane": "view=plane",
    "curves": "view=curves",
    "order": "view=order&k=12",
    "pair": "view=pair",
    "data": "view=data",
    "mistaken": "k=abc&epsilon=<script>&view=pair&original=grr&refined=oue",
}
"""Names of the shots, and what is in their addresses."""


def main() -> None:
    """Write the shots."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("build/screenshots"))
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as address, chromium() as browser:
        for width in WIDTHS:
            for name, query in VIEWS.items():
                page = browser.new_page(viewport={"width": width, "height": 900})
                page.goto(f"{address}?{query}")
                settled(page)
                page.wait_for_timeout(1_000)  # for charts
                height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
                page.set_viewport_size({"width": width, "height": max(900, min(height, TALLEST))})
                page.wait_for_timeout(1_000)
                page.screenshot(path=out / f"explorer-{name}-{width}.png")
                page.close()


if __name__ == "__main__":
    main()
