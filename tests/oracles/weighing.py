"""Squared errors of the textbook and of the weighted estimates from the same simulated reports."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.protocols.protocol import Protocol

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

RUNS = 300

AT_ONCE = 1 << 20
"""Reports that are drawn at once, of whole runs."""


def shares(shape: str, k: int, n: int) -> Counts:
    """Return the true counts of n people: ``uniform``, ``zipf`` or ``one`` (all of them have the middle value)."""
    weights = {"uniform": np.ones(k), "zipf": 1 / np.arange(1, k + 1), "one": (np.arange(k) == k // 2) * 1.0}[shape]
    ends = np.floor(np.cumsum(weights) / weights.sum() * n + 0.5).astype(np.int64)
    return np.diff(ends, prepend=0)


@dataclass(frozen=True)
class Gain:
    """Mean squared error of plain over weighted estimates, with the standard error of the ratio over the runs.

    Attributes:
        ratio: Of the errors; above 1 the weights help.
        error: Its standard error: that of the mean of a − ratio · b over that of b (delta method); the two errors
            of one run are of the same reports, so that most of their noise cancels.
    """

    ratio: float
    error: float

    @classmethod
    def of(cls, plain: Floats, weighted: Floats) -> Gain:
        mean = weighted.mean()
        ratio = plain.mean() / mean
        return cls(float(ratio), float((plain - ratio * weighted).std(ddof=1) / mean / math.sqrt(len(plain))))


def squared_errors(protocol: Protocol, people: Counts, *, runs: int = RUNS, seed: int = 1) -> tuple[Floats, Floats]:
    """Return (f̂ − f)² about the data, shape (runs, k), of plain and of weighted estimates."""
    n, rng = int(people.sum()), np.random.default_rng(seed)
    truth = people / n
    values = np.repeat(np.arange(len(people)), people)
    some = max(1, AT_ONCE // n)
    found: list[tuple[Floats, Floats]] = []
    for start in range(0, runs, some):
        rows = protocol.perturb(np.tile(values, min(some, runs - start)), rng=rng).rows
        for at in range(0, len(rows), n):
            counts = protocol.accumulator()
            counts.count_part(rows[at : at + n])
            plain, weighted = counts.estimate(weights="plain"), counts.estimate()
            found.append(((plain.frequency - truth) ** 2, (weighted.frequency - truth) ** 2))
    plain_errors, weighted_errors = (np.array(part) for part in zip(*found, strict=True))
    return plain_errors, weighted_errors
