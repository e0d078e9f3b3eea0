"""ε_k: isolated roots, which the decider of refinement agrees with on both sides."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from flint import arb, fmpz_poly

from qifldp import OUE, SUE, DoesNotRefine, Refines, decide_refinement
from qifldp.exact.budget import Budget
from qifldp.proofs.claim import UncheckedError
from qifldp.proofs.ledger.epsilon_k import closed_polynomial, thresholds
from qifldp.proofs.roots import mass, numerator, roots_above_one, sign_changes, text, threshold

KNOWN = {3: "1.956", 4: "2.851"}
"""From the linear program over explicit channels."""


def test_they_agree_with_the_decider_just_above_and_below() -> None:
    assert [one.domain_size for one in thresholds()] == list(range(3, 21))
    for one in thresholds():
        k = one.domain_size
        low, high = one.sides(9)
        assert high - low == Fraction(1, 10**9)
        above = decide_refinement(original=SUE(k, Budget(high)), refined=OUE(k, Budget(high)))
        below = decide_refinement(original=SUE(k, Budget(low)), refined=OUE(k, Budget(low)))
        assert isinstance(above, Refines)
        assert isinstance(below, DoesNotRefine)


def test_known_digits_and_polynomials() -> None:
    for k, digits in KNOWN.items():
        assert f"{float(threshold(k).epsilon.mid()):.3f}" == digits
    assert text(threshold(3).polynomial) == "s^3 + (-2)·s^2 + (-1)·s + (-2)"
    assert threshold(3).decimals(31) == "1.955875464621977292581217649873"
    assert threshold(3).epsilon.rad() < arb("1e-100")
    for one in thresholds():
        assert one.size == 1
        assert one.polynomial(one.root).contains(0)
        assert (closed_polynomial(one.domain_size) % one.polynomial).is_zero()


def test_masses_are_the_profiles() -> None:
    for kind in (SUE, OUE):
        for k in (2, 3, 6):
            exact = dict(kind(k, exp_epsilon=4).exact_profile().mass)
            for w in range(1, k):
                found = mass(kind, k, w)
                assert Fraction(str(found.top(2) / found.bottom(2))) == exact[w]


def test_there_is_none_over_two_values_or_against_itself() -> None:
    with pytest.raises(UncheckedError, match="at k = 2 the condition holds for every ε"):
        threshold(2)
    with pytest.raises(UncheckedError, match="at k = 5 the condition holds for every ε"):
        threshold(5, original=OUE)


def test_roots_above_one_and_signs_between() -> None:
    x = fmpz_poly([0, 1])
    polynomial = (x**2 - 2) * (x - 3) ** 2 * (x + 5) * (2 * x - 1) * (x**2 + 1)
    found, signs = sign_changes(polynomial)
    assert [root.str(6, radius=False) for root, _ in found] == ["1.41421", "3.00000"]
    assert [text(factor) for _, factor in found] == ["s^2 + (-2)", "s + (-3)"]
    assert signs == [-1, 1, 1]
    assert sign_changes(-polynomial)[1] == [1, -1, -1]
    assert roots_above_one(x - 1) == []
    assert sign_changes(fmpz_poly([0])) == ([], [0])


def test_numerators_have_the_sign_of_the_difference() -> None:
    difference = mass(SUE, 4, 2) - mass(OUE, 4, 2)
    whole = numerator(difference)
    for s in (2, 3, 10):
        value = difference.top(s) / difference.bottom(s)
        assert (whole(s) > 0) == (value > 0)
    assert comb(4, 2) == 6


def test_a_pattern_of_signs_that_is_not_a_threshold_is_refused() -> None:
    with pytest.raises(UncheckedError, match="has the signs"):
        threshold(3, original=_Twice)


class _Twice(SUE):
    """More mass than OUE, then less: no threshold."""

    def support_probabilities(self, field):  # type: ignore[no-untyped-def]
        p, q = OUE(self.domain_size, self.budget).support_probabilities(field)
        return 1 - q, 1 - p
