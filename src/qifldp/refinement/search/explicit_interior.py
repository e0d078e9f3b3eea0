"""The margin of one explicit channel over another, by a structured interior-point method in floats.

    maximise t  subject to  A·W = t·B + (1 − t)·1b̄,  W·1 = 1,  W ≥ 0          (b̄ the mean row of B)

A ⊑ B if and only if the margin is at least 1. The dual is a gain function: with G an action a column,
t ≤ (Σ_y max_z (AᵀG)[y, z] − ⟨G, 1b̄⟩) / ⟨G, B − 1b̄⟩. Each Newton step costs a k × k factorisation for a column of B and
one n × n system, where a general solver would factorise (k·m)². Nothing here is a proof.

Source: Mehrotra's predictor and corrector (1992), from a start that is feasible on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from qifldp.refinement.search.linear import check_time

Floats = NDArray[np.float64]

RANK_TOLERANCE = 1e-12
"""Singular values below this share of the largest are rounding of the entries (1e-16 each, summed)."""

NARROW = 1e-12
"""Width of the interval for the margin at which more steps only add rounding."""

MOST_STEPS = 80
"""Newton steps; problems of these sizes take 10 to 40."""

STEP_TO_WALL = 0.995
"""Share of the way to the boundary that a step goes, as is usual."""


STUCK = 1e-6
"""Step lengths below this mean that rounding holds the point against the wall."""


@dataclass(frozen=True)
class Margin:
    """The margin's interval, a garbling at the lower end and a gain function for the upper.

    Attributes:
        lower: A margin that ``witness`` reaches.
        upper: A bound on the margin by ``gain``.
        witness: W with A·W = t·B + (1 − t)·1b̄ for t = min(1, lower), all entries positive.
        gain: A gain function, a row an action, a column a secret.
    """

    lower: float
    upper: float
    witness: Floats
    gain: Floats


@dataclass(frozen=True)
class _Problem:
    """A with orthonormal rows and a basis of its kernel, D = B − 1b̄ and 1b̄ in the same coordinates, b̄, the way back."""

    matrix: Floats
    free: Floats
    target: Floats
    constant: Floats
    mean: Floats
    to_secrets: Floats

    @classmethod
    def of(cls, original: Floats, refined: Floats) -> _Problem:
        left, sizes, right = np.linalg.svd(original, full_matrices=True)
        rank = int(np.count_nonzero(sizes > RANK_TOLERANCE * sizes[0]))
        to_secrets = left[:, :rank] / sizes[:rank]
        matrix, mean = right[:rank], refined.mean(axis=0)
        target = to_secrets.T @ (refined - mean)
        return cls(matrix, right[rank:].T, target, matrix.sum(axis=1)[:, None] * mean, mean, to_secrets)

    def bound(self, gain: Floats) -> float:
        """Return the upper bound on the margin that a gain function gives."""
        best = (self.matrix.T @ gain).max(axis=1).sum()
        return float((best - (gain * self.constant).sum()) / (gain * self.target).sum())

    def start(self) -> _State:
        """Return a point strictly inside: t = 0 with W = 1b̄, and G along D with slack enough."""
        gain = self.target / float((self.target * self.target).sum())
        scores = self.matrix.T @ gain
        slack = scores.max(axis=1, keepdims=True) - scores
        room = max(float(slack.max()), 1.0 / len(scores))
        return _State(np.tile(self.mean, (len(scores), 1)), 0.0, gain, slack + room)


@dataclass
class _State:
    """Primal W and t, dual G, slack Z = u1 − AᵀG."""

    w: Floats
    t: float
    g: Floats
    z: Floats


def find_margin(
    original: Floats, refined: Floats, *, until_clear: bool = True, deadline: float | None = None
) -> Margin:
    """Enclose the margin in floats, until the interval is clear of 1 by its own width, or narrow.

    Args:
        original: A, of shape (k, n).
        refined: B, of shape (k, m), without zero columns, not all rows equal.
        until_clear: Whether to stop as soon as it is clear on which side of 1 the margin is.
        deadline: ``time.monotonic()`` at which to give up.

    Raises:
        ConvergenceError: If the time is up.
    """
    problem = _Problem.of(original, refined)
    if not problem.target.any():  # what B says is nowhere in the space of A's columns
        return Margin(0.0, 0.0, np.tile(problem.mean, (original.shape[1], 1)), (refined - problem.mean).T)
    state = problem.start()
    upper, gain = np.inf, state.g
    with np.errstate(all="ignore"):  # the last steps of a degenerate problem may overflow; they are not taken
        for _ in range(MOST_STEPS):
            check_time(deadline)
            bound = problem.bound(state.g)
            if bound < upper:
                upper, gain = bound, state.g
            clear = max(state.t - 1, 1 - upper, NARROW) if until_clear else NARROW
            if upper - state.t < clear or not _step(problem, state):
                break
    share = 1.0 if state.t <= 1 else 1 / state.t
    witness = share * state.w + (1 - share) * problem.mean
    return Margin(state.t, upper, witness, (problem.to_secrets @ gain).T)


def _step(problem: _Problem, state: _State) -> bool:
    """Take one predictor-corrector step in place; return whether it got anywhere."""
    try:
        system = _System(problem, state)
        gap = float((state.w * state.z).mean())
        dw, _, _, dz = system.solve(-state.w * state.z)
        primal, dual = (min(1.0, _reach(*pair)) for pair in ((state.w, dw), (state.z, dz)))
        hoped = float(((state.w + primal * dw) * (state.z + dual * dz)).mean())
        centring = min(1.0, (hoped / gap) ** 3)
        dw, dt, dg, dz = system.solve(centring * gap - state.w * state.z - dw * dz)
    except (np.linalg.LinAlgError, ValueError):  # singular, or no longer finite: the end of what doubles can do
        return False
    primal, dual = (min(1.0, STEP_TO_WALL * _reach(*pair)) for pair in ((state.w, dw), (state.z, dz)))
    state.w, state.t = state.w + primal * dw, state.t + primal * dt
    state.g, state.z = state.g + dual * dg, state.z + dual * dz
    return max(primal, dual) > STUCK


def _reach(point: Floats, direction: Floats) -> float:
    """Return how far one can go before an entry is zero."""
    falling = direction < 0
    return float(np.min(point[falling] / -direction[falling], initial=np.inf))


class _System:
    """The Newton equations, factorised once for both right-hand sides.

        A dW − dt·D = 0,   dW·1 = 0,   dZ = du·1 − Aᵀ dG,   ⟨D, dG⟩ = 0,   Z∘dW + W∘dZ = R

    The equalities' residuals are fed back, so rounding does not build up. du is sought off the row space of A: within
    it, a constant for each secret undoes it.
    """

    def __init__(self, problem: _Problem, state: _State) -> None:
        matrix, free = problem.matrix, problem.free
        self.problem, self.state, self.theta = problem, state, state.w / state.z
        kernel = np.diag(-self.theta.sum(axis=1))
        self.factors = []
        for column in self.theta.T:
            weighted = matrix * column
            self.factors.append(cho_factor(weighted @ matrix.T))
            kernel += weighted.T @ cho_solve(self.factors[-1], weighted, check_finite=False)
        per_t = self._per_column(problem.target)
        border = (free.T @ self._lift(per_t))[:, None]
        corner = np.array([[float((problem.target * per_t).sum())]])
        self.equations = np.block([[free.T @ kernel @ free, border], [border.T, corner]])

    def _per_column(self, right: Floats) -> Floats:
        """Return the solution of A θ_z Aᵀ g_z = right_z for each column z."""
        pairs = zip(self.factors, right.T, strict=True)
        return np.stack([cho_solve(factor, column, check_finite=False) for factor, column in pairs], axis=1)

    def _lift(self, gain: Floats) -> Floats:
        """Return Σ_z θ_z Aᵀ g_z."""
        return (self.theta * (self.problem.matrix.T @ gain)).sum(axis=1)

    def solve(self, right: Floats) -> tuple[Floats, float, Floats, Floats]:
        """Return dW, dt, dG, dZ for one right-hand side R.

        Raises:
            LinAlgError: If the equations are singular.
        """
        problem, state = self.problem, self.state
        matrix, target, free = problem.matrix, problem.target, problem.free
        base = right / state.z
        lacking = problem.constant + state.t * target - matrix @ state.w
        first = self._per_column(lacking - matrix @ base)
        rows = free.T @ (1 - state.w.sum(axis=1) - base.sum(axis=1) - self._lift(first))
        wanted = np.append(rows, 1 - float((state.g * target).sum()) - float((target * first).sum()))
        answer = np.linalg.solve(self.equations, wanted)
        du, dt = (free @ answer[:-1])[:, None], float(answer[-1])
        dg = first + self._per_column(matrix @ (self.theta * du) + dt * target)
        dz = du - matrix.T @ dg
        dw = base - self.theta * dz
        if not (np.isfinite(dw).all() and np.isfinite(dz).all()):
            raise np.linalg.LinAlgError
        return dw, dt, dg, dz
