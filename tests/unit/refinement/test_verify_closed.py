"""Ties: refinement with a margin of exactly one, decided by exact numbers, and pairs that miss it by a hair."""

from __future__ import annotations

from fractions import Fraction

import pytest

from oracles.garbling import deficiency
from oracles.pairs import FAILS, HOLDS, written_out
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.proofs import EqualRatio, OneSize, Reach
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate

HAIR = Fraction(1, 10**40)

TIES = (
    # SUE over two values sees both bits: its best guess is right as often as GRR's at ε/2.
    (SUE(2, 2), lambda epsilon: GRR(2, epsilon), Fraction(1)),
    (SUE(2, "ln(5)"), lambda epsilon: GRR(2, f"{epsilon}*ln(5)"), Fraction(1, 2)),
    # Sets of two values put p/2 on each: e^ε = 3 over five values gives 1/3, as GRR at e^ε = 2.
    (SS(5, exp_epsilon=3, omega=2), lambda epsilon: GRR(5, exp_epsilon=epsilon), Fraction(2)),
    (SS(1000, exp_epsilon="1993/996", omega=2), lambda epsilon: GRR(1000, exp_epsilon=epsilon), None),
    (GRR(2, 1), lambda epsilon: SUE(2, epsilon), Fraction(1)),
)


def _asr_ratio(protocol: Protocol) -> Fraction:
    """Return the e^ε at which GRR's best guess is right as often as this exact protocol's."""
    k, profile = protocol.domain_size, protocol.exact_profile()
    asr = sum((mass * profile.densities(size)[0] / k for size, mass in profile.mass), Fraction(0))
    return asr * (k - 1) / (1 - asr)


@pytest.mark.parametrize("tie", TIES)
def test_a_tie_holds_and_a_hair_above_it_fails(tie: tuple[Protocol, object, Fraction | None]) -> None:
    original, family, at = tie
    at = _asr_ratio(original) if at is None else at
    for change, expected in ((-HAIR, Refines), (0, Refines), (HAIR, DoesNotRefine)):
        decision = decide_refinement(original=original, refined=family(at + change))  # type: ignore[operator]
        assert isinstance(decision, expected), (change, decision)
        verify_certificate(Certificate.from_json(decision.certificate.to_json()))


@pytest.mark.parametrize("k", [3, 10, 300])
@pytest.mark.parametrize("kind", ["oue", "ue"])
def test_ties_of_rational_success_rates(k: int, kind: str) -> None:
    """Independent members to GRR: the best guess decides, and where it is rational the tie is met exactly."""
    original = OUE(k, exp_epsilon=4) if kind == "oue" else UE(k, p="2/3", q="1/7")
    ratio = _asr_ratio(original)
    assert isinstance(decide_refinement(original=original, refined=GRR(k, exp_epsilon=ratio)), Refines)
    above = decide_refinement(original=original, refined=GRR(k, exp_epsilon=ratio + HAIR))
    assert isinstance(above, DoesNotRefine)
    assert above.vulnerability_refined >= above.vulnerability_original  # as doubles; the certificate says more
    verify_certificate(above.certificate)


@pytest.mark.parametrize("epsilon", ["0.3", "1", "ln(7)", "4"])
def test_a_hair_between_protocols_over_two_values(epsilon: str) -> None:
    """With two values every protocol is one mass and one level: nothing is left undecided."""
    more = (
        f"{epsilon[:-1]}.{'0' * 40}1)"
        if epsilon.startswith("ln")
        else f"{epsilon}{'' if '.' in epsilon else '.'}{'0' * 40}1"
    )
    for family in (SUE, OUE, GRR):
        low, high = family(2, epsilon), family(2, more)
        assert isinstance(decide_refinement(original=high, refined=low), Refines)
        assert isinstance(decide_refinement(original=low, refined=high), DoesNotRefine)


def test_max_case_ties() -> None:
    """A set of two values of SS reaches GRR's posterior exactly."""
    original, refined = SS(5, exp_epsilon=3, omega=2), GRR(5, exp_epsilon=2)
    assert isinstance(decide_refinement(original=original, refined=refined, order="max"), Refines)
    tie = Certificate(original, refined, "refines", Reach(((1, 2),)), "max")
    assert verify_certificate(tie).precision > 0
    above = Certificate(original, GRR(5, exp_epsilon=2 + HAIR), "refines", Reach(((1, 2),)), "max")
    with pytest.raises(CertificateError, match="posterior of size 1 is not reached"):
        verify_certificate(above)


SIDES: tuple[Protocol, ...] = (
    *(GRR(k, epsilon) for k in (2, 3, 4) for epsilon in ("0.4", "1", "ln(4)")),
    *(SS(k, epsilon, omega=k - 1) for k in (3, 4) for epsilon in ("0.4", "1", "2")),
    *(family(k, epsilon) for family in (SUE, OUE, THE) for k in (2, 3, 4) for epsilon in ("0.5", "1", "2")),
)


@pytest.mark.parametrize("proof", [OneSize(), EqualRatio()])
def test_a_closed_rule_is_accepted_only_where_it_is_true(proof: OneSize | EqualRatio) -> None:
    """… and wherever it applies to a true claim: against the plain linear program, over all pairs of sides."""
    accepted = refused = 0
    for original in SIDES:
        for refined in SIDES:
            if original.domain_size != refined.domain_size or original == refined:
                continue
            try:
                verify_certificate(Certificate(original, refined, "refines", proof))
            except CertificateError as error:
                if isinstance(proof, OneSize) and "Neither side" not in str(error):
                    assert deficiency(written_out(original), written_out(refined)) > HOLDS
                    refused += 1
            else:
                assert deficiency(written_out(original), written_out(refined)) < FAILS
                accepted += 1
    assert accepted > 3
    assert refused > 20 or not isinstance(proof, OneSize)


def test_one_size_needs_one_size() -> None:
    with pytest.raises(CertificateError, match="Neither side has reports of one size"):
        verify_certificate(Certificate(OUE(3, 1), THE(3, "0.1"), "refines", OneSize()))
