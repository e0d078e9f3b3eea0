"""The search for the event that tells values apart best, on one half of the samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import proportion_high, proportion_low
from qifldp.audit.columns import Columns
from qifldp.audit.events import Event, Labels, having, level_pairs, pooled, saying, telling
from qifldp.audit.splitting import Half

MOST_CODES = 4096
"""Codes of a field that are looked at one by one; of more, if they are ordered, only thresholds."""

FEWEST_SEEN = 8
"""Times that a code has to be seen, to be looked at: a bound from fewer says next to nothing."""

THRESHOLDS = 32
"""Thresholds of an ordered field: quantiles of the first half."""

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
    for place, statistic in enumerate(columns.statistics):
        table = level_pairs(columns, half, place)
        count = len(statistic.words)
        a, b = np.divmod(np.arange(count * count), count)
        ratio = np.log((table.ravel() + 0.5) / (table.T.ravel() + 0.5))
        for order in (np.argsort(-ratio, kind="stable"), np.lexsort((a, b - a))):
            hits, others = np.cumsum(table.ravel()[order]), np.cumsum(table.T.ravel()[order])
            promises = promise(hits, n, others, n, error)
            top = int(np.argmax(promises))
            if best is None or promises[top] > best.promise:
                chosen = [c for c in order[: top + 1].tolist() if table.ravel()[c] + table.T.ravel()[c] > 0]
                chosen.sort(key=lambda cell: -int(table.ravel()[cell]))
                cells = [(int(a[c]), int(b[c])) for c in chosen]
                best = Candidate(pooled(columns, place, cells), float(promises[top]))
    return best


def find_between_values(columns: Columns, half: Half, labels: Labels, error: float) -> Candidate | None:
    """Return the best event of two values: of every field and every watched value, between every two values."""
    trials = np.bincount(half.own, minlength=len(labels))
    best: Candidate | None = None
    looked = _Look(columns, half, trials, labels, error)
    for candidate in (*looked.at_fields(), *looked.at_statistics()):
        if best is None or candidate.promise > best.promise:
            best = candidate
    return best


@dataclass(frozen=True, eq=False)
class _Look:
    """What is looked at: reports of the first half, under each of ``trials`` values."""

    columns: Columns
    half: Half
    trials: Counts
    labels: Labels
    error: float

    def at_fields(self) -> Iterator[Candidate]:
        """Yield the best event of every field."""
        own, values = self.half.own, len(self.trials)
        for place, field in enumerate(self.columns.fields):
            codes = field.codes[self.half.rows]
            times = np.bincount(codes)
            found = np.flatnonzero(times >= FEWEST_SEEN)
            if len(found) == 1 and times[found[0]] == len(codes):
                continue  # says nothing
            if 0 < len(found) <= MOST_CODES:
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
            for level in range(1, len(statistic.words)):
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


def promise(hits: object, trials: object, others: object, other_trials: object, error: float) -> NDArray[np.float64]:
    """Return the bounds on ε that counts of events give, at the error at which candidates are compared."""
    small = error / CANDIDATES
    with np.errstate(divide="ignore"):
        return np.log(proportion_low(hits, trials, small)) - np.log(proportion_high(others, other_trials, small))
