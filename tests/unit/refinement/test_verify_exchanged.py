"""Proofs held against pairs that they were not made for: acceptance must always be the truth."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import pytest

from oracles.pairs import truth
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE
from qifldp.refinement.certificate import Certificate, Verdict
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.proofs import Bets, Bitwise, EqualRatio, Identical, Proof, SubFlow
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate

RANDOM_PROOFS = 12
"""Random bets and random flows that are tried on every pair."""


@cache
def protocols(k: int) -> tuple[Protocol, ...]:
    return (
        GRR(k, 1),
        GRR(k, "ln(3)"),
        SS(k, 1, omega=k - 1),
        BLH(k, 1),
        OLH(k, "ln(3)"),
        LH(k, 2, g=3),
        SUE(k, 1),
        SUE(k, "ln(9)"),
        OUE(k, 1),
        OUE(k, "ln(3)"),
        OUE(k, 2),
        THE(k, 2, theta="0.7"),
        THE(k, 3),
        UE(k, p="3/4", q="1/4"),
        UE(k, p="1/4", q="3/4"),
        UE(k, p="0.1", q="0.4"),
    )


@cache
def genuine(k: int) -> tuple[Certificate, ...]:
    found = [decide_refinement(original=a, refined=b) for a in protocols(k) for b in protocols(k)]
    return tuple(decision.certificate for decision in found if isinstance(decision, Refines | DoesNotRefine))


def accepted(original: Protocol, refined: Protocol, proof: Proof) -> bool:
    verdict: Verdict = "does_not_refine" if isinstance(proof, Bets) else "refines"
    try:
        verify_certificate(Certificate(original, refined, verdict, proof))
    except CertificateError:
        return False
    return True


@pytest.mark.parametrize("k", [2, 3, 4])
def test_decisions_are_true(k: int) -> None:
    known = [(entry, truth(entry.original, entry.refined)) for entry in genuine(k)]  # type: ignore[arg-type]
    assert all(holds is None or holds == (entry.verdict == "refines") for entry, holds in known)
    verdicts = [holds for _, holds in known]
    assert min(verdicts.count(True), verdicts.count(False)) > len(verdicts) // 10


@pytest.mark.parametrize("k", [2, 3])
def test_no_proof_of_one_pair_shows_something_false_of_another(k: int) -> None:
    proofs: set[Proof] = {entry.proof for entry in genuine(k)} | {Identical(), EqualRatio(), Bitwise()}
    taken = 0
    for original in protocols(k):
        for refined in protocols(k):
            holds = truth(original, refined)
            for proof in proofs:
                if accepted(original, refined, proof):
                    taken += 1
                    assert holds is not isinstance(proof, Bets), (original, refined, proof)
    assert taken > len(proofs)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_random_proof_shows_something_false(k: int) -> None:
    source = random.Random(20 + k)
    taken = 0
    for original in protocols(k):
        for refined in protocols(k):
            holds = truth(original, refined)
            for _ in range(RANDOM_PROOFS):
                for proof in (_random_bets(source, k), _random_flow(source, k, original, refined)):
                    if accepted(original, refined, proof):
                        taken += 1
                        assert holds is not isinstance(proof, Bets), (original, refined, proof)
    assert taken > len(protocols(k))


def _random_bets(source: random.Random, k: int) -> Bets:
    def offer() -> tuple[int, Fraction, Fraction]:
        size, stake = source.randint(1, k - 1), Fraction(source.randint(1, 100), 50)
        return size, stake, stake * size / k + Fraction(source.randint(0, 40), 100)

    return Bets(tuple(offer() for _ in range(source.randint(1, 2))))


def _random_flow(source: random.Random, k: int, original: Protocol, refined: Protocol) -> SubFlow:
    """Return shares between sizes that occur, most of each target from its own size."""
    kinds = [range(1, k) if not isinstance(side, SS) else [side.omega] for side in (original, refined)]
    shares = []
    for target in kinds[1]:
        left = Fraction(source.randint(80, 100), 101)
        own = [target] if target in kinds[0] and source.random() < 0.8 else []
        for size in own + source.sample(list(kinds[0]), source.randint(1, len(kinds[0]))):
            part = left * Fraction(source.randint(50, 100), 100)
            left -= part
            shares.append((size, target, part))
    return SubFlow(tuple(shares))
