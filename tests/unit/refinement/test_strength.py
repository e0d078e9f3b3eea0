"""Deficiency and vulnerability ratio: against the plain linear programs on written-out channels, and their meaning."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from qifldp import GRR, LH, OLH, OUE, SS, SUE, THE, UE, Channel, DoesNotRefine, Protocol, Refines, decide_refinement
from qifldp.refinement.search.explicit_strength import explicit_deficiency, explicit_ratio
from qifldp.refinement.search.strength import deficiency, vulnerability_ratio

SOLVED = 1e-8
"""HiGHS is asked for 1e-7 in feasibility, and reaches 1e-9 on programs of this size."""

SCALED = 1e-6
"""Flows per unit of mass differ by many powers of ten, which costs the solver a digit or two."""

PAIRS: list[tuple[Protocol, Protocol]] = [
    (SUE(3, 1), OUE(3, 1)),
    (OUE(3, 1), SUE(3, 1)),
    (GRR(4, 1), SUE(4, 1.5)),
    (SS(4, 1, omega=2), GRR(4, 1)),
    (OLH(3, 0.5), THE(3, 2)),
    (SUE(3, 2), THE(3, 1)),
    (UE(3, p="0.2", q="0.6"), LH(3, 1, g=3)),
    (GRR(2, 1), SS(2, 1)),
]


def brute_deficiency(original: Channel, refined: Channel) -> float:
    """Return min over W, t of t with Σ_z max(0, B − A·W)[x, z] ≤ t for every x."""
    a, b = original.to_float().matrix, refined.to_float().matrix
    (k, m), n = a.shape, b.shape[1]
    cost = np.zeros(m * n + k * n + 1)
    cost[-1] = 1.0
    rows, bounds = [], []
    for x in range(k):
        for z in range(n):
            row = np.zeros(len(cost))
            row[z : m * n : n] = -a[x]
            row[m * n + x * n + z] = -1.0
            rows.append(row)
            bounds.append(-b[x, z])
        row = np.zeros(len(cost))
        row[m * n + x * n : m * n + (x + 1) * n] = 1.0
        row[-1] = -1.0
        rows.append(row)
        bounds.append(0.0)
    return _solved(cost, rows, bounds, m, n)


def brute_ratio(original: Channel, refined: Channel) -> float:
    """Return max over W, s of s with A·W ≥ s·B."""
    a, b = original.to_float().matrix, refined.to_float().matrix
    (k, m), n = a.shape, b.shape[1]
    cost = np.zeros(m * n + 1)
    cost[-1] = -1.0
    rows = []
    for x in range(k):
        for z in range(n):
            row = np.zeros(len(cost))
            row[z : m * n : n] = -a[x]
            row[-1] = b[x, z]
            rows.append(row)
    return -_solved(cost, rows, [0.0] * len(rows), m, n)


def _solved(cost: np.ndarray, rows: list[np.ndarray], bounds: list[float], m: int, n: int) -> float:
    stochastic = np.zeros((m, len(cost)))
    for y in range(m):
        stochastic[y, y * n : (y + 1) * n] = 1.0
    found = linprog(cost, A_ub=np.array(rows), b_ub=bounds, A_eq=stochastic, b_eq=np.ones(m), bounds=(0, None))
    assert found.fun is not None
    return float(found.fun)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def test_the_symmetric_program_finds_the_same_as_the_plain_one(pair: tuple[Protocol, Protocol]) -> None:
    original, refined = pair
    a, b = original.channel().reduced(), refined.channel().reduced()
    worst, ratio = brute_deficiency(a, b), brute_ratio(a, b)
    assert deficiency(original.profile, refined.profile) == pytest.approx(worst, abs=SOLVED)
    assert explicit_deficiency(a, b) == pytest.approx(worst, abs=SOLVED)
    assert vulnerability_ratio(original.profile, refined.profile) == pytest.approx(ratio, abs=SOLVED)
    assert explicit_ratio(a, b) == pytest.approx(ratio, abs=SOLVED)


@pytest.mark.parametrize("k", [2, 5, 40])
def test_nothing_is_lacking_exactly_when_it_is_refined(k: int) -> None:
    protocols: list[Protocol] = [GRR(k, 2), SUE(k, 2.2), OUE(k, 1), OLH(k, 1), THE(k, 1), SS(k, 1)]
    verdicts = set()
    for original in protocols:
        for refined in protocols:
            decision = decide_refinement(original=original, refined=refined)
            lacking = deficiency(original.profile, refined.profile)
            ratio = vulnerability_ratio(original.profile, refined.profile)
            assert lacking is not None
            assert ratio is not None
            assert isinstance(decision, Refines | DoesNotRefine)
            verdicts.add(type(decision))
            if isinstance(decision, Refines):
                assert lacking == pytest.approx(0, abs=SOLVED)
                assert ratio == pytest.approx(1, abs=SCALED)
            else:
                assert lacking > 10 * SOLVED
                assert ratio < 1 - SCALED
    assert verdicts == {Refines, DoesNotRefine}


def test_nobody_gains_more_than_the_deficiency() -> None:
    """A few adversaries with gains in [0, 1], on the written-out channels."""
    rng = np.random.default_rng(3)
    original, refined = SUE(3, 1), OUE(3, 1)
    a, b = original.channel().to_float().matrix, refined.channel().to_float().matrix
    lacking = deficiency(original.profile, refined.profile)
    ratio = vulnerability_ratio(original.profile, refined.profile)
    assert lacking is not None
    assert ratio is not None
    for _ in range(300):
        gain, prior = rng.random((5, 3)), rng.dirichlet(np.ones(3))
        gain_a = float(((gain * prior) @ a).max(axis=0).sum())
        gain_b = float(((gain * prior) @ b).max(axis=0).sum())
        assert gain_b - gain_a <= lacking + SOLVED
        assert gain_a >= ratio * gain_b - SOLVED
