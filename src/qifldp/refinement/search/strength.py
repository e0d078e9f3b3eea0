"""How far one profile is from being refined to another: deficiency and vulnerability ratio, in floats.

Both are optima over symmetric garblings. Variables: f(w, w'), the mass that goes from A's sets of size w to B's
sets of size w', and for each w' the part of it that puts the secret into the set, between w'/k and M(w, w') of f.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array

from qifldp.channels.profile import Profile
from qifldp.errors import ConvergenceError
from qifldp.refinement.search.linear import FINEST, TOLERANCE, maximise
from qifldp.refinement.search.transport import aligned_mass

Floats = NDArray[np.float64]

NEGLIGIBLE = 1e-14
"""Sizes of less mass are left out of a deficiency's program, and count as lacking: thousands of them, some 1e-11."""

ACCURACY = 1e-9
"""What a deficiency that is told may be above the true one."""

ROUNDING = 1e-15
"""What a sum of masses in doubles is off: a distance of no more is told as none."""

MOST_PAIRS = 250_000
"""Pairs of sizes in one linear program (some ten seconds)."""


def deficiency(original: Profile, refined: Profile, *, seconds: float | None = None) -> float | None:
    """Return the Le Cam deficiency min_W max_x TV((A·W)_x, B_x), to about 1e-9; None if it is too large to solve.

    Every adversary with gains in [0, 1] gains at most this much more from B than from A. It is the distance of the
    garbling that was found, not the program's optimum: rounding apart, never below the deficiency.

    Raises:
        ConvergenceError: If HiGHS fails or the time is up.
    """
    found = nearest(original, refined, seconds=seconds)
    return None if found is None else found.distance


@dataclass(frozen=True)
class Nearest:
    """The garbling of A that comes nearest to B, and the adversary who gains most more from B than from A.

    Attributes:
        distance: How far B is from the garbling, 0 if by no more than rounding: the deficiency, or a little more.
        flows: Triples (w, w', share of B's mass at w' that comes from A's size w).
        bets: Triples (w', stake, price): the adversary may bet on a set of w' values.
    """

    distance: float
    flows: tuple[tuple[int, int, float], ...]
    bets: tuple[tuple[int, float, float], ...]


def nearest(original: Profile, refined: Profile, *, seconds: float | None = None) -> Nearest | None:
    """Return the garbling of A nearest to B, and the adversary of the dual; None if it is too large to solve.

    Raises:
        ConvergenceError: If HiGHS fails or the time is up.
    """
    a, b = _bulk(original), _bulk(refined)
    if len(a.sizes) * len(b.sizes) > MOST_PAIRS:
        return None
    left_out = float(np.exp(refined.log_mass[~np.isin(refined.sizes, b.sizes)]).sum())
    plain = _plain(a, b)
    apart = _distance(a, b, plain)

    def told(distance: float, flow: Floats, bets: tuple[tuple[int, float, float], ...] = ()) -> Nearest:
        return Nearest(clear_of_rounding(distance + left_out), _shares(a, b, flow), bets)

    if apart <= FINEST:  # too little for the program to see: it would find any garbling as good
        return told(apart, plain)
    ones = np.ones((len(a.sizes), len(b.sizes)))
    goal, member = np.exp(b.log_mass), _member(b)
    # TV is the sum of what B has beyond the garbling, inside and outside of its sets.
    missing = -np.eye(2 * len(b.sizes))
    program = _Program(a, b, unit=ones, load=ones, room=np.exp(a.log_mass), tolerance=FINEST)
    need = np.concatenate((goal * member, goal * (1 - member)))
    try:
        found = program.solve(np.full(2 * len(goal), -1.0), -missing, need, seconds)
    except ConvergenceError:
        if apart > ACCURACY:
            raise
        return told(apart, plain)  # as near as need be
    flow = np.maximum(found.flow, 0.0)
    flow *= np.minimum(1.0, program.room / np.maximum(flow.sum(axis=1), program.room))[:, None]  # within the tolerance
    solved = _distance(a, b, flow)
    if apart < solved:
        solved, flow = apart, plain
    stake, price = _adversary(b, *found.worth)
    bets = zip(b.sizes.tolist(), stake.tolist(), price.tolist(), strict=True)
    return told(solved, flow, tuple(bets))


