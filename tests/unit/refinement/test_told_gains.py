"""What the adversary of a proof is said to gain, against an evaluation with thousands of bits that shares no code."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from oracles.balls import BallProfile, law, profile, real
from qifldp import DoesNotRefine, decide_refinement
from qifldp.channels.profile import Profile
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import parse_spec
from qifldp.refinement.proofs import Bets
from qifldp.refinement.search.closed import telling_bet

BITS = 1 << 13
"""Ample for e^700, for budgets that differ in the eightieth digit, and for a zero that is a tie: 1e-2400."""

ROUNDED = 1e-15
"""A number that is rounded once to a double: 2^-53, and some for the comparison."""

NAMES = ("grr", "ss", "blh", "sue", "oue")


def reach(side: BallProfile, row: tuple[int, arb, arb, arb], size: int) -> arb:
    """Return what a posterior puts on the best set of some values."""
    w, _, member, other = row
    return min(w, size) * member + (size - min(w, size)) * other


def gained(side: BallProfile, bets: Bets) -> arb:
    """Return what somebody who takes the best of some bets, or none, gains; the largest stake is one."""
    unit = max(stake for _, stake, _ in bets.offers)
    total = real(0)
    for row in side.rows:
        best = real(0)
        for size, stake, price in bets.offers:
            best = arb.max(best, (reach(side, row, size) * real(stake) - real(price)) / real(unit))
        total += row[1] * best
    return total


def check(names: tuple[str, str], k: int, epsilons: tuple[str, str], order: str = "average") -> bool:
    """Compare what is told with what it is; return whether there was anything to compare."""
    sides = [parse_spec(name).build(k, Budget.read(epsilon)) for name, epsilon in zip(names, epsilons, strict=True)]
    decision = decide_refinement(original=sides[0], refined=sides[1], order=order)  # type: ignore[arg-type]
    if not isinstance(decision, DoesNotRefine):
        return False
    proof = decision.certificate.proof
    assert isinstance(proof, Bets)
    with ctx.workprec(BITS):
        a, b = (profile(k, law(name, k, Fraction(epsilon))) for name, epsilon in zip(names, epsilons, strict=True))
        if order == "average":
            gain_a, gain_b = gained(a, proof), gained(b, proof)
        else:
            size, gain_a = proof.offers[0][0], real(0)
            for row in a.rows:
                gain_a = arb.max(gain_a, reach(a, row, size))
            gain_b = next(reach(b, row, size) for row in b.rows if row[0] == size)
        apart = max(float((gain_b - gain_a).mid()), math.ulp(0.0))  # it is above zero, and told to be
        expected = [float(gain_a.mid()), float(gain_b.mid()), apart]
    told = [decision.vulnerability_original, decision.vulnerability_refined, decision.advantage]
    assert told == pytest.approx(expected, rel=ROUNDED, abs=0), (names, k, epsilons)
    return True


@pytest.mark.parametrize("order", ["average", "max"])
def test_at_large_budgets(order: str) -> None:
    """Where e^−ε is about as wide as a ball of the first precision, and far from it."""
    source = random.Random(11)
    compared = 0
    for _ in range(120):
        low = Fraction(source.choice((8000, 30_000, 60_000)) + source.randrange(1200), 100)
        epsilons = (str(low), str(low + Fraction(source.randrange(-150, 150), 100)))
        names = source.choice(NAMES), source.choice(NAMES)
        compared += check(names, source.choice((2, 3, 5, 8)), epsilons, order)
    assert compared >= 30


def test_a_gain_that_was_told_twice_too_large() -> None:
    assert check(("blh", "sue"), 5, ("82.35", "83.46"))


@pytest.mark.parametrize(
    ("name", "order"), [("grr", "average"), ("ss", "average"), ("grr", "max"), ("oue", "max"), ("blh", "max")]
)
@pytest.mark.parametrize("apart", ["1e-12", "2e-37", "7e-76", "37e-77", "3e-90"])
def test_of_near_pairs(name: str, apart: str, order: str) -> None:
    """Also a gain of exactly nothing, which no ball shows: it is told as 0."""
    assert check((name, name), 3, ("1", str(1 + Fraction(apart))), order)


@pytest.mark.parametrize("apart", ["1e-74", "4e-75"])
def test_more_bits_are_granted_than_a_proof_may_take(monkeypatch: pytest.MonkeyPatch, apart: str) -> None:
    """Over so many values that balls have 256 bits at most, a difference that these just show is told all the same."""
    monkeypatch.setattr("qifldp.refinement.verify.LAST_PRECISION", 256)
    assert check(("grr", "grr"), 3, ("1", str(1 + Fraction(apart))))


@pytest.mark.parametrize(("below", "told"), [(30, True), (400, True), (598, True), (602, False)])
def test_sizes_that_hardly_ever_occur_are_told_down_to_a_limit(below: int, told: bool) -> None:
    """B has more than A at size 2 only, e^−below of all: the adversary that is told bets on it, or there is none."""
    a, b = (make_profile(log_mass) for log_mass in (-below - 1.0, float(-below)))
    found = telling_bet(a, b)
    assert (found is not None) == told
    if found is not None:
        assert found.offers[0][0] == 2


def make_profile(log_mass: float) -> Profile:
    """Return a profile over five values, nearly all of whose reports have one value, the others two."""
    return Profile(5, 1.0, np.array([1, 2]), np.array([0.0, log_mass]))
