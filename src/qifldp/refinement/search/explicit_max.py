"""Deciding the max-case order between explicit channels: is each posterior of B in the hull of A's, exactly?

A linear program in floats says for each posterior of B how far it is from the cone of A's columns, near which of them,
and on which bet it stands out. Its bet is rounded and checked; else its columns are where an exact search starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import highspy
import numpy as np
from flint import fmpq, fmpq_mat
from scipy.sparse import csc_array

from qifldp.channels.channel import Channel
from qifldp.errors import ConvergenceError
from qifldp.refinement.proofs import GainMatrix, Identical, Witness
from qifldp.refinement.search.cone import MOST_STEPS, Place, independent_columns, place_in_cone
from qifldp.refinement.search.explicit import MOST_UNKNOWNS, ROUNDING, ExplicitAnswer
from qifldp.refinement.search.explicit_exact import (
    GAIN_BITS,
    Floats,
    dependencies,
    floats,
    fraction,
    rational,
)
from qifldp.refinement.search.explicit_reading import read_pair
from qifldp.refinement.search.linear import check_time, maximisation, silent_solver

BET_BITS = (10, 20, *GAIN_BITS[:9])
"""Bits after the point that a bet is rounded to: the first with which it tells A from B (at most 3,100 digits)."""

ROUNDED_STEPS = 20
"""Exchanges of columns for a posterior of floats, before it is asked whether it lies in the cone but for rounding."""

TOLERANCE = 1e-10
"""The least that HiGHS takes; what it misses, exact arithmetic sees."""

METHOD = "hull of posteriors"


def decide_explicit_max(original: Channel, refined: Channel, *, deadline: float | None = None) -> ExplicitAnswer:
    """Decide original ⊑ refined in the max-case order, for explicit channels as :func:`exact_channel` reads them.

    Args:
        original: A.
        refined: B, over the same secrets.
        deadline: ``time.monotonic()`` at which to give up.

    Raises:
        InputError: If the numbers of secrets differ.
    """
    read = read_pair(original, refined)
    if read is None:
        return ExplicitAnswer(Identical(), "identical")
    try:
        search = _Search(read.reduced_original, read.reduced_refined, read.rounded, deadline)
        found = search.all_columns()
    except ConvergenceError as error:
        return ExplicitAnswer(None, METHOD, str(error))
    if isinstance(found, GainMatrix):
        return ExplicitAnswer(found, METHOD)
    if found is None:
        near = "Whether it is refined depends on the rounding of the entries."
        return ExplicitAnswer(None, METHOD, near if read.rounded else "No exact proof was found so near the boundary.")
    rows = _lifted(found, read.original.ncols(), read.classes_original, read.refined, read.classes_refined)
    return ExplicitAnswer(Witness(rows), METHOD)


def _lifted(
    columns: list[dict[int, fmpq]],
    outputs: int,
    classes_a: list[list[int]],
    refined: fmpq_mat,
    classes_b: list[list[int]],
) -> tuple[tuple[Fraction, ...], ...]:
    """Return V of the unreduced channels: classes of A share a row, classes of B split in proportion."""
    sums = _column_sums(refined)
    rows = [[Fraction(0)] * len(sums) for _ in range(outputs)]
    for group, weights in zip(classes_b, columns, strict=True):
        total = sum((sums[z] for z in group), fmpq(0))
        for place, weight in weights.items():
            for z in group:
                share = fraction(weight * sums[z] / total)
                for y in classes_a[place]:
                    rows[y][z] = share
    return tuple(map(tuple, rows))


def _column_sums(matrix: fmpq_mat) -> list[fmpq]:
    return [sum(column, fmpq(0)) for column in matrix.transpose().tolist()]


@dataclass(frozen=True)
class _Hint:
    """What floats say about a posterior of B: how far it is out, its weights on A's posteriors, a bet it rewards."""

    distance: float
    weights: Floats
    bet: Floats


