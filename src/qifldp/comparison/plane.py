"""The privacy–utility plane: every protocol of a comparison against what any ε-LDP protocol could reach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qifldp.channels.channel import Channel
from qifldp.comparison.compare import Row
from qifldp.comparison.frontier import Frontier, frontier
from qifldp.leakage import blocks
from qifldp.leakage.capacity import bayes_capacity
from qifldp.protocols.protocol import Protocol

LEAKAGES = ("asr_uniform", "shannon_capacity_bits", "pairwise_advantage")
"""What the plane can be drawn against; the frontier is known for the first."""

MOST_FRONTIERS = 3
"""Frontiers that are drawn: more would hide the protocols. Where there are more, that of the largest ε is."""

SAME = 1e-9
"""Relative difference within which two budgets have one frontier."""

CURVE_POINTS, MOST_POINTS = 80, 400
"""Of a frontier, beside its corners, and at most."""


@dataclass(frozen=True)
class Plane:
    """Leakage against error at one budget asked.

    Attributes:
        asked_epsilon: The budget, None for a limit.
        points: For each protocol its figures; its share of the information that the best protocol of its tight ε and
            its chance of a right guess has (``frontier_share``), and that protocol's error (``least_error``).
        frontier: Points of the frontiers: epsilon, asr_uniform, standard_error_weighted.
    """

    asked_epsilon: float | None
    points: tuple[dict[str, object], ...]
    frontier: tuple[dict[str, float], ...]

    def to_json(self) -> dict[str, object]:
        """Return the plane as JSON."""
        return {"epsilon": self.asked_epsilon, "points": list(self.points), "frontier": list(self.frontier)}


def plane(
    asked: float | None, rows: Sequence[Row], names: Sequence[str], sources: Mapping[str, Protocol | Channel], n: int
) -> Plane:
    """Return the plane of the rows of one budget asked; rows without an error (bare channels) are left out.

    Args:
        asked: The budget asked.
        rows: Its rows.
        names: What each is called.
        sources: The protocol of each row by its spec.
        n: Number of reports, for the errors.
    """
    frontiers: dict[float, Frontier] = {}
    points: list[dict[str, object]] = []
    for name, row in zip(names, rows, strict=True):
        source = sources.get(row.spec)
        if not isinstance(source, Protocol) or row.figures["standard_error_weighted"] is None:
            continue
        best = _frontier(source, frontiers)
        excess = max(float(bayes_capacity(source)) - 1, 0.0)
        information = float(blocks.information_per_report(source.profile.hyper))
        point: dict[str, object] = {"series": name, "protocol": row.protocol, "spec": row.spec}
        point |= {key: row.figures[key] for key in ("tight_epsilon", *LEAKAGES, "standard_error_weighted")}
        point["frontier_share"] = min(best.share(excess, information), 1.0)
        point["least_error"] = _least_error(best, excess, n)
        points.append(point)
    drawn = sorted(frontiers, reverse=True)
    curves = [
        {"epsilon": epsilon, "asr_uniform": float(x), "standard_error_weighted": float(y)}
        for epsilon in (drawn if len(drawn) <= MOST_FRONTIERS else drawn[:1])
        for x, y in _thinned(frontiers[epsilon], n)
    ]
    return Plane(asked, tuple(points), tuple(curves))


def _frontier(protocol: Protocol, known: dict[float, Frontier]) -> Frontier:
    epsilon = protocol.tight_epsilon
    for other, found in known.items():
        if math.isclose(other, epsilon, rel_tol=SAME):
            return found
    known[epsilon] = frontier(protocol.domain_size, epsilon)
    return known[epsilon]


def _least_error(best: Frontier, excess: float, n: int) -> float | None:
    """The standard error of the frontier's protocol at a Bayes capacity: sqrt((1/I − 1/I∞)/n)."""
    information = best.information_at(excess)
    if information <= 0:
        return None
    most = best.domain_size**2 / (best.domain_size - 1)
    return math.sqrt(max(1 / information - 1 / most, 0.0) / n)


def _thinned(best: Frontier, n: int) -> list[tuple[float, float]]:
    """Return points of a frontier, the end of the domain among them: beyond its top nothing more is gained."""
    asr, error = best.points(n, CURVE_POINTS)
    step = max(1, math.ceil(len(asr) / MOST_POINTS))  # large domains have a corner for every set size
    kept = [place for place in range(len(asr)) if place % step == 0 or place == len(asr) - 1]
    return [(float(asr[place]), float(error[place])) for place in kept] + [(1.0, float(error[-1]))]
