"""Reports as columns of small whole numbers, which is all that events, tests and classifiers look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import overload

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


FEWEST_SEEN = 8
"""Times that a code has to be seen, to be looked at: a bound from fewer says next to nothing."""

MOST_NAMED = 3
"""Reports of one user that are named one by one."""


class Told(Sequence[str]):
    """Words that are made when they are asked for: most never are."""

    def __init__(self, count: int, told: Callable[[int], str]) -> None:
        self._places, self._told = range(count), told

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        found = self._places[place]
        return self._told(found) if isinstance(found, int) else [self._told(each) for each in found]


@dataclass(frozen=True, eq=False)
class Statistic:
    """Something that a report says about each value, as a level.

    Attributes:
        words: What each level says, with {} for the value.
        levels: Shape (n, w): the level of each report for each watched value.
        counted: From which level on it is counted in how many reports of a user, and what that is called; by default
            from the first above 0, as it is called.
    """

    words: tuple[str, ...]
    levels: Levels
    counted: tuple[int, str] | None = None


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
        whole: All that there is to a report: codes are equal for two only if they are the same; None if hardly any two
            are.
        support: Which watched values each report supports, by the declared protocol; None if none is declared.
        sizes: How many values of the whole domain it supports.
        impossible: How many reports no client of the declared protocol can have sent, by reason.
        rows: The reports as the packed bytes of the declared protocol, if they are that.
        misfits: Which of them are not of its width, and zeros in ``rows``; None if all are.
    """

    statistics: list[Statistic]
    fields: list[Field]
    whole: Field | None = None
    support: NDArray[np.bool_] | None = None
    sizes: Codes | None = None
    impossible: Counter[str] = field(default_factory=Counter)
    rows: Rows | None = None
    misfits: NDArray[np.bool_] | None = None

    @property
    def all_fields(self) -> list[Field]:
        """The fields, and the whole report as the last one."""
        return self.fields if self.whole is None else [*self.fields, self.whole]


def fold(columns: Columns, rounds: int, used: int) -> Columns:
    """Return the columns of users from those of their reports: the first ``used`` of ``rounds``, one after the other.

    What a user's reports say about a value is how many of them say it; the first report is looked at on its own too.
    The whole report is all of them in turn.
    """
    if rounds == 1:
        return columns
    first = slice(0, None, rounds)
    statistics = [Statistic(s.words, s.levels[first]) for s in columns.statistics]
    fields = [Field(f"{f.name} of the first report", f.codes[first], f.words, f.ordered) for f in columns.all_fields]
    for statistic in columns.statistics:
        cut = statistic.levels.reshape(-1, rounds, statistic.levels.shape[1])[:, :used]
        level, says = statistic.counted or (1, statistic.words[1])
        counts = (cut >= level).sum(axis=1, dtype=np.uint8)
        statistics.append(Statistic(tuple(f"in {c} of {used} rounds {says}" for c in range(used + 1)), counts))
    whole = None
    if columns.whole is not None:
        own = columns.whole.codes.reshape(-1, rounds)[:, :used]
        whole = _in_turn(own, columns.whole.words)
        different = 1 + (np.diff(np.sort(own, axis=1), axis=1) != 0).sum(axis=1)
        fields.append(
            Field("the number of different reports", different, tuple(map(str, range(used + 1))), ordered=True)
        )
    support = None if columns.support is None else columns.support[first]
    sizes = None if columns.sizes is None else columns.sizes[first]
    rows = None if columns.rows is None else columns.rows[first]
    misfits = None if columns.misfits is None else columns.misfits[first]
    return Columns(statistics, fields, whole, support, sizes, columns.impossible, rows, misfits)


def changed(columns: Columns, rounds: int) -> int:
    """Return how many users do not send the same report in every round."""
    if columns.whole is not None:
        own = columns.whole.codes.reshape(-1, rounds)
        return int((own != own[:, :1]).any(axis=1).sum())
    assert columns.rows is not None, "what is not packed has a number for every report"
    rows = columns.rows.reshape(-1, rounds, columns.rows.shape[1])
    differ = (rows != rows[:, :1]).any(axis=(1, 2))
    if columns.misfits is not None:
        differ |= columns.misfits.reshape(-1, rounds).any(axis=1)  # each is something else, as far as is known
    return int(differ.sum())


def _in_turn(codes: Codes, words: Sequence[str]) -> Field | None:
    """Return all reports of each user as one field; None if none of what users send in turn is seen often enough."""
    _, first, found = np.unique(codes[:, 0], return_index=True, return_inverse=True)
    for column in codes.T[1:]:
        if not np.array_equal(column, codes[:, 0]):
            joined = found * (int(column.max()) + 1) + column
            _, first, found = np.unique(joined, return_index=True, return_inverse=True)
        if np.bincount(found).max() < FEWEST_SEEN:
            return None
    turns = codes[first]

    def told(place: int) -> str:
        parts = [words[code] for code in turns[place].tolist()]
        return ", then ".join(parts[:MOST_NAMED]) + (", and so on" if len(parts) > MOST_NAMED else "")

    return Field("what the user reports in turn", found.astype(np.int64), Told(len(turns), told))
