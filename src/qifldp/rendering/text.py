"""Text that may come from a stranger, made safe for a terminal or a document."""

from __future__ import annotations

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """Return text with control characters replaced: labels come from files, and terminals obey some."""
    return "".join(c if c.isprintable() or c == "\n" else REPLACEMENT for c in text)


def escaped(json_text: str) -> str:
    """Return JSON text in which every character that is not printable is written as an escape."""
    return "".join(c if c.isprintable() or c == "\n" else _escape(c) for c in json_text)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
