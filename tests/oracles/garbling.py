"""Refinement between small explicit channels by the plain linear program, for tests only (floats, no proof)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from qifldp import Channel

FEASIBLE = 1e-9
"""HiGHS meets equalities within 1e-9 at this setting; cases that are tested are decided by far more."""


def deficiency(original: Channel, refined: Channel) -> float:
    """Return min over W of the largest |(original·W − refined)[x, z]|: zero if and only if refined is a garbling."""
    a, b = original.reduced().to_float().matrix, refined.reduced().to_float().matrix
    outputs, targets = a.shape[1], b.shape[1]
    unknowns = outputs * targets + 1  # W row by row, then the slack
    cost = np.zeros(unknowns)
    cost[-1] = 1.0
    rows = np.zeros((outputs, unknowns))
    for y in range(outputs):
        rows[y, y * targets : (y + 1) * targets] = 1.0
    product = np.kron(a, np.eye(targets))
    slack = -np.ones((product.shape[0], 1))
    upper = np.vstack((np.hstack((product, slack)), np.hstack((-product, slack))))
    bounds = np.concatenate((b.ravel(), -b.ravel()))
    answer = linprog(cost, A_ub=upper, b_ub=bounds, A_eq=rows, b_eq=np.ones(outputs), bounds=(0, None), method="highs")
    assert answer.fun is not None, answer.message
    return float(answer.fun)


def is_garbling(*, original: Channel, refined: Channel) -> bool:
    """Whether original ⊑ refined: some row-stochastic W gives original·W = refined, within FEASIBLE."""
    return deficiency(original, refined) <= FEASIBLE
