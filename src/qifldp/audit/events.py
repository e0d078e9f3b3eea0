"""Events that tell values apart: what they are, and how they are counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import Tally
from qifldp.audit.columns import Columns
from qifldp.audit.splitting import Half, Places

X, OTHER = "x", "x′"
"""How an event of all pairs calls the true value and the other one."""

ALL_PAIRS = f"{X}, all pairs of values"

MOST_NAMED = 3
"""Levels that an event names one by one."""

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Event(ABC):
    """An event, and the two inputs under which it is compared.

    Attributes:
        words: What the event is.
        first: The input under which it is frequent.
        second: The input under which it is rare.
    """

    words: str = field(compare=False)
    first: str
    second: str

    @abstractmethod
    def count(self, columns: Columns, half: Half) -> Tally:
        """Return how often it is seen in a half of the samples."""


@dataclass(frozen=True)
class PooledEvent(Event):
    """The levels of one statistic for the true value and another one, over all pairs of values.

    Attributes:
        statistic: Its place among the columns' statistics.
        cells: The pairs of levels (of x, of x′) that make up the event.
    """

    statistic: int
    cells: tuple[tuple[int, int], ...]

    def count(self, columns: Columns, half: Half) -> Tally:
        table = level_pairs(columns, half, self.statistic)
        hits = sum(int(table[a, b]) for a, b in self.cells)
        other_hits = sum(int(table[b, a]) for a, b in self.cells)
        return Tally(hits, len(half.paired), other_hits, len(half.paired))


@dataclass(frozen=True)
class ValuesEvent(Event):
    """An event of reports as such, under two values.

    Attributes:
        between: Columns of the two values.
        key: What parts the event from all others of the same columns: two of one key are the same.
        chooses: Says for reports at some places whether they are in the event.
    """

    between: tuple[int, int]
    key: tuple[object, ...]
    chooses: Callable[[Columns, Places], NDArray[np.bool_]] = field(compare=False)

    def count(self, columns: Columns, half: Half) -> Tally:
        first, second = half.on(self.between[0]), half.on(self.between[1])
        hits, others = self.chooses(columns, first), self.chooses(columns, second)
        return Tally(int(hits.sum()), len(first), int(others.sum()), len(second))


def level_pairs(columns: Columns, half: Half, statistic: int) -> NDArray[np.int64]:
    """Return how often a report has level a for its own value and b for its partner's, shape (levels, levels)."""
    chosen = columns.statistics[statistic]
    count, rows = len(chosen.words), half.paired_rows
    own = chosen.levels[rows, half.paired_own].astype(np.int64)
    other = chosen.levels[rows, half.other]
    return np.bincount(own * count + other, minlength=count * count).reshape(count, count)


def pooled(columns: Columns, statistic: int, cells: Iterable[tuple[int, int]]) -> PooledEvent:
    """Return the event that a report has one of some pairs of levels for x and x′; the first ones are named."""
    cells = tuple(cells)
    says = columns.statistics[statistic].words
    listed = [f"{says[a].format(X)} and {says[b].format(OTHER)}" for a, b in cells[:2]]
    rest = len(cells) - len(listed)
    more = "" if not rest else ", or one more like these" if rest == 1 else f", or one of {rest} more like these"
    return PooledEvent("the report " + ", or ".join(listed) + more, ALL_PAIRS, OTHER, statistic, tuple(sorted(cells)))


def having(
    columns: Columns,
    place: int,
    code: int,
    between: tuple[int, int],
    labels: Labels,
    *,
    at_least: bool,
    negated: bool,
) -> ValuesEvent:
    """Return the event that a field has a code, or at least that code; or that it has not."""

    def chooses(columns: Columns, rows: Places) -> NDArray[np.bool_]:
        codes = columns.all_fields[place].codes[rows]
        return ((codes >= code) if at_least else (codes == code)) != negated

    chosen = columns.all_fields[place]
    relation = ("less than " if negated else "at least ") if at_least else ("not " if negated else "")
    words = f"{chosen.name} is {relation}{chosen.words[code]}"
    return _between(words, between, labels, ("has", place, code, at_least, negated), chooses)


def saying(
    columns: Columns,
    statistic: int,
    column: int,
    level: int,
    between: tuple[int, int],
    labels: Labels,
    *,
    negated: bool,
) -> ValuesEvent:
    """Return the event that a report has at least a level for one value; or less."""

    def chooses(columns: Columns, rows: Places) -> NDArray[np.bool_]:
        return (columns.statistics[statistic].levels[rows, column] >= level) != negated

    says = columns.statistics[statistic].words
    few = len(says) - level <= MOST_NAMED
    named = " or ".join(says[level:]) if few else f"{says[level]} (or more)"
    words = f"the report {named.format(*[labels[column]] * (len(says) - level))}"
    words = f"it is not so that {words}" if negated else words
    return _between(words, between, labels, ("says", statistic, column, level, negated), chooses)


def telling(columns: Columns, statistic: int, level: int, between: tuple[int, int], labels: Labels) -> ValuesEvent:
    """Return the event that a report has at least a level for the first value, and less for the second."""
    first, second = between

    def chooses(columns: Columns, rows: Places) -> NDArray[np.bool_]:
        levels = columns.statistics[statistic].levels
        return (levels[rows, first] >= level) & (levels[rows, second] < level)

    says = columns.statistics[statistic].words[level].format(labels[first])
    words = f"the report {says} and not {labels[second]}"
    return _between(words, between, labels, ("tells", statistic, level), chooses)


def _between(
    words: str,
    between: tuple[int, int],
    labels: Labels,
    key: tuple[object, ...],
    chooses: Callable[[Columns, Places], NDArray[np.bool_]],
) -> ValuesEvent:
    first, second = (f"the value {labels[column]}" for column in between)
    return ValuesEvent(words, first, second, between, key, chooses)
