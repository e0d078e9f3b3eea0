"""Results as JSON documents: strict JSON, written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

from qifldp.rendering.text import escaped
from qifldp.storage import write_atomically


def to_text(document: dict[str, object], *, only_ascii: bool = False) -> str:
    """Return a document as JSON text. NaN and infinity are refused: a result says ``null`` and why.

    Args:
        document: The result.
        only_ascii: Write every other character as an escape, for streams that cannot hold it.
    """
    return escaped(json.dumps(document, indent=2, ensure_ascii=only_ascii, allow_nan=False))


def save(document: dict[str, object], path: str | Path) -> None:
    """Write a document to a file, atomically.

    Raises:
        InputError: If the file cannot be written.
    """
    text = to_text(document) + "\n"

    def write(file: Path) -> None:
        file.write_text(text, encoding="utf-8")

    write_atomically(path, write)
