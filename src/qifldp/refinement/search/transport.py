"""Refinement between profiles as a transport problem of sizes, solved in floats by HiGHS with column generation.

Nothing here is a proof: what is found is handed to :mod:`qifldp.refinement.verify`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from qifldp.channels.profile import Profile
from qifldp.errors import ConvergenceError
from qifldp.refinement.search.linear import TIME_IS_UP, UnsolvedError, maximisation, run_to_optimum, silent_solver

Floats = NDArray[np.float64]

FIRST_BAND = 2.0
"""Pairs of sizes with |w − w'| up to this times √k are priced from the start."""

PRICED_AT_ONCE = 20_000
"""Pairs that enter the problem in one round at most, those with the best prices first."""

LARGEST_GAIN = 1e6
"""Gains are capped here, which the solver's tolerances need; a flow that passes with less passes with more.

A capped gain takes t/10⁶ of a unit, where it would take less: a margin t is too small by as much, in proportion.
"""

NEAR_UNIT = 10.0
"""A margin is solved for in units so near to it: what the cap and the solver's tolerance cost is some 1e-6 of it."""

MOST_UNITS = 6
"""Units to try: the first is a bound, and the second is nearly always near enough."""

ENTERS_ABOVE = 1e-9
"""Reduced cost from which a pair enters: two digits below the solver's own tolerance of 1e-7."""


@dataclass(frozen=True)
class Transport:
    """The best symmetric garbling found, and the adversary that the dual describes.

    Attributes:
        margin: The largest t for which A is refined to B with posteriors shrunk towards uniform by t.
        flows: Triples (w, w', share of B's mass at w' that comes from A's size w).
        bets: Triples (w', stake, premium): the adversary may bet on a set of w' values, at a price of premium more
            than the fair one, stake·w'/k.
        capped: Whether gains were capped, so that a margin far above its unit is too small.
    """

    margin: float
    flows: tuple[tuple[int, int, float], ...]
    bets: tuple[tuple[int, float, float], ...]
    capped: bool


def aligned_mass(profile: Profile, sizes: NDArray[np.int64]) -> Floats:
    """Return M(w, w') = min(w, w')·α_w + (w' − min(w, w'))·β_w for the profile's sizes w, shape (m, len(sizes))."""
    share = np.exp(profile.log_density) / profile.domain_size
    overlap = np.minimum(profile.sizes[:, None], sizes[None, :])
    return overlap * share[:, :1] + (sizes[None, :] - overlap) * share[:, 1:]


def aligned_excess(profile: Profile, sizes: NDArray[np.int64]) -> Floats:
    """Return M(w, w') − w'/k, with all its digits at small ε too; shape as that of :func:`aligned_mass`.

    M(w, w') − w'/k = min(w, w')·(k − max(w, w'))/k · (α_w − β_w),   α_w − β_w = α_w·(1 − 1/ρ)
    """
    w, v = profile.sizes[:, None], sizes[None, :]
    return np.minimum(w, v) * (profile.domain_size - np.maximum(w, v)) / profile.domain_size * _apart(profile)[:, None]


def _apart(profile: Profile) -> Floats:
    """Return α_w − β_w."""
    return np.exp(profile.log_density[:, 0]) / profile.domain_size * -np.expm1(-profile.log_ratio)


