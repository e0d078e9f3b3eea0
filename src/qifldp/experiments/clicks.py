"""The clicks of Kosarak: of the real file, or what stands in for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qifldp.adversaries.prior import Prior
from qifldp.channels.profile import LARGEST_DOMAIN
from qifldp.data.datasets import load_dataset
from qifldp.errors import InputError, shown
from qifldp.storage import check_readable, reason

Counts = NDArray[np.int64]

BLOCK_BYTES = 4 << 20
"""Clicks are read in blocks of this size."""

MOST_DIGITS = len(str(LARGEST_DOMAIN))
"""Of a number; leading zeros count."""

STAND_IN_VALUES = 3_450
"""Different values among 10,000 clicks of the real file: between 3,300 and 3,600. The paper does not say how many."""

PACKED = {
    b"\x1f\x8b": "gunzip",
    b"\xfd7zXZ\x00": "unxz",
    b"BZh": "bunzip2",
    b"PK\x03\x04": "unzip",
    b"(\xb5/\xfd": "unzstd",
}
"""How compressed files begin, and what unpacks them."""

_STRANGE = re.compile(rb"[^0-9 \t\r\n]")


@dataclass(frozen=True, eq=False)
class Clicks:
    """How often each item of a file of transactions occurs, the most frequent first.

    Attributes:
        title: What they are.
        counts: Of all clicks, shape (items,), none of them 0.
    """

    title: str
    counts: Counts


def read_clicks(path: str | Path, progress: Callable[[float], None] | None = None) -> Clicks:
    """Count all items of all transactions of a file in FIMI's format.

    Raises:
        InputError: If the file holds anything but whole numbers below ten million, or no ten different ones.
    """
    file = check_readable(path)
    _check_not_packed(file)
    wrong = InputError(
        f"{shown(file.name)} is no file of transactions: lines of whole numbers below {LARGEST_DOMAIN:,}, "
        "ten different ones at least, separated by blanks."
    )
    counts, rest, size = np.zeros(0, np.int64), b"", file.stat().st_size
    try:
        with file.open("rb") as raw:
            while block := raw.read(BLOCK_BYTES):
                tokens = re.split(rb"\s+", rest + block)
                rest = tokens.pop()  # the last number may go on in the next block
                if len(rest) > MOST_DIGITS:
                    raise wrong  # before it is carried on
                counts = _add(counts, tokens, wrong)
                if progress is not None:
                    progress(raw.tell() / size)
    except OSError as error:
        raise InputError(f"The file {shown(str(path))} cannot be read: {reason(error)}.") from None
    counts = np.sort(_add(counts, [rest], wrong))[::-1]
    counts = counts[counts > 0]
    if len(counts) < 10:
        raise wrong
    return Clicks(f"{int(counts.sum()):,} clicks of {shown(file.name)}", counts)


def _check_not_packed(file: Path) -> None:
    """Raise InputError if a file begins as compressed ones do, saying how to unpack it."""
    try:
        with file.open("rb") as raw:
            start = raw.read(8)
    except OSError as error:
        raise InputError(f"The file {shown(str(file))} cannot be read: {reason(error)}.") from None
    for magic, program in PACKED.items():
        if start.startswith(magic):
            raise InputError(f"{shown(file.name)} is compressed: unpack it first ({program}).")


def _add(counts: Counts, tokens: list[bytes], wrong: InputError) -> Counts:
    filled = [token for token in tokens if token]
    if any(len(token) > MOST_DIGITS or _STRANGE.search(token) for token in filled):
        raise wrong
    items = np.array(filled, dtype="S8").astype(np.int64) if filled else np.zeros(0, np.int64)
    if items.max(initial=0) >= LARGEST_DOMAIN:
        raise wrong
    found = np.bincount(items, minlength=len(counts)).astype(np.int64)
    found[: len(counts)] += counts
    return found


def most_frequent(clicks: Clicks | None, items: int) -> tuple[Counts, str]:
    """Return the counts of the most frequent items, and what they are: of the file, else the embedded ones."""
    if clicks is not None:
        return clicks.counts[:items], f"the {items} most frequent items of {clicks.title}"
    counts = np.sort(np.array(load_dataset("kosarak").counts, np.int64))[::-1]
    return counts[:items], f"the {items} most frequent items of Kosarak (embedded counts)"


def check_enough(clicks: Clicks, people: int) -> None:
    """Raise InputError if there are fewer clicks than are to be drawn."""
    if clicks.counts.sum() < people:
        raise InputError(f"Of {clicks.title} {people:,} cannot be drawn.")


def sample(clicks: Clicks | None, people: int, rng: np.random.Generator) -> tuple[Counts, str]:
    """Return how often each value occurs among clicks drawn without replacement, and what they are.

    Without a file they are of a stand-in: each of 3,450 values once, the others by Zipf's law of exponent 1.

    Raises:
        InputError: If there are fewer clicks than are to be drawn, or all that are drawn are on one item.
    """
    if clicks is None:
        others = rng.multinomial(people - STAND_IN_VALUES, Prior.zipf(STAND_IN_VALUES).probabilities)
        words = f"a stand-in for Kosarak ({people:,} clicks on {STAND_IN_VALUES:,} values by Zipf's law)"
        return 1 + others.astype(np.int64), words
    check_enough(clicks, people)
    drawn = rng.multivariate_hypergeometric(clicks.counts, people, method="marginals")
    counts = drawn[drawn > 0].astype(np.int64)
    if len(counts) < 2:
        raise InputError(
            f"The {people:,} clicks drawn of {clicks.title} are all on one item: a histogram needs two at least."
        )
    return counts, f"{people:,} of {clicks.title}, {len(counts):,} values"
