"""Transactions in FIMI's format, of which each gives one item: whole numbers separated by blanks, a line each.

Source: the Frequent Itemset Mining Dataset Repository, http://fimi.uantwerpen.be/data/
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from qifldp.data.lines import blocks_of_lines
from qifldp.errors import InputError, shown
from qifldp.storage import check_readable, reason

ENDING = ".dat"

Item = Literal["first", "random"]
"""Which item of a transaction its person reports: the first, or each entry of the line with the same chance."""

LONGEST_LINE = 4 << 20
"""Bytes of a line at most; so many are read at a time."""

MOST_DIGITS = 18

ITEMS = f"whole numbers of at most {MOST_DIGITS} digits, separated by blanks and ended by a newline"

_STRANGE = re.compile(rb"[^0-9 \t\r\n]|\r(?!\n|\Z)")  # lines that end with a carriage return would be one line
_TOO_LONG = re.compile(rb"[0-9]{%d}" % (MOST_DIGITS + 1))


@dataclass(frozen=True, eq=False)
class Items:
    """One item of each of some transactions.

    Attributes:
        share: Share of the file that has been read.
        texts: The items, as text without leading zeros.
        empty: How many lines have no item.
    """

    share: float
    texts: pa.Array
    empty: int


def read_items(path: str | Path, *, item: Item = "first", rng: np.random.Generator | None = None) -> Iterator[Items]:
    """Read one item of each transaction, piece by piece.

    Args:
        path: The file.
        item: The rule by which it is chosen.
        rng: Chooses random items; the operating system's entropy if there is none.

    Raises:
        InputError: If the file holds anything but lines of whole numbers, or too long a line.
    """
    file = check_readable(path)
    choose = _rule(item, rng)
    size, line_number = file.stat().st_size, 0
    try:
        with file.open("rb") as raw:
            for block in blocks_of_lines(raw, LONGEST_LINE, file.name):
                _check(block, line_number, file.name)
                lines = block.removesuffix(b"\n").split(b"\n")
                line_number += len(lines)
                filled = [entries for line in lines if (entries := line.split())]
                texts = [str(int(entries[choose(len(entries))])) for entries in filled]
                yield Items(raw.tell() / size, pa.array(texts, pa.string()), len(lines) - len(filled))
    except OSError as error:
        raise InputError(f"The file {shown(str(path))} cannot be read: {reason(error)}.") from None


def _rule(item: Item, rng: np.random.Generator | None) -> Callable[[int], int]:
    if item == "first":
        return lambda _: 0
    if rng is None:
        return secrets.randbelow
    return lambda count: int(rng.integers(count))


def _check(block: bytes, before: int, name: str) -> None:
    """Raise InputError at anything but whole numbers of at most 18 digits, naming the line."""
    wrong = _STRANGE.search(block) or _TOO_LONG.search(block)
    if wrong is None:
        return
    line = before + block.count(b"\n", 0, wrong.start()) + 1
    start = block.rfind(b"\n", 0, wrong.start()) + 1
    text = block[start:].split(b"\n", 1)[0].decode("ascii", "replace")
    raise InputError.expected(f"Line {line:,} of {shown(name)}", ITEMS, text)
