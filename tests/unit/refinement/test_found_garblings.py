"""What is told of a garbling is true of it, whatever the solver hands back: too much, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from qifldp import BLH, GRR, OUE, SS, SUE, Channel, Protocol
from qifldp.exact.fields import BALLS
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.proofs import GainMatrix, SubFlow
from qifldp.refinement.search import explicit_strength, strength
from qifldp.refinement.search.explicit_strength import explicit_deficiency, explicit_ratio
from qifldp.refinement.search.strength import deficiency, nearest
from qifldp.refinement.verify_deficiency import distance
from qifldp.refinement.verify_explicit import passing_gain

Floats = NDArray[np.float64]

ROUNDED = 1e-12
"""Sums of masses in doubles."""

PAIRS: list[tuple[Protocol, Protocol]] = [(SUE(6, 1), OUE(6, 1)), (OUE(6, 1), SUE(6, 1)), (BLH(6, 1), GRR(6, 1))]


@pytest.fixture
def doctored(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModuleType, float], None]:
    """Return what has a module's solver hand back its solution times a factor."""

    def doctor(module: ModuleType, factor: float) -> None:
        solve = module.maximise

        def solved(*args: object, **options: object) -> tuple[Floats, Floats]:
            solution, duals = solve(*args, **options)
            return solution * factor, duals

        monkeypatch.setattr(module, "maximise", solved)

    return doctor


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_more_than_a_has_brings_b_no_nearer(
    pair: tuple[Protocol, Protocol], doctored: Callable[[ModuleType, float], None]
) -> None:
    original, refined = pair
    a, b = original.channel(), refined.channel()
    truth, ratio = deficiency(original.profile, refined.profile), explicit_ratio(a, b)
    assert truth is not None
    assert ratio is not None
    for module in (strength, explicit_strength):
        doctored(module, 1.001)
    found = nearest(original.profile, refined.profile)
    told, reached = explicit_deficiency(a, b), explicit_ratio(a, b)
    assert found is not None
    assert told is not None
    assert reached is not None
    assert truth - ROUNDED <= found.distance <= truth + 0.002
    assert truth - strength.ACCURACY <= told <= truth + strength.ACCURACY
    assert ratio - 0.01 <= reached <= ratio + ROUNDED
    masses = [
        dict(zip(side.profile.sizes.tolist(), np.exp(side.profile.log_mass).tolist(), strict=True)) for side in pair
    ]
    used: dict[int, float] = {}
    for w, v, share in found.flows:
        used[w] = used.get(w, 0.0) + share * masses[1][v]
    assert all(mass <= masses[0][w] * (1 + ROUNDED) for w, mass in used.items())


def test_what_the_solver_makes_worse_is_left_as_it_is(doctored: Callable[[ModuleType, float], None]) -> None:
    """At ε = 1e-6 the reports as they are are 1e-6 apart; a solver's empty garbling is 1 apart."""
    original, refined = SUE(30, "1e-6").profile, SUE(30, "2e-6").profile
    truth = deficiency(original, refined)
    doctored(strength, 0.0)
    told = nearest(original, refined)
    assert truth is not None
    assert told is not None
    assert truth - ROUNDED <= told.distance <= 2e-6
    assert told.flows


def test_sizes_that_are_left_out_count_as_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    original, refined = GRR(12, 1).profile, SUE(12, 1).profile
    truth = deficiency(original, refined)
    monkeypatch.setattr(strength, "NEGLIGIBLE", 0.05)
    left_out = float(np.exp(refined.log_mass[refined.log_mass <= np.log(0.05)]).sum())
    told = deficiency(original, refined)
    assert truth is not None
    assert told is not None
    assert left_out > 0.05
    assert truth - ROUNDED <= told <= truth + left_out


@pytest.mark.parametrize("fill", [0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("pair", [*PAIRS, (SS(6, 1), SUE(6, "0.01"))], ids=str)
def test_distances_are_those_that_are_verified(pair: tuple[Protocol, Protocol], fill: float) -> None:
    """Also of a flow that fills a size more than B does: even a blind choice then hits too often."""
    original, refined = pair
    a, b = original.profile, refined.profile
    goal = np.exp(b.log_mass)
    flow = np.outer(np.exp(a.log_mass), goal)
    v = int(np.argmax(goal * (b.sizes > 0) * (b.sizes < 6)))
    flow[:, np.arange(len(goal)) != v] *= 0.1
    flow[:, v] *= min(fill, 0.9 / goal[v])
    w_places, v_places = np.nonzero(flow)
    shares = tuple(
        (int(a.sizes[w]), int(b.sizes[z]), Fraction(flow[w, z] / goal[z]))
        for w, z in zip(w_places.tolist(), v_places.tolist(), strict=True)
    )
    expected = distance(SubFlow(shares), original.exact_profile(BALLS), refined.exact_profile(BALLS))
    assert strength._distance(a, b, flow) == pytest.approx(float(expected.mid()), abs=ROUNDED)


def test_an_adversary_at_worst_passes_where_a_report_promises_too_little() -> None:
    """They bet on the first secret at the price of its share in A: B's first output pays 1/4 every other time."""
    blind = Channel([[Fraction(1)], [Fraction(1)]])
    noisy = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    gain = GainMatrix(((Fraction(1), Fraction(0)),))
    assert passing_gain(Certificate(blind, noisy, "does_not_refine", gain, "max")) == 1 / 8
