"""Lines of text files, read block by block in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from qifldp.errors import InputError, shown


def blocks_of_lines(raw: BinaryIO, most: int, name: str) -> Iterator[bytes]:
    """Read whole lines, some at a time, from where a file stands; the last line may lack its newline.

    Args:
        raw: The file.
        most: The most bytes that a line may have, without its newline; a whole number of MiB.
        name: The file's name, for the error.

    Raises:
        InputError: If a line has more.
    """
    rest = b""
    while block := raw.read(most):
        lines, newline, rest = (rest + block).rpartition(b"\n")
        lines += newline
        if max(lines.find(b"\n"), len(rest)) > most:  # all other lines are within this block
            raise InputError(f"{shown(name)} has a line of more than {most >> 20} MiB.")
        if lines:
            yield lines
    if rest:
        yield rest
