"""Trade-off curves (f-DP) of the protocols of a comparison, and their (ε, δ) readings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.channels.channel import Channel
from qifldp.comparison.compare import Row
from qifldp.leakage.tradeoff import TradeOff, trade_off
from qifldp.protocols.protocol import Protocol

READINGS = 41
"""Evenly spaced values of ε at which δ is read."""

ALIKE = 1e-9
"""Share of the largest ε by which two differ that are read as one, the larger: one but for rounding."""

MOST_CORNERS = 200
"""Points of a curve that are kept: matrices have one for every output."""

LARGEST_READ = 20.0
"""ε up to which δ is read where some protocol has no finite ε."""


@dataclass(frozen=True)
class Curves:
    """How well two values can be told apart, for each protocol at one budget asked.

    Attributes:
        asked_epsilon: The budget, None for a limit.
        corners: Corners of the trade-off curves: series, protocol, alpha (type I error), beta (type II error).
        readings: The least δ at each ε: series, protocol, epsilon, delta.
        pairs: For matrices, which two rows are compared: those that are told apart best.
    """

    asked_epsilon: float | None
    corners: tuple[dict[str, object], ...]
    readings: tuple[dict[str, object], ...]
    pairs: dict[str, tuple[str, str]]

    def to_json(self) -> dict[str, object]:
        """Return the curves as JSON."""
        return {
            "epsilon": self.asked_epsilon,
            "corners": list(self.corners),
            "readings": list(self.readings),
            "pairs": {series: list(pair) for series, pair in self.pairs.items()},
        }


def curves(
    asked: float | None, rows: Sequence[Row], names: Sequence[str], sources: Mapping[str, Protocol | Channel]
) -> Curves:
    """Return the trade-off curves of the rows of one budget asked.

    Args:
        asked: The budget asked.
        rows: Its rows.
        names: What each is called.
        sources: The protocol or the channel of each row by its spec.
    """
    found: dict[str, tuple[str, TradeOff]] = {}
    pairs = {}
    for name, row in zip(names, rows, strict=True):
        source = sources.get(row.spec)
        if source is None or (isinstance(source, Channel) and source.domain_size < 2):
            continue
        first, second = _told_apart(source) if isinstance(source, Channel) else (0, 1)
        if isinstance(source, Channel):
            pairs[name] = (source.inputs[first], source.inputs[second])
        found[name] = (row.protocol, trade_off(source, first, second))
    grid = _places([_finite(curve.tight_epsilon) for _, curve in found.values()])
    corners = [
        {"series": name, "protocol": protocol, "alpha": alpha, "beta": beta}
        for name, (protocol, curve) in found.items()
        for alpha, beta in _corners(curve)
    ]
    readings = [
        {"series": name, "protocol": protocol, "epsilon": float(epsilon), "delta": float(curve.delta(float(epsilon)))}
        for name, (protocol, curve) in found.items()
        for epsilon in grid
    ]
    return Curves(asked, tuple(corners), tuple(readings), pairs)


def _places(tight: Sequence[float]) -> NDArray[np.float64]:
    """Return the ε at which δ is read: evenly spaced ones, and each tight ε, at which a curve reaches 0."""
    largest = max(tight, default=0.0)
    places = np.union1d(np.linspace(0.0, largest, READINGS), tight)
    return places[np.append(np.diff(places) > ALIKE * largest, True)]


def _finite(epsilon: float) -> float:
    return epsilon if math.isfinite(epsilon) else LARGEST_READ


def _corners(curve: TradeOff) -> list[tuple[float, float]]:
    alpha, beta = curve.alpha.astype(np.float64), curve.beta.astype(np.float64)
    kept = np.unique(np.linspace(0, len(alpha) - 1, min(len(alpha), MOST_CORNERS)).astype(int))
    return [(min(float(alpha[i]), 1.0), max(float(beta[i]), 0.0)) for i in kept]


def _told_apart(channel: Channel) -> tuple[int, int]:
    """Return the two rows of a matrix between which the total variation is largest."""
    matrix = channel.matrix.astype(np.float64)
    best = (-1.0, 0, 1)
    for x in range(channel.domain_size - 1):
        gaps = np.abs(matrix[x + 1 :] - matrix[x]).sum(axis=1)
        place = int(np.argmax(gaps))
        best = max(best, (float(gaps[place]), x, x + 1 + place), key=lambda one: one[0])
    return best[1], best[2]
