"""Reports as columns of small whole numbers, which is all that events, tests and classifiers look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.mechanism import Rows

Levels = NDArray[np.uint8]
Codes = NDArray[np.int64]

POSITIONS = ("does not hold {}", "has {} in first place", "has {} in a middle place", "has {} in last place")
HOLDS = ("does not hold {}", "holds {}")
BITS = ("has no bit of {}", "has the bit of {}")
SUPPORTS = ("does not support {}", "supports {}")

MOST_ROUNDS = 255
"""Reports of one user that are looked at together: counts of rounds fit a byte."""


@dataclass(frozen=True, eq=False)
class Statistic:
    """Something that a report says about each value, as a level.

    Attributes:
        words: What each level says, with {} for the value.
        levels: Shape (n, w): the level of each report for each watched value.
    """

    words: tuple[str, ...]
    levels: Levels


@dataclass(frozen=True, eq=False)
class Field:
    """Something about a report as such, as a whole number.

    Attributes:
        name: What it is, in words.
        codes: Shape (n,).
        words: What each code stands for.
        ordered: Whether codes are in the order of numbers, so that "at least" means something.
    """

    name: str
    codes: Codes
    words: Sequence[str]
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class Columns:
    """Reports as columns.

    Attributes:
        statistics: What reports say about values.
        fields: What else there is to them.
        whole: A number for each report, equal for two only if they are the same; None if hardly any two are.
        support: Which watched values each report supports, by the declared protocol; None if none is declared.
        sizes: How many values of the whole domain it supports.
        impossible: How many reports no client of the declared protocol can have sent, by reason.
        rows: The reports as the packed bytes of the declared protocol, if they are that.
    """

    statistics: list[Statistic]
    fields: list[Field]
    whole: Codes | None = None
    support: NDArray[np.bool_] | None = None
    sizes: Codes | None = None
    impossible: Counter[str] = field(default_factory=Counter)
    rows: Rows | None = None


def fold(columns: Columns, rounds: int, used: int) -> Columns:
    """Return the columns of users from those of their reports: the first ``used`` of ``rounds``, one after the other.

    What a user's reports say about a value is how many of them say it; the first report is looked at on its own too.
    """
    if rounds == 1:
        return columns
    first = slice(0, None, rounds)
    statistics = [Statistic(s.words, s.levels[first]) for s in columns.statistics]
    fields = [Field(f"{f.name} of the first report", f.codes[first], f.words, f.ordered) for f in columns.fields]
    for statistic in columns.statistics:
        cut = statistic.levels.reshape(-1, rounds, statistic.levels.shape[1])[:, :used]
        says = statistic.words[1] if len(statistic.words) == len(HOLDS) else HOLDS[1]
        counts = (cut > 0).sum(axis=1, dtype=np.uint8)
        statistics.append(Statistic(tuple(f"in {c} of {used} rounds {says}" for c in range(used + 1)), counts))
    if columns.whole is not None:
        own = np.sort(columns.whole.reshape(-1, rounds)[:, :used], axis=1)
        different = 1 + (np.diff(own, axis=1) != 0).sum(axis=1)
        fields.append(
            Field("the number of different reports", different, tuple(map(str, range(used + 1))), ordered=True)
        )
    support = None if columns.support is None else columns.support[first]
    sizes = None if columns.sizes is None else columns.sizes[first]
    rows = None if columns.rows is None else columns.rows[first]
    return Columns(statistics, fields, columns.whole, support, sizes, columns.impossible, rows)


def changed(columns: Columns, rounds: int) -> int:
    """Return how many users do not send the same report in every round."""
    if columns.whole is not None:
        own = columns.whole.reshape(-1, rounds)
        return int((own != own[:, :1]).any(axis=1).sum())
    assert columns.rows is not None, "what is not packed has a number for every report"
    rows = columns.rows.reshape(-1, rounds, columns.rows.shape[1])
    return int((rows != rows[:, :1]).any(axis=(1, 2)).sum())
