"""A certificate of a few hundred bytes cannot keep the verifier busy, and closed rules are quick over large domains."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from qifldp import GRR, OUE, SS, THE, UE, Channel, Protocol, Undecided, decide_refinement, verify_certificate
from qifldp.refinement import verify_explicit
from qifldp.refinement.certificate import Certificate, Order, Verdict
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.proofs import Bets, EqualRatio, GainMatrix, NearWitness, OneSize, Proof, Reach, SubFlow, Witness
from qifldp.refinement.verified import CertificateError

ONE = Fraction(1)
AT_ONCE = 30
"""Seconds, on a slow machine: what is refused here took minutes, or gigabytes, before it was bounded."""

LONG = f"{10**140 + 1}/{3 * 10**140}"


@pytest.mark.parametrize(
    ("original", "refined", "proof", "reason"),
    [
        (OUE(10**7, 1), THE(10**7, 1), SubFlow(()), "sub_flow is checked over at most 1,000,000"),
        (OUE(10**7, 1), THE(10**7, 1), Bets(((1, ONE, ONE),)), "bets is checked over at most 1,000,000"),
        (OUE(10**7, 1), SS(10**7, 1), OneSize(), "one_size is checked over at most 200,000"),
        (UE(10**7, p="1/2", q="1/4"), UE(10**7, p="1/2", q="1/3"), Witness(((ONE,),)), "too large to check"),
        (UE(17, p=LONG, q="1/7"), UE(17, p=LONG, q="1/8"), Witness(((ONE,),)), "too large to check"),
        (UE(17, p=LONG, q="1/7"), UE(17, p=LONG, q="1/8"), GainMatrix(((ONE,) * 17,)), "too large to check"),
    ],
    ids=lambda value: getattr(value, "kind", None) or (str(value)[:12] if isinstance(value, str) else None),
)
def test_small_certificates_of_huge_claims(original: Protocol, refined: Protocol, proof: Proof, reason: str) -> None:
    verdict: Verdict = "does_not_refine" if isinstance(proof, Bets | GainMatrix) else "refines"
    start = time.monotonic()
    with pytest.raises(CertificateError, match=reason):
        verify_certificate(Certificate(original, refined, verdict, proof))
    assert time.monotonic() - start < AT_ONCE


def long_fractions(rows: int, columns: int) -> tuple[tuple[Fraction, ...], ...]:
    """Return fractions near one of 4,000 digits each, whose denominators have hardly a factor in common."""
    unit = 10**4_000
    first = [unit + 2 * place + 1 for place in range(rows * columns)]
    return tuple(tuple(Fraction(d - 7, d) for d in first[x * columns : (x + 1) * columns]) for x in range(rows))


def of_long_fractions(kind: str) -> tuple[Channel, Channel, Proof, Order]:
    """Return what a certificate with proofs of a few megabytes claims."""
    blind = Channel([[Fraction(1, 2)] * 2] * 2)
    telling = Channel([[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]])
    wide = Channel([[Fraction(1, 300)] * 300] * 2)
    table = long_fractions(300, 2)
    stochastic = tuple((entry, 1 - entry) for entry, _ in table)
    return {
        "gain": (blind, telling, GainMatrix(table), "average"),
        "luckiest gain": (wide, telling, GainMatrix(long_fractions(4, 2)), "max"),
        "witness": (wide, blind, Witness(stochastic), "average"),
        "witness at worst": (wide, blind, Witness(table), "max"),
        "near witness": (wide, blind, NearWitness(stochastic, ((ONE, ONE),) * 300), "average"),
        "right inverse": (wide, blind, NearWitness(((ONE / 2, ONE / 2),) * 300, table), "average"),
    }[kind]  # type: ignore[return-value]


@pytest.mark.parametrize(
    "kind", ["gain", "luckiest gain", "witness", "witness at worst", "near witness", "right inverse"]
)
def test_numbers_that_share_no_denominators_are_not_multiplied(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over one denominator 600 numbers of 4,000 digits are 600 of 2.4 million: gigabytes, and minutes."""
    if kind != "gain":
        monkeypatch.setattr(verify_explicit, "MOST_PRODUCT_BITS", 1 << 22)  # what takes long has files of 100 MB
    original, refined, proof, order = of_long_fractions(kind)
    verdict: Verdict = "does_not_refine" if isinstance(proof, GainMatrix) else "refines"
    start = time.monotonic()
    with pytest.raises(CertificateError, match="too long to check"):
        verify_certificate(Certificate(original, refined, verdict, proof, order))
    assert time.monotonic() - start < AT_ONCE


def test_a_proof_that_is_too_long_to_check_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_explicit, "MOST_PRODUCT_BITS", 16)
    original = Channel([[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]])
    refined = Channel([[Fraction(3, 5), Fraction(2, 5)], [Fraction(2, 5), Fraction(3, 5)]])
    for a, b in ((original, refined), (refined, original)):
        decision = decide_refinement(original=a, refined=b)
        assert isinstance(decision, Undecided)
        assert "too long to check" in decision.reason


def test_a_tie_of_many_digits() -> None:
    """One ρ, and masses that differ in the 130th digit: rationals of as many digits to the power of k took for ever."""
    unit = 10**130
    near, far = (
        UE(10**5, p=Fraction(3 * at, unit + 2 * at), q=Fraction(at, unit)) for at in (unit // 7, unit // 7 + 1)
    )
    start = time.monotonic()
    with pytest.raises(CertificateError, match="less mass than B"):
        verify_certificate(Certificate(near, far, "refines", EqualRatio()))
    assert time.monotonic() - start < AT_ONCE


def test_bets_times_sizes_are_bounded() -> None:
    offers = tuple((size % 99 + 1, ONE, Fraction(size, 10**6)) for size in range(200_001))
    with pytest.raises(CertificateError, match="more than 20,000,000 pairs of a bet and a size"):
        verify_certificate(Certificate(OUE(100, 1), THE(100, 1), "does_not_refine", Bets(offers)))


def test_a_column_that_is_overfull_proves_nothing() -> None:
    """Shares of B's mass that sum to 1.6: with them GRR at e^ε = 5 would be refined to a leakier protocol."""
    original, refined = GRR(3, exp_epsilon=5), UE(3, p="1/10", q="1/80")
    assert original.tight_epsilon < refined.tight_epsilon
    share = Fraction(8, 5)
    for shares in (((1, 1, share), (1, 2, share)), ((1, 1, share / 2), (1, 1, share / 2), (1, 2, share))):
        with pytest.raises(CertificateError, match=r"B's mass at size 1 is filled|A's mass at size 1 is used"):
            verify_certificate(Certificate(original, refined, "refines", SubFlow(shares)))


def test_two_unknown_ratios_are_not_one() -> None:
    """THE has no ρ in closed form: two of them must not be taken for equal."""
    low, high = THE(3, 1), THE(3, 4)
    assert low.tight_budget is high.tight_budget is None
    for proof, order in ((EqualRatio(), "average"), (Reach(((1, 1), (2, 2))), "max")):
        with pytest.raises(CertificateError, match=r"exactly one ρ|is not reached"):
            verify_certificate(Certificate(low, high, "refines", proof, order))  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [2_000, 20_000])
def test_one_size_is_quick_over_large_domains(k: int) -> None:
    start = time.monotonic()
    assert isinstance(decide_refinement(original=OUE(k, 1), refined=SS(k, "0.9")), Refines)
    assert isinstance(decide_refinement(original=SS(k, 1), refined=OUE(k, "0.9")), DoesNotRefine)
    assert time.monotonic() - start < AT_ONCE
