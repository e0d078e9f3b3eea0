"""Pairs at a tiny ε, where all that is told of a value lies far behind the point: decided as at any other."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from qifldp import BLH, GRR, OUE, SS, DoesNotRefine, Protocol, Refines, decide_refinement
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import BudgetedProtocol
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decision import Decision
from qifldp.refinement.proofs import Bets
from qifldp.refinement.search.closed import price_above
from qifldp.refinement.search.transport import aligned_excess
from qifldp.refinement.verify import verify_certificate

ROUNDED = 1e-14
"""Relative: some products in doubles."""

TINY = ["1e-12", "1e-13", "1e-14", "1e-16", "1e-21", "1e-60", "1e-98"]


def decided(original: Protocol, refined: Protocol) -> Decision:
    """Return a decision whose certificate has gone through JSON and the verifier once more."""
    found = decide_refinement(original=original, refined=refined)
    assert isinstance(found, Refines | DoesNotRefine), (original, refined, found)
    verify_certificate(Certificate.from_json(found.certificate.to_json()))
    return found


@pytest.mark.parametrize("epsilon", TINY)
@pytest.mark.parametrize(("k", "parts"), [(60, "0.5*ss@5+0.001*oue"), (5, "1/3*ss@2+0.0009*blh")])
def test_the_pairs_that_were_undecided(k: int, parts: str, epsilon: str) -> None:
    budget = Fraction(epsilon)
    found = decided(BLH(k, budget), Mix(k, budget * Fraction(99, 100), parts=parts))
    assert isinstance(found, DoesNotRefine)
    assert found.margin is not None
    assert found.margin < 0.99
    assert found.deficiency is not None
    assert found.deficiency > 0


@pytest.mark.parametrize("epsilon", TINY)
@pytest.mark.parametrize("share", [Fraction(9, 10), Fraction(101, 100)])
def test_what_no_single_bet_refutes_is_decided_alike_at_every_budget(epsilon: str, share: Fraction) -> None:
    """To the first order in ε all that counts is the ratio of the budgets, here next to where refinement ends."""
    parts = "8/28*ss@3+8/28*ss@2+6/28*ss@5+6/28*ss@6", "2/9*ss@1+7/9*ss@3"
    margins = []
    for budget in (Fraction(epsilon), Fraction("1e-9")):
        limit = decide_refinement(
            original=Mix(20, budget, parts=parts[0]), refined=Mix(20, budget / 2, parts=parts[1])
        ).margin
        assert limit is not None
        refined = Mix(20, budget / 2 * Fraction(f"{limit:.6f}") * share, parts=parts[1])
        found = decided(Mix(20, budget, parts=parts[0]), refined)
        assert isinstance(found, Refines if share < 1 else DoesNotRefine)
        margins.append(found.margin)
    assert margins[0] == pytest.approx(margins[1], abs=1e-6)


@pytest.mark.parametrize("epsilon", ["1e-98", "1e-13", "0.1", "1", "40"])
@pytest.mark.parametrize("family", [GRR, BLH, OUE])
def test_what_is_above_a_blind_choice_has_all_its_digits(family: type[BudgetedProtocol], epsilon: str) -> None:
    """M(w, w') − w'/k, by its definition, in rationals: e^ε is that of the float ln ρ, to sixty terms."""
    k, profile = 9, family(9, epsilon).profile
    log_ratio = Fraction(profile.log_ratio)
    term, ratio = Fraction(1), Fraction(1)
    for n in range(1, 60 if log_ratio < 2 else 300):
        term *= log_ratio / n
        ratio += term
    sizes = np.arange(1, k)
    found = aligned_excess(profile, sizes)
    for row, w in enumerate(profile.sizes.tolist()):
        for column, v in enumerate(sizes.tolist()):
            overlap = min(w, v)
            mass = (overlap * ratio + v - overlap) / (w * ratio + k - w) if w else Fraction(v, k)
            assert found[row, column] == pytest.approx(float(mass - Fraction(v, k)), rel=ROUNDED, abs=0)


def test_prices_are_rounded_up_in_the_digits_that_count() -> None:
    source = random.Random(2)
    for _ in range(200):
        fair, premium = Fraction(source.randrange(1, 50), 50), source.random() * 10.0 ** -source.randrange(300)
        above = price_above(fair, premium) - fair
        assert 0 <= above - Fraction(premium) <= Fraction(premium) / 10**12
    assert price_above(Fraction(1, 3), 0.0) == Fraction(1, 3)
    assert price_above(Fraction(1, 4), 0.25) == Fraction(1, 2)


def test_prices_of_ordinary_budgets_stay_short() -> None:
    found = decided(SS(10, 1), GRR(10, "0.99"))
    assert isinstance(found, DoesNotRefine)
    assert isinstance(found.certificate.proof, Bets)
    assert max(len(str(price)) for _, _, price in found.certificate.proof.offers) < 34
