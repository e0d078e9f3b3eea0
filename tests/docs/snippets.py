"""Reading the runnable parts of Markdown pages."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    """A shell command in a console block, and the output that the page shows."""

    arguments: tuple[str, ...]
    output: str


def name(page: Path) -> str:
    """Return a page's path for test names."""
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of one language."""
    return [body for kind, body in _FENCE.findall(page.read_text(encoding="utf-8")) if kind == language]


def commands(page: Path) -> list[Command]:
    """Return the `$ qifldp …` commands of the console blocks, each with the output below it."""
    found: list[Command] = []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            found.append(Command(tuple(shlex.split(line, comments=True)), output))
    return found


def files(page: Path) -> dict[str, str]:
    """Return the small files that a page shows, in blocks that begin with a comment ``# file: NAME``."""
    shown = {}
    for block in blocks(page, "text"):
        first, _, body = block.partition("\n")
        if first.startswith("# file: "):
            shown[first.removeprefix("# file: ")] = body
    return shown