def _plain(a: Profile, b: Profile) -> Floats:
    """Return the flow of a garbling that leaves reports as they are, as many of each size as both have.

    The others become reports of the sizes that are wanting, whatever theirs was. At a tiny ε, where sizes are all that
    tells two protocols apart, hardly anything is nearer.
    """
    room, goal = np.exp(a.log_mass), np.exp(b.log_mass)
    _, w, v = np.intersect1d(a.sizes, b.sizes, assume_unique=True, return_indices=True)
    kept = np.zeros((len(room), len(goal)))
    kept[w, v] = np.minimum(room[w], goal[v])
    spare, wanting = room - kept.sum(axis=1), goal - kept.sum(axis=0)
    total = max(float(spare.sum()), float(wanting.sum()))
    moved: Floats = kept + np.outer(spare, wanting) / total if total > 0 else kept
    return moved


def _shares(a: Profile, b: Profile, flow: Floats) -> tuple[tuple[int, int, float], ...]:
    """Return a flow as triples (w, w', share of B's mass at w')."""
    w, v = np.nonzero(flow)
    shares = flow[w, v] / np.exp(b.log_mass)[v]
    return tuple(zip(a.sizes[w].tolist(), b.sizes[v].tolist(), shares.tolist(), strict=True))


def _distance(a: Profile, b: Profile, flow: Floats) -> float:
    """Return TV((A·W)_x, B_x) for a garbling W that moves masses as the flow says, which is that of a real channel.

    As in :func:`qifldp.refinement.verify_deficiency.distance`: what is put inside of B's sets of size w' is anything
    from w'/k to M(w, w') of the flow.
    """
    goal, inside = np.exp(b.log_mass), np.exp(b.log_mass) * _member(b)
    full, reach = flow.sum(axis=0), (flow * aligned_mass(a, b.sizes)).sum(axis=0)
    put = np.minimum(np.maximum(inside, full * b.sizes / b.domain_size), reach)
    return float((np.maximum(inside - put, 0.0) + np.maximum(goal - inside - (full - put), 0.0)).sum())


def clear_of_rounding(distance: float) -> float:
    """Return a distance between channels, or 0 if it may come from rounding alone."""
    return distance if distance > ROUNDING else 0.0


def _adversary(b: Profile, inside: Floats, outside: Floats) -> tuple[Floats, Floats]:
    """Return the stakes and prices of an adversary whose gain is y if the secret is in the set and z if not.

    A bet of y − z for a price, which is max z − z. Sizes of next to no mass leave the solver free to say anything,
    y < z too: a bet against the set. To the program that is worth what a blind set gives, w'/k·y + (1 − w'/k)·z, no
    more, and B's set gives less: so this is what they gain from such a report, whatever the secret is.
    """
    blind = (b.sizes * inside + (b.domain_size - b.sizes) * outside) / b.domain_size
    against = inside < outside
    inside, outside = np.where(against, blind, inside), np.where(against, blind, outside)
    return inside - outside, outside.max() - outside


