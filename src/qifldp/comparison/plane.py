"""The privacy–utility plane: every protocol of a comparison against what any ε-LDP protocol could reach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qifldp.channels.channel import Channel
from qifldp.channels.hyper import Hyper
from qifldp.comparison.compare import Row
from qifldp.comparison.frontier import Frontier, frontier
from qifldp.leakage import blocks
from qifldp.protocols.protocol import Protocol

LEAKAGES = ("asr_uniform", "shannon_capacity_bits", "pairwise_advantage")
"""What the plane can be drawn against; the frontier is known for the first."""

MOST_FRONTIERS = 3
"""Frontiers that are drawn: more would hide the protocols. Where there are more, that of the largest ε is."""

SAME = 1e-9
"""Relative difference within which two budgets have one frontier."""


@dataclass(frozen=True)
class Plane:
    """Leakage against error at one budget asked.

    Attributes:
        asked_epsilon: The budget, None for a limit.
        points: For each protocol its figures; its share of the information that the best protocol of its tight ε and
            its chance of a right guess has (``frontier_share``), and that protocol's error (``least_error``).
        frontier: Points of the frontiers: epsilon, asr_uniform, standard_error_weighted, to be joined by straight lines
            on a linear and a logarithmic axis: these are exact to 0.02 % of the error, or to a millionth of the excess
            (:meth:`~qifldp.comparison.frontier.Frontier.points`).
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
        hyper = source.profile.hyper
        excess = max(source.domain_size * float(blocks.guesses_excess(hyper, 1)), 0.0)
        information = float(blocks.information_per_report(hyper))
        point: dict[str, object] = {"series": name, "protocol": row.protocol, "spec": row.spec}
        point |= {key: row.figures[key] for key in ("tight_epsilon", *LEAKAGES, "standard_error_weighted")}
        point["frontier_share"] = min(best.share(excess, information), 1.0)
        least = best.least_error(excess, _wrong_guesses(hyper), n)
        point["least_error"] = least if math.isfinite(least) else None
        points.append(point)
    drawn = sorted(frontiers, reverse=True)
    curves = [
        {"epsilon": epsilon, "asr_uniform": float(x), "standard_error_weighted": float(y)}
        for epsilon in (drawn if len(drawn) <= MOST_FRONTIERS else drawn[:1])
        for x, y in _drawn(frontiers[epsilon], n)
    ]
    return Plane(asked, tuple(points), tuple(curves))


def _frontier(protocol: Protocol, known: dict[float, Frontier]) -> Frontier:
    epsilon = protocol.tight_epsilon
    for other, found in known.items():
        if math.isclose(other, epsilon, rel_tol=SAME):
            return found
    known[epsilon] = frontier(protocol.domain_size, epsilon)
    return known[epsilon]


def _wrong_guesses(hyper: Hyper) -> float:
    """Return the chance that the best guess is wrong, without cancellation: the sum of the others' posteriors."""
    posterior = hyper.posterior.astype(np.float64)
    others = hyper.multiplicity.copy()
    others[np.arange(len(posterior)), posterior.argmax(axis=1)] -= 1
    return float((hyper.float_outer * (others * posterior).sum(axis=1)).sum())


def _drawn(best: Frontier, n: int) -> list[tuple[float, float]]:
    """Return points of a frontier, the end of the domain among them: beyond its top nothing more is gained."""
    asr, error = best.points(n)
    return [(float(x), float(y)) for x, y in zip(asr, error, strict=True)] + [(1.0, float(error[-1]))]
