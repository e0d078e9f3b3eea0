"""Flows at large ε, where B's posteriors are next to certain and a blur of a billionth is too much."""

from __future__ import annotations

from fractions import Fraction

import pytest

from qifldp import BLH, SUE, THE, DoesNotRefine, Protocol, Refines, decide_refinement
from qifldp.protocols.mixture import Mix
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.proofs import SubFlow
from qifldp.refinement.verify import verify_certificate


def flows(original: Protocol, refined: Protocol) -> bool:
    """Whether a pair is proved by a flow, after it has gone through JSON and the verifier once more."""
    found = decide_refinement(original=original, refined=refined)
    assert isinstance(found, Refines), (original, refined, found)
    verify_certificate(Certificate.from_json(found.certificate.to_json()))
    return isinstance(found.certificate.proof, SubFlow)


@pytest.mark.parametrize("factor", ["1.1", "1.5"])
@pytest.mark.parametrize("epsilon", ["20", "24", "28", "32", "40", "80", "300"])
@pytest.mark.parametrize("k", [3, 5, 8])
def test_sue_is_refined_to_blh_with_some_budget_to_spare(k: int, epsilon: str, factor: str) -> None:
    assert flows(SUE(k, Fraction(epsilon) * Fraction(factor)), BLH(k, epsilon))


def test_the_pairs_that_were_undecided() -> None:
    assert flows(SUE(5, 27), BLH(5, 24))
    assert flows(SUE(3, 22), BLH(3, 20))
    assert flows(SUE(5, 32), THE(5, "35.2"))


@pytest.mark.parametrize("epsilon", ["40", "100", "300", "699"])
@pytest.mark.parametrize("less", ["20", "25", "30"])
def test_rows_that_are_full_take_no_rest(epsilon: str, less: str) -> None:
    """A third of A's mass is used, but the sizes that are used are used up, except for one."""
    assert flows(BLH(120, epsilon), Mix(120, less, parts="1/3*ss@99+1e-40*grr"))


@pytest.mark.parametrize("k", [3, 5, 8, 20])
@pytest.mark.parametrize("epsilon", ["24", "28", "32"])
def test_too_little_budget_to_spare(k: int, epsilon: str) -> None:
    """A set of one value reaches one of k − 1 if ρ_A − 1 ≥ (k − 1)(ρ_B − 1), and larger sets are rare: it is missed.

    By e^−ε, which no program in doubles sees.
    """
    found = decide_refinement(original=SUE(k, Fraction(epsilon) * Fraction("1.02")), refined=BLH(k, epsilon))
    assert isinstance(found, DoesNotRefine)
    verify_certificate(Certificate.from_json(found.certificate.to_json()))


def test_a_flow_of_ordinary_budgets_stays_short() -> None:
    """Thirteen digits a share, as before."""
    found = decide_refinement(original=SUE(5, "4.5"), refined=BLH(5, 3))
    assert isinstance(found, Refines)
    assert isinstance(found.certificate.proof, SubFlow)
    assert max(len(str(share.denominator)) for _, _, share in found.certificate.proof.shares) < 30