def vulnerability_ratio(original: Profile, refined: Profile, *, seconds: float | None = None) -> float | None:
    """Return the largest s ≤ 1 with A·W ≥ s·B entrywise for some W; None if it is too large to solve.

    It is the least V(A)/V(B) over all priors and all gains g ≥ 0: nobody gains more than 1/s times as much from
    B as from A. s = 1 if and only if A ⊑ B. Tails count, so no size is left out: flows are per unit of B's mass.

    Raises:
        ConvergenceError: If HiGHS fails or the time is up.
    """
    if len(original.sizes) * len(refined.sizes) > MOST_PAIRS:
        return None
    log_ratio = refined.log_mass[None, :] - original.log_mass[:, None]
    program = _Program(
        original,
        refined,
        unit=np.exp(-np.maximum(log_ratio, 0.0)),
        load=np.exp(np.minimum(log_ratio, 0.0)),
        room=np.ones(len(original.sizes)),
    )
    member = _member(refined)
    share = -np.concatenate((member, 1 - member))[:, None]
    return min(1.0, program.solve(np.ones(1), share, np.zeros(len(share)), seconds).value)


@dataclass(frozen=True)
class _Optimum:
    """What a program ends with.

    Attributes:
        value: cost·z.
        flow: f, in the units of its variables, a row a size of A.
        worth: What a unit more of each need, inside and outside, would cost.
    """

    value: float
    flow: Floats
    worth: tuple[Floats, Floats]


@dataclass(frozen=True)
class _Program:
    """The constraints of a symmetric garbling.

    Attributes:
        original: A.
        refined: B.
        unit: Mass at w' per unit of the variable of (w, w').
        load: What that unit takes of row w's room.
        room: Room of each row.
        tolerance: What a row or a price may be off.
    """

    original: Profile
    refined: Profile
    unit: Floats
    load: Floats
    room: Floats
    tolerance: float = TOLERANCE

    def solve(self, cost: Floats, extra: Floats, need: Floats, seconds: float | None) -> _Optimum:
        """Maximise cost·z subject to (inside, outside) + extra·z ≥ need, with z ≥ 0."""
        rows, columns = self.unit.shape
        k = self.refined.domain_size
        flows, variable = rows * columns, np.arange(rows * columns)
        w, v = variable // columns, variable % columns
        part, whole = flows + np.arange(columns), np.arange(columns)
        unit, reach = self.unit.ravel(), (self.unit * aligned_mass(self.original, self.refined.sizes)).ravel()
        least = (self.unit * (self.refined.sizes / k)).ravel()
        start = rows  # room; then inside ≤ reach; inside ≥ least; inside needed; outside needed
        entries = [
            (w, variable, self.load.ravel()),
            (start + v, variable, reach),
            (start + whole, part, -np.ones(columns)),
            (start + columns + v, variable, -least),
            (start + columns + whole, part, np.ones(columns)),
            (start + 2 * columns + whole, part, np.ones(columns)),
            (start + 3 * columns + v, variable, unit),
            (start + 3 * columns + whole, part, -np.ones(columns)),
        ]
        y, z = np.nonzero(extra)
        entries.append((start + 2 * columns + y, flows + columns + z, extra[y, z]))
        total = flows + columns + extra.shape[1]
        at, variables, values = (np.concatenate(parts) for parts in zip(*entries, strict=True))
        matrix = csc_array(coo_array((values, (at, variables)), shape=(rows + 4 * columns, total)))
        lower = np.concatenate((np.full(rows, -np.inf), np.zeros(2 * columns), need))
        upper = np.concatenate((self.room, np.full(4 * columns, np.inf)))
        objective = np.concatenate((np.zeros(flows + columns), cost))
        solution, duals = maximise(objective, matrix, lower, upper, seconds=seconds, tolerance=self.tolerance)
        inside, outside = np.abs(duals[-2 * columns :]).reshape(2, columns)
        return _Optimum(float(objective @ solution), solution[:flows].reshape(rows, columns), (inside, outside))


def _member(profile: Profile) -> Floats:
    """Return T(w'): the posterior mass of the reported set, 0 for a silent report."""
    return np.exp(profile.log_density[:, 0]) * profile.sizes / profile.domain_size


def _bulk(profile: Profile) -> Profile:
    kept = profile.log_mass > np.log(NEGLIGIBLE)
    return Profile(profile.domain_size, profile.log_ratio, profile.sizes[kept], profile.log_mass[kept])