def gain_table(original: Profile, refined: Profile) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return G(w, w') for all sizes of the original and interior sizes of the refined, these sizes, and T − w'/k.

        G = (M(w, w') − w'/k) / (T(w') − w'/k),   T(w') = w'ρ_B/(w'ρ_B + k − w')

    written with excesses, so that nothing cancels at small ε.
    """
    k = original.domain_size
    interior = refined.sizes > 0
    sizes = refined.sizes[interior]
    target = sizes * (k - sizes) / k * _apart(refined)[interior]
    return aligned_excess(original, sizes) / target, sizes, target


def solve_margin(original: Profile, refined: Profile, *, deadline: float | None = None) -> float:
    """Return the largest t for which A is refined to B with posteriors shrunk towards uniform by t, however large.

    Args:
        original: A.
        refined: B, with interior mass.
        deadline: ``time.monotonic()`` at which to give up.

    Raises:
        ConvergenceError: If HiGHS fails or the time is up.
    """
    gains = gain_table(original, refined)[0]
    unit, capped = 1.0, bool((gains > LARGEST_GAIN).any())
    if capped:
        unit = max(unit, float(gains.max(axis=0).min()))  # a bound: no size of B is passed by more than by A's best
    for _ in range(MOST_UNITS):
        if not np.isfinite(unit):
            break
        margin = solve_transport(original, refined, deadline=deadline, unit=unit).margin
        if not capped or unit <= NEAR_UNIT * max(margin, 1.0) <= NEAR_UNIT**2 * unit:
            return margin
        unit = max(margin, 1.0)
    raise UnsolvedError("The margin is too large, or its gains are of too many magnitudes.")


def solve_transport(
    original: Profile, refined: Profile, *, deadline: float | None = None, unit: float = 1.0
) -> Transport:
    """Maximise the margin of a sub-flow from the original's sizes to the refined's interior sizes.

    Unknowns ψ = flow / min(μ_A[w], μ_B[w']): then every coefficient is at most max(1, G), however small the masses.

    Args:
        original: A.
        refined: B, with interior mass.
        deadline: ``time.monotonic()`` at which to give up.
        unit: What gains are divided by, so that they are capped at so much more. The stakes of the bets are in it.

    Raises:
        ConvergenceError: If HiGHS fails or the time is up.
    """
    whole, sizes, target = gain_table(original, refined)
    gains = np.minimum(whole / unit, LARGEST_GAIN)
    log_ratio = refined.log_mass[refined.sizes > 0][None, :] - original.log_mass[:, None]  # ln μ_B[w'] − ln μ_A[w]
    share = np.exp(-np.maximum(log_ratio, 0.0))  # of column w' that one unit of ψ fills
    load = np.exp(np.minimum(log_ratio, 0.0))  # of row w that it takes
    band = FIRST_BAND * np.sqrt(original.domain_size) + 2
    chosen = (np.abs(original.sizes[:, None] - sizes[None, :]) <= band) & (gains > 0)
    solver = silent_solver()
    rows, columns = len(original.sizes), len(sizes)
    while True:
        w, v = np.nonzero(chosen)
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise ConvergenceError(TIME_IS_UP)
            solver.setOptionValue("time_limit", solver.getRunTime() + left)  # its clock goes on from run to run
        psi, row_dual, column_dual, gain_dual = _solve(
            solver, rows, columns, w, v, share[w, v], load[w, v], gains[w, v] * share[w, v]
        )
        price = share * (gain_dual[None, :] * gains - column_dual[None, :]) - load * row_dual[:, None]
        price[chosen] = -np.inf
        entering = price > ENTERS_ABOVE
        count = int(np.count_nonzero(entering))
        if not count:
            break
        if count > PRICED_AT_ONCE:
            entering = price >= np.partition(price, -PRICED_AT_ONCE, axis=None)[-PRICED_AT_ONCE]
        chosen |= entering
    margin = unit * float(row_dual.sum() + column_dual.sum())
    kept = psi > 0
    shares = psi[kept] * share[w[kept], v[kept]]
    flows = tuple(zip(original.sizes[w[kept]].tolist(), sizes[v[kept]].tolist(), shares.tolist(), strict=True))
    capped = bool((whole / unit > LARGEST_GAIN).any())
    return Transport(margin, flows, _bets(refined, sizes, target, gain_dual, column_dual), capped)


def _solve(
    solver: highspy.Highs,
    rows: int,
    columns: int,
    w: NDArray[np.int64],
    v: NDArray[np.int64],
    share: Floats,
    load: Floats,
    gain: Floats,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Solve for the pairs (w, v); return ψ and the duals of rows, columns and gains (all non-negative)."""
    count = len(w)
    infinite = highspy.kHighsInf
    start = np.concatenate((3 * np.arange(count + 1), [3 * count + columns]))
    index = np.stack((w, rows + v, rows + columns + v), axis=1).ravel()
    value = np.stack((load, share, gain), axis=1).ravel()
    index = np.concatenate((index, rows + columns + np.arange(columns)))
    value = np.concatenate((value, -np.ones(columns)))
    model = maximisation(
        np.concatenate((np.zeros(count), [1.0])),
        csc_array((value, index, start), shape=(rows + 2 * columns, count + 1)),
        row_bounds=(
            np.concatenate((np.full(rows + columns, -infinite), np.zeros(columns))),
            np.concatenate((np.ones(rows + columns), np.full(columns, infinite))),
        ),
        bounds=(np.concatenate((np.zeros(count), [-infinite])), np.full(count + 1, infinite)),
    )
    solver.passModel(model)
    run_to_optimum(solver)
    solution = solver.getSolution()
    duals = np.abs(np.array(solution.row_dual))
    psi = np.maximum(np.array(solution.col_value)[:count], 0.0)
    return psi, duals[:rows], duals[rows : rows + columns], duals[rows + columns :]


def _bets(
    refined: Profile, sizes: NDArray[np.int64], target: Floats, gain_dual: Floats, column_dual: Floats
) -> tuple[tuple[int, float, float], ...]:
    """Return the bets of the dual, per unit of B's mass: stake·([x ∈ S'] − w'/k) − premium, a set S' of each size."""
    log_mass = refined.log_mass[refined.sizes > 0]
    used = (gain_dual > 0) & (log_mass > log_mass.max() - 600)
    unit = np.exp(-(log_mass[used] - log_mass.max()))
    stake = gain_dual[used] / target[used] * unit
    return tuple(zip(sizes[used].tolist(), stake.tolist(), (column_dual[used] * unit).tolist(), strict=True))