class _Nearest:
    """The linear program for the largest entry of |A·λ − p| over λ ≥ 0, least possible, solved for many p.

    Args:
        posteriors: A, of shape (k, n), columns that sum to one.
    """

    def __init__(self, posteriors: Floats) -> None:
        self.size, self.outputs = posteriors.shape
        ones, unbounded = np.ones((self.size, 1)), highspy.kHighsInf
        rows = csc_array(np.block([[posteriors, ones], [posteriors, -ones]]))
        cost = np.append(np.zeros(self.outputs), -1.0)
        bounds = np.zeros(self.outputs + 1), np.full(self.outputs + 1, unbounded)
        free = np.full(2 * self.size, -unbounded), np.full(2 * self.size, unbounded)
        self.solver = silent_solver()
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self.solver.setOptionValue(name, TOLERANCE)
        self.solver.passModel(maximisation(cost, rows, row_bounds=free, bounds=bounds))

    def to(self, posterior: Floats) -> _Hint:
        """Return what the program says about a posterior; nothing if it does not end with an optimum."""
        for x, entry in enumerate(posterior.tolist()):
            self.solver.changeRowBounds(x, entry, highspy.kHighsInf)
            self.solver.changeRowBounds(self.size + x, -highspy.kHighsInf, entry)
        self.solver.run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return _Hint(0.0, np.zeros(self.outputs), np.zeros(self.size))
        solution = self.solver.getSolution()
        weights, duals = np.array(solution.col_value), np.array(solution.row_dual)
        return _Hint(float(weights[-1]), weights[:-1], -(duals[: self.size] + duals[self.size :]))


