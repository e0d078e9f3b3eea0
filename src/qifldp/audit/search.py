"""The search for the event that tells values apart best, on one half of the samples."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import exceeding_error, proportion_high, proportion_low
from qifldp.audit.columns import FEWEST_SEEN, Columns
from qifldp.audit.events import Event, Labels, having, level_pairs, pooled, saying, telling
from qifldp.audit.powers import MISLED
from qifldp.audit.splitting import Half

MOST_CODES = 4096
"""Codes of a field that are looked at one by one: of more, the most frequent ones."""

THRESHOLDS = 32
"""Thresholds of an ordered field, and of a statistic of many levels: quantiles of the first half."""

CANDIDATES = 1e4
"""The error at which candidates are compared is the test's, divided by this: among many events that are seen a few
times some look good by chance, and they should not push out one that is."""

Counts = NDArray[np.int64]

Between = tuple[int, int]


@dataclass(frozen=True)
class Candidate:
    """An event and the bound on ε that the first half promises for it."""

    event: Event
    promise: float


@dataclass(frozen=True)
class Compared:
    """What comparing values has found on the first half.

    Attributes:
        best: The event with the largest bound; None if there is nothing to compare.
        clearest: The one that exceeds the claimed ε most clearly; None if none does.
        comparisons: How many bounds were compared, M: with a chance of 1 − δ none of an event that keeps the claim
            exceeds it at an error of δ/M.
    """

    best: Candidate | None
    clearest: Event | None
    comparisons: int


def find_pooled(columns: Columns, half: Half, error: float) -> Candidate | None:
    """Return the best event of all pairs of values together: the likeliest pairs of levels of one statistic."""
    best: Candidate | None = None
    n = len(half.paired)
    for place in range(len(columns.statistics)):
        table = level_pairs(columns, half, place)
        a, b = np.nonzero(table + table.T)
        if not len(a):
            continue  # no two reports on different values
        mine, theirs = table[a, b], table.T[a, b]
        ratio = np.log((mine + 0.5) / (theirs + 0.5))
        for order in (np.argsort(-ratio, kind="stable"), np.lexsort((a, b - a))):
            promises = promise(np.cumsum(mine[order]), n, np.cumsum(theirs[order]), n, error)
            top = int(np.argmax(promises))
            if best is None or promises[top] > best.promise:
                chosen = sorted(order[: top + 1].tolist(), key=lambda cell: -int(mine[cell]))
                cells = [(int(a[cell]), int(b[cell])) for cell in chosen]
                best = Candidate(pooled(columns, place, cells), float(promises[top]))
    return best


def compare_values(columns: Columns, half: Half, labels: Labels, error: float, epsilon: float) -> Compared:
    """Compare every two values by every field and every watched value.

    Two events are chosen: that with the largest bound on ε, and that which exceeds the claimed one most clearly, at the
    least error. They differ if a frequent event, which is known well, is just within the claim, and a rarer one is
    beyond it.
    """
    looked = _Look(columns, half, np.bincount(half.own, minlength=len(labels)), labels, error)
    count, fields = len(columns.all_fields), len(columns.fields)
    places = [*range(fields, count), *range(fields)]  # of two that promise as much, the whole report says more
    best: Candidate | None = None
    comparisons, exceeding = 0, []
    for counted in chain(looked.at_fields(places), looked.at_statistics()):
        best = best_of([best, counted.best])
        comparisons += counted.comparisons
        exceeding.append(counted.exceeding(looked.trials, epsilon))
    bar = MISLED / max(1, comparisons)
    clearest = [counted.clearest(looked.trials, epsilon, bar) for counted in exceeding if counted.comparisons]
    least, event = min(clearest, key=lambda found: found[0], default=(math.inf, None))
    return Compared(best, event if least < math.inf else None, comparisons)


def find_whole(columns: Columns, half: Half, labels: Labels, error: float) -> Candidate | None:
    """Return the best event of two values and one whole report."""
    if columns.whole is None:
        return None
    looked = _Look(columns, half, np.bincount(half.own, minlength=len(labels)), labels, error)
    return best_of([counted.best for counted in looked.at_fields([len(columns.all_fields) - 1])])


def best_of(candidates: Sequence[Candidate | None]) -> Candidate | None:
    """Return the candidate that promises most, if one promises anything at all."""
    found = [candidate for candidate in candidates if candidate is not None and candidate.promise > -math.inf]
    return max(found, key=lambda candidate: candidate.promise, default=None)


def searched(times: NDArray[Any]) -> NDArray[Any]:
    """Return how often those codes of a field are seen, of all that often, that are looked at one by one; falling."""
    return np.sort(times[times >= FEWEST_SEEN])[::-1][:MOST_CODES]


@dataclass(frozen=True, eq=False)
class _Look:
    """What is looked at: reports of the first half, under each of ``trials`` values."""

    columns: Columns
    half: Half
    trials: Counts
    labels: Labels
    error: float

    def at_fields(self, places: Iterable[int]) -> Iterator[_Counted]:
        """Yield the counts of some fields."""
        own, values = self.half.own, len(self.trials)
        for place in places:
            field = self.columns.all_fields[place]
            codes = field.codes[self.half.rows]
            times = np.bincount(codes)
            found = np.flatnonzero(times >= FEWEST_SEEN)
            if len(found) == 1 and times[found[0]] == len(codes):
                continue  # says nothing
            if len(found) > MOST_CODES:
                found = np.sort(found[np.argsort(-times[found], kind="stable")[:MOST_CODES]])
            if len(found):
                seen = np.isin(codes, found)
                table = np.zeros((values, len(found)), np.int64)
                np.add.at(table, (own[seen], np.searchsorted(found, codes[seen])), 1)
                yield from self._of_field(table, place, found, at_least=False)
            if field.ordered:
                levels = np.arange(1, THRESHOLDS) / THRESHOLDS
                steps = np.unique(np.quantile(codes, levels, method="higher").astype(np.int64))
                table = np.array([np.bincount(own[codes >= step], minlength=values) for step in steps], np.int64).T
                yield from self._of_field(table, place, steps, at_least=True)

    def _of_field(self, table: Counts, place: int, codes: Counts, *, at_least: bool) -> Iterator[_Counted]:
        for negated in (False, True):

            def event(code: int, between: Between, negated: bool = negated) -> Event:
                return having(self.columns, place, code, between, self.labels, at_least=at_least, negated=negated)

            yield self._table(table, codes, event, negated=negated)

    def at_statistics(self) -> Iterator[_Counted]:
        """Yield the counts of every level of every statistic: for one value, and for two."""
        values = len(self.trials)
        for place, statistic in enumerate(self.columns.statistics):
            levels = statistic.levels[self.half.rows]
            for level in steps_of(levels):
                says = levels >= level
                if not says.any():
                    continue
                table, own, apart = np.zeros((3, values, values), np.int64)
                for value in range(values):
                    mine = says[self.half.own == value]
                    table[value] = mine.sum(axis=0)
                    own[value] = (mine[:, [value]] & ~mine).sum(axis=0)
                    apart[value] = (mine & ~mine[:, [value]]).sum(axis=0)
                yield from self._of_statistic(table, place, level)
                yield self._of_pairs(own, apart, place, level)

    def _of_statistic(self, table: Counts, place: int, level: int) -> Iterator[_Counted]:
        for negated in (False, True):

            def event(column: int, between: Between, negated: bool = negated) -> Event:
                return saying(self.columns, place, column, level, between, self.labels, negated=negated)

            yield self._table(table, np.arange(len(self.trials)), event, negated=negated)

    def _table(self, table: Counts, codes: Counts, event: Callable[[int, Between], Event], *, negated: bool) -> _Table:
        top, between, most = self._extremes(table, negated=negated)
        hits = self.trials[:, None] - table if negated else table
        return _Table(Candidate(event(int(codes[top]), between), most), hits, codes, event)

    def _of_pairs(self, own: Counts, apart: Counts, place: int, level: int) -> _Pairs:
        def event(between: Between) -> Event:
            return telling(self.columns, place, level, between, self.labels)

        promises = promise(own, self.trials[:, None], apart.T, self.trials[None, :], self.error)
        a, b = np.unravel_index(int(np.argmax(promises)), promises.shape)
        first, second = np.divmod(np.arange(own.size), len(self.trials))
        best = Candidate(event((int(a), int(b))), float(promises[a, b]))
        return _Pairs(best, own.ravel(), apart.T.ravel(), first, second, event)

    def _extremes(self, table: Counts, *, negated: bool) -> tuple[int, tuple[int, int], float]:
        """Return the column of counts with the best promise, its two values, and the promise.

        For each column the two are those under which it is surely most and least frequent.
        """
        hits, small = self.trials[:, None] - table if negated else table, self.error / CANDIDATES
        low = proportion_low(hits, self.trials[:, None], small)
        high = proportion_high(hits, self.trials[:, None], small)
        first, second, at = low.argmax(axis=0), high.argmin(axis=0), np.arange(hits.shape[1])
        with np.errstate(divide="ignore"):
            promises = np.where(first == second, -np.inf, np.log(low[first, at]) - np.log(high[second, at]))
        top = int(np.argmax(promises))
        return top, (int(first[top]), int(second[top])), float(promises[top])


@dataclass(frozen=True, eq=False)
class _Counted(ABC):
    """How often some events are seen on the first half, under values that are to be compared.

    Attributes:
        best: The event with the largest bound, and its two values.
    """

    best: Candidate

    @property
    @abstractmethod
    def comparisons(self) -> int:
        """How many bounds are compared."""

    @abstractmethod
    def exceeding(self, trials: Counts, epsilon: float) -> Self:
        """Return those that exceed ε as they are counted: of the others no bound does."""

    @abstractmethod
    def clearest(self, trials: Counts, epsilon: float, error: float) -> tuple[float, Event]:
        """Return the least error at which one exceeds ε, and that one.

        If the bounds of any two values do at ``error``, the values are such.
        """


@dataclass(frozen=True, eq=False)
class _Table(_Counted):
    """Events of which each is compared between all values.

    Attributes:
        hits: How often each is seen under each value, shape (values, events).
        codes: What each is called.
        event: Makes the event of a code and two values.
    """

    hits: Counts
    codes: Counts
    event: Callable[[int, Between], Event]

    @property
    def comparisons(self) -> int:
        return self.hits.size  # each value has a bound from below and one from above, with half of an error each

    def exceeding(self, trials: Counts, epsilon: float) -> Self:
        chances = self.hits[trials > 0] / trials[trials > 0, None]
        some = chances.max(axis=0) > math.exp(epsilon) * chances.min(axis=0)
        return replace(self, hits=self.hits[:, some], codes=self.codes[some])

    def clearest(self, trials: Counts, epsilon: float, error: float) -> tuple[float, Event]:
        hits, at = self.hits, np.arange(len(self.codes))
        first = proportion_low(hits, trials[:, None], error / 2).argmax(axis=0)
        second = proportion_high(hits, trials[:, None], error / 2).argmin(axis=0)
        errors = exceeding_error(hits[first, at], trials[first], hits[second, at], trials[second], epsilon)
        errors = np.where(first == second, math.inf, errors)  # a value is not compared with itself
        top = int(np.argmin(errors))
        return float(errors[top]), self.event(int(self.codes[top]), (int(first[top]), int(second[top])))


@dataclass(frozen=True, eq=False)
class _Pairs(_Counted):
    """One event for every two values.

    Attributes:
        hits: How often it is seen under the first of them.
        others: Under the second.
        first: The first ones.
        second: The second ones.
        event: Makes the event of two values.
    """

    hits: Counts
    others: Counts
    first: Counts
    second: Counts
    event: Callable[[Between], Event]

    @property
    def comparisons(self) -> int:
        return len(self.hits)

    def exceeding(self, trials: Counts, epsilon: float) -> Self:
        some = self.hits * trials[self.second] > math.exp(epsilon) * self.others * trials[self.first]
        hits, others, first, second = (part[some] for part in (self.hits, self.others, self.first, self.second))
        return replace(self, hits=hits, others=others, first=first, second=second)

    def clearest(self, trials: Counts, epsilon: float, error: float) -> tuple[float, Event]:  # noqa: ARG002  # no choice
        errors = exceeding_error(self.hits, trials[self.first], self.others, trials[self.second], epsilon)
        top = int(np.argmin(errors))
        return float(errors[top]), self.event((int(self.first[top]), int(self.second[top])))


def steps_of(levels: NDArray[np.uint8]) -> list[int]:
    """Return the levels above the lowest that occur; of many, so many quantiles of them."""
    found = np.unique(levels)
    if len(found) > THRESHOLDS:
        found = np.unique(np.quantile(found, np.linspace(0, 1, THRESHOLDS), method="nearest"))
    return [level for level in found.tolist() if level > 0]


def promise(hits: object, trials: object, others: object, other_trials: object, error: float) -> NDArray[np.float64]:
    """Return the bounds on ε that counts of events give, at the error at which candidates are compared."""
    small = error / CANDIDATES
    with np.errstate(divide="ignore"):
        return np.log(proportion_low(hits, trials, small)) - np.log(proportion_high(others, other_trials, small))
