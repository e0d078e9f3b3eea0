"""Text that may come from a stranger, made safe for a terminal or a document."""

from __future__ import annotations

import re
from collections.abc import Iterable

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """Return text with control characters replaced: labels come from files, and terminals obey some."""
    return "".join(c if c.isprintable() or c == "\n" else REPLACEMENT for c in text)


def escaped(json_text: str) -> str:
    """Return JSON text in which every character that is not printable is written as an escape."""
    return "".join(c if c.isprintable() or c == "\n" else _escape(c) for c in json_text)


def in_lines(name: str, width: int) -> str:
    """Return a protocol's or a file's name in lines of at most width, broken behind `:`, `,`, `+` or `/`.

    A part that is wider than that stays whole, for the table to fold.
    """
    lines = [""]
    for part in re.findall(r"[^:,+/]*[:,+/]|[^:,+/]+", name):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def least_in_column(guesses: Iterable[float | None]) -> str:
    """Say what a table's mark means, given its column of blind guesses: rows without numbers do not compete."""
    return "least in its column" + (", of the rows that have numbers" if None in list(guesses) else "")


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