class _Search:
    """The reduced channels, and what is known about all columns of B.

    Args:
        original: A, without proportional or zero columns.
        refined: B, likewise.
        rounded: Whether a channel comes from floats, so that it takes more than rounding to refute.
        deadline: ``time.monotonic()`` at which to give up.
    """

    def __init__(self, original: fmpq_mat, refined: fmpq_mat, rounded: bool, deadline: float | None) -> None:
        self.a, self.b, self.rounded, self.deadline = original, refined, rounded, deadline
        if self.a.ncols() * self.b.ncols() > MOST_UNKNOWNS:
            raise ConvergenceError(
                f"The witness would have {self.a.ncols() * self.b.ncols():,} unknowns (at most {MOST_UNKNOWNS:,})."
            )
        self.sums = _column_sums(self.a)
        self.rows, self.others, self.factor = dependencies(self.a)
        # Rows of whole numbers: a row's entries have one denominator, a column's have none in common.
        self.scale = [_common_denominator(row) for row in self.a.tolist()]
        self.scaled = [[entry * self.scale[x] for x, entry in enumerate(column)] for column in _columns(self.a)]

    def check_time(self) -> None:
        """Raise ConvergenceError if the time is up."""
        check_time(self.deadline)

    def all_columns(self) -> list[dict[int, fmpq]] | GainMatrix | None:
        """Return the weights of each column of B on those of A, or a bet, or None if rounding decides."""
        targets = _columns(self.b)
        hints = self._hints()
        found: dict[int, dict[int, fmpq]] = {}
        steps = ROUNDED_STEPS if self.rounded else MOST_STEPS
        for z in sorted(range(len(targets)), key=lambda z: -hints[z].distance):
            self.check_time()
            answer = self._column(targets[z], hints[z], steps)
            if isinstance(answer, GainMatrix):
                return answer
            if answer is not None:
                found[z] = answer
            elif self.rounded:
                steps = 1  # no yes any more: of the other columns only one that is clearly outside is of interest
        return [found[z] for z in range(len(targets))] if len(found) == len(targets) else None

    def _hints(self) -> list[_Hint]:
        nearest, hints = _Nearest(_posteriors(self.a)), []
        for posterior in _posteriors(self.b).T:
            self.check_time()
            hints.append(nearest.to(posterior))
        return hints

    def _column(self, target: list[fmpq], hint: _Hint, steps: int) -> dict[int, fmpq] | GainMatrix | None:
        """Return the weights of a column of B, or a bet that it rewards, or None if rounding decides."""
        room = max(target) * rational(ROUNDING) if self.rounded else fmpq(0)
        gain = self._bet(map(rational, hint.bet.tolist()), target, room) if hint.distance > 0 else None
        if gain is not None:
            return gain
        relation = self._broken_relation(target)
        if relation is not None and not self.rounded:
            return self._bet(relation, target, room)
        order = np.argsort(-hint.weights, kind="stable").tolist()
        columns = [[column[x] for x in self.rows] for column in self.scaled]
        place = place_in_cone(
            columns,
            [target[x] * self.scale[x] for x in self.rows],
            independent_columns(columns, order),
            check_time=self.check_time,
            most_steps=steps,
        )
        if place.inside and relation is None:
            return place.weights
        if place.functional is not None:
            bet = [fmpq(0)] * self.a.nrows()
            for x, entry in zip(self.rows, place.functional, strict=True):
                bet[x] = entry * self.scale[x]
            gain = self._bet(bet, target, room)
            if gain is not None or not self.rounded:
                return gain
        elif not self.rounded and not place.inside:
            raise ConvergenceError(f"The search did not end after {steps:,} steps.")
        return None if self._is_near(place, target, room) else self._apart(target, order, room)

    def _broken_relation(self, target: list[fmpq]) -> list[fmpq] | None:
        """Return a bet v with v·A = 0 that the column rewards, if it breaks a linear relation between A's rows."""
        if self.factor is None:
            return None
        column = fmpq_mat([[target[x]] for x in self.rows])
        excess = [target[x] - entry for x, entry in zip(self.others, (self.factor * column).entries(), strict=True)]
        worst = max(range(len(excess)), key=lambda i: abs(excess[i]))
        if not excess[worst]:
            return None
        sign = 1 if excess[worst] > 0 else -1
        bet = [fmpq(0)] * self.a.nrows()
        bet[self.others[worst]] = fmpq(sign)
        for x, weight in zip(self.rows, self.factor.tolist()[worst], strict=True):
            bet[x] = -weight * sign
        return bet

    def _bet(self, bet: Iterable[fmpq], target: list[fmpq], room: fmpq) -> GainMatrix | None:
        """Return the bet as a gain function of one action, in as few bits as will do, if it proves the column outside.

        Let h be the bet less what it gains at most from a report of A. Each q of A's cone has h·q ≤ 0, so what has
        h·b > room · Σ |h| is further than the room from q, in some entry.
        """
        entries = list(bet)
        largest = fraction(max(abs(entry) for entry in entries))
        if not largest:
            return None
        scale = fmpq(2) ** (largest.denominator.bit_length() - largest.numerator.bit_length())
        total = sum(target, fmpq(0))
        for bits in BET_BITS:
            unit = 2**bits
            rounded = [fmpq((entry * scale * unit + fmpq(1, 2)).floor(), unit) for entry in entries]
            gains = (fmpq_mat([rounded]) * self.a).entries()
            level = max(gain / mass for gain, mass in zip(gains, self.sums, strict=True))
            excess = sum((g * entry for g, entry in zip(rounded, target, strict=True)), fmpq(0)) - level * total
            if excess > 0 and excess > room * sum((abs(entry - level) for entry in rounded), fmpq(0)):
                least, most = min(rounded), max(rounded)
                return GainMatrix((tuple(fraction((entry - least) / (most - least)) for entry in rounded),))
        return None

    def _is_near(self, place: Place, target: list[fmpq], room: fmpq) -> bool:
        """Return whether the column is in the cone but for the room, by the weights that are not negative."""
        weights = fmpq_mat([[max(place.weights.get(y, fmpq(0)), fmpq(0))] for y in range(self.a.ncols())])
        reached = (self.a * weights).entries()
        return all(abs(entry - made) <= room for entry, made in zip(target, reached, strict=True))

    def _apart(self, target: list[fmpq], order: list[int], room: fmpq) -> GainMatrix | None:
        """Return a bet that rewards all that is within the room of the column; None if some of it is in the cone.

        Some q ≤ b + room with q ≥ b − room is in the cone if A·v + s = b + room and s + t = 2 room, all ≥ 0.
        """
        k, nothing = self.a.nrows(), fmpq(0)
        columns = [[*column, *[nothing] * k] for column in self.scaled]
        for x in range(k):
            unit = [nothing] * (2 * k)
            unit[x], unit[k + x] = self.scale[x], fmpq(1)
            columns.append(unit)
        columns += [[fmpq(int(x == row)) for row in range(2 * k)] for x in range(k, 2 * k)]
        wanted = [(entry + room) * self.scale[x] for x, entry in enumerate(target)] + [2 * room] * k
        outputs = self.a.ncols()
        start = independent_columns(columns, [*order, *range(outputs, outputs + 2 * k)])
        place = place_in_cone(columns, wanted, start, check_time=self.check_time)
        if place.functional is None:
            return None
        return self._bet([place.functional[x] * self.scale[x] for x in range(k)], target, room)


def _columns(matrix: fmpq_mat) -> list[list[fmpq]]:
    table: list[list[fmpq]] = matrix.transpose().tolist()
    return table


def _common_denominator(row: Sequence[fmpq]) -> fmpq:
    return fmpq(math.lcm(*(int(entry.q) for entry in row)))


def _posteriors(matrix: fmpq_mat) -> Floats:
    """Return the columns, each divided by its sum, in floats."""
    sums = _column_sums(matrix)
    divided = [[entry / total for entry, total in zip(row, sums, strict=True)] for row in matrix.tolist()]
    return floats(fmpq_mat(divided))
