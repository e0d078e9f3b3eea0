"""The search for the event that tells values apart best, on one half of the samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import proportion_high, proportion_low
from qifldp.audit.columns import FEWEST_SEEN, Columns
from qifldp.audit.events import Event, Labels, having, level_pairs, pooled, saying, telling
from qifldp.audit.splitting import Half

MOST_CODES = 4096
"""Codes of a field that are looked at one by one: of more, the most frequent ones."""

THRESHOLDS = 32
"""Thresholds of an ordered field, and of a statistic of many levels: quantiles of the first half."""

CANDIDATES = 1e4
"""The error at which candidates are compared is the test's, divided by this: among many events that are seen a few
times some look good by chance, and they should not push out one that is."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Candidate:
    """An event and the bound on ε that the first half promises for it."""

    event: Event
    promise: float


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


def find_between_values(columns: Columns, half: Half, labels: Labels, error: float) -> Candidate | None:
    """Return the best event of two values: of every field and every watched value, between every two values."""
    looked = _Look(columns, half, np.bincount(half.own, minlength=len(labels)), labels, error)
    count, fields = len(columns.all_fields), len(columns.fields)
    places = [*range(fields, count), *range(fields)]  # of two that promise as much, the whole report says more
    return best_of([*looked.at_fields(places), *looked.at_statistics()])


def find_whole(columns: Columns, half: Half, labels: Labels, error: float) -> Candidate | None:
    """Return the best event of two values and one whole report."""
    if columns.whole is None:
        return None
    looked = _Look(columns, half, np.bincount(half.own, minlength=len(labels)), labels, error)
    return best_of([*looked.at_fields([len(columns.all_fields) - 1])])


def best_of(candidates: Sequence[Candidate | None]) -> Candidate | None:
    """Return the candidate that promises most, if there is one."""
    found = [candidate for candidate in candidates if candidate is not None]
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

    def at_fields(self, places: Iterable[int]) -> Iterator[Candidate]:
        """Yield the best event of each of some fields."""
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
                yield from self._best_pair(table, place, found, at_least=False)
            if field.ordered:
                levels = np.arange(1, THRESHOLDS) / THRESHOLDS
                steps = np.unique(np.quantile(codes, levels, method="higher").astype(np.int64))
                table = np.array([np.bincount(own[codes >= step], minlength=values) for step in steps], np.int64).T
                yield from self._best_pair(table, place, steps, at_least=True)

    def _best_pair(self, table: Counts, place: int, codes: Counts, *, at_least: bool) -> Iterator[Candidate]:
        for negated in (False, True):
            top, between, best = self._extremes(table, negated=negated)
            event = having(
                self.columns, place, int(codes[top]), between, self.labels, at_least=at_least, negated=negated
            )
            yield Candidate(event, best)

    def at_statistics(self) -> Iterator[Candidate]:
        """Yield the best events of every level of every statistic: of one value, and of two."""
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
                for negated in (False, True):
                    top, between, best = self._extremes(table, negated=negated)
                    event = saying(self.columns, place, top, level, between, self.labels, negated=negated)
                    yield Candidate(event, best)
                promises = promise(own, self.trials[:, None], apart.T, self.trials[None, :], self.error)
                a, b = np.unravel_index(int(np.argmax(promises)), promises.shape)
                event = telling(self.columns, place, level, (int(a), int(b)), self.labels)
                yield Candidate(event, float(promises[a, b]))

    def _extremes(self, table: Counts, *, negated: bool) -> tuple[int, tuple[int, int], float]:
        """Return the column of counts with the best promise, its two values, and the promise.

        For each column the two are those under which it is surely most and least frequent.
        """
        hits, small = self.trials[:, None] - table if negated else table, self.error / CANDIDATES
        low = proportion_low(hits, self.trials[:, None], small)
        high = proportion_high(hits, self.trials[:, None], small)
        first, second, at = low.argmax(axis=0), high.argmin(axis=0), np.arange(hits.shape[1])
        with np.errstate(divide="ignore"):
            promises = np.log(low[first, at]) - np.log(high[second, at])
        top = int(np.argmax(promises))
        return top, (int(first[top]), int(second[top])), float(promises[top])


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
