"""Certificates forged in every field: a false claim is never accepted, and every refusal has a reason."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from oracles.forgeries import Document, forgeries
from oracles.garbling import deficiency
from oracles.pairs import FAILS, HOLDS, max_case_truth, truth
from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE
from qifldp.refinement.certificate import Certificate, Side
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.proofs import GainMatrix, NearWitness, Witness
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate

LARGEST = 4
"""Domain size up to which the plain linear program says whether a claim is true."""

LEAST_FALSE = 3
"""Each genuine certificate has at least this many forgeries whose claim is false: the test has something to find."""

PAIRS: dict[str, tuple[Protocol, Protocol]] = {
    "identical": (OUE(3, "ln(3)"), OUE(3, "ln(3)")),
    "equal ρ, integer": (OLH(4, "ln(3)"), OUE(4, "ln(3)")),
    "equal ρ, real": (SUE(3, 2), OUE(3, 2)),
    "equal ρ, two values": (OUE(2, "1.1"), BLH(2, "1.1")),
    "equal ρ, complement": (UE(4, p="0.9", q="0.8"), UE(4, p="0.1", q="0.2")),
    "bitwise": (OUE(3, 1), THE(3, 1, theta="0.9")),
    "flow": (OUE(3, "0.8"), THE(3, "0.8", theta="0.7")),
    "one size of A": (GRR(4, 2), SS(4, "0.5", omega=2)),
    "one size of B": (LH(4, 2, g=3), SS(4, "0.7", omega=1)),
    "one size, complement": (GRR(3, 3), UE(3, p="0.4", q="0.6")),
    "equal ρ, mixtures": (Mix(3, 1, parts="0.5*ss@2+0.5*oue"), Mix(3, 1, parts="0.5*oue+0.3*ss@2")),
    "flow, mixtures": (Mix(3, 1, parts="0.5*ss@2+0.5*grr"), Mix(3, "0.6", parts="0.5*oue+0.5*ss@1")),
    "one size of A, mixture": (GRR(4, 2), Mix(4, "0.5", parts="0.5*ss@2+0.3*grr")),
    "one size of B, mixture": (Mix(4, 2, parts="0.5*ss@2+0.5*grr"), SS(4, "0.5", omega=2)),
    "bets, mixtures": (Mix(3, 1, parts="0.5*ss@2+0.5*grr"), Mix(3, 1, parts="0.6*ss@2+0.4*grr")),
    "bets, equal ρ": (OUE(3, 1), SUE(3, 1)),
    "bets, tight ε": (SUE(4, 1), OUE(4, "1.2")),
    "bets, one size": (GRR(4, "1.1"), SS(4, 1, omega=2)),
    "bets, transport": (OUE(4, "0.8"), THE(4, "0.8", theta="0.7")),
    "bets, complement": (UE(4, p="0.3", q="0.7"), OUE(4, "1.6")),
}

MAX_CASE: dict[str, tuple[Protocol, Protocol]] = {
    "reach": (GRR(4, 2), OUE(4, "0.5")),
    "reach, equal ρ": (OUE(3, 1), SUE(3, 1)),
    "bets, max case": (GRR(4, "1.1"), SS(4, 1, omega=2)),
    "reach, mixtures": (Mix(4, 2, parts="0.5*ss@2+0.4*grr"), Mix(4, 1, parts="0.5*oue+0.5*grr")),
    "bets, max case, complement": (UE(3, p="0.3", q="0.7"), OUE(3, "1.8")),
}
"""Pairs that are decided in the max-case order."""

A = Channel([["1/2", "1/2", "0"], ["0", "1/4", "3/4"], ["1/3", "1/3", "1/3"]])
W = (
    (Fraction(1, 5), Fraction(4, 5)),
    (Fraction(1, 2), Fraction(1, 2)),
    (Fraction(2, 3), Fraction(1, 3)),
)
B = A @ Channel(W)
CLEARER = Channel([["1", "0"], ["0", "1"], ["1/3", "2/3"]])

WIDE = Channel([["1/2", "1/4", "1/8", "1/8"], ["0", "1/4", "1/4", "1/2"], ["1/3", "0", "1/3", "1/3"]])
BLUR = (
    (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)),
    (Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)),
    (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)),
    (Fraction(1, 6), Fraction(2, 3), Fraction(1, 6)),
)


def near(original: Channel, witness: tuple[tuple[Fraction, ...], ...]) -> Certificate:
    """Return a claim about A·W, proved by three digits of W and of a right inverse of A."""
    digits = 3
    inverse = np.linalg.pinv(original.to_float().matrix).tolist()
    rounded = [[round(entry, digits) for entry in row[:-1]] for row in witness]
    rows = tuple((*row, 1 - sum(row, Fraction(0))) for row in rounded)
    shortened = tuple(tuple(Fraction(f"{entry:.{digits}f}") for entry in row) for row in inverse)
    return Certificate(original, original @ Channel(witness), "refines", NearWitness(rows, shortened))


EXPLICIT: dict[str, Certificate] = {
    "witness": Certificate(A, B, "refines", Witness(W)),
    "near_witness": near(A, BLUR[:3]),
    "near_witness, wide": near(WIDE, BLUR),
    "gain": Certificate(
        A,
        CLEARER,
        "does_not_refine",
        GainMatrix(((Fraction(1), Fraction(0), Fraction(0)), (Fraction(0), Fraction(1), Fraction(0)))),
    ),
}


def genuine(name: str) -> Certificate:
    if name in EXPLICIT:
        return EXPLICIT[name]
    original, refined = (PAIRS | MAX_CASE)[name]
    found = decide_refinement(original=original, refined=refined, order="max" if name in MAX_CASE else "average")
    assert isinstance(found, Refines | DoesNotRefine)
    return found.certificate


def claim_holds(certificate: Certificate) -> bool | None:
    """Whether a claim is true by the plain linear program, None if that cannot tell."""
    original, refined = certificate.original, certificate.refined
    if original.domain_size != refined.domain_size:
        return False
    if original.domain_size > LARGEST:
        return None
    if certificate.order == "max":
        sides = original, refined
        known = all(isinstance(side, Protocol) for side in sides)
        refines = max_case_truth(*sides) if known else None  # type: ignore[arg-type]
    else:
        refines = _truth(original, refined)
    return None if refines is None else refines == (certificate.verdict == "refines")


def _truth(original: Side, refined: Side) -> bool | None:
    if isinstance(original, Protocol) and isinstance(refined, Protocol):
        return truth(original, refined)
    explicit = [side.channel() if isinstance(side, Protocol) else side for side in (original, refined)]
    gap = deficiency(*explicit)
    return True if gap <= HOLDS else False if gap >= FAILS else None


ACCEPTED = "accepted"


def attempt(document: Document) -> tuple[Certificate | None, str]:
    """Read and verify: return the certificate if there is one, and what went wrong, or that it was accepted."""
    forged = None
    try:
        forged = Certificate.from_json(document)
        verify_certificate(forged)
    except (CertificateError, InputError) as error:
        return forged, "" if str(error) else "refused without a reason"
    except Exception as error:  # noqa: BLE001  # any other is a finding, listed with the rest
        return forged, f"ended with {error!r:.200}"
    return forged, ACCEPTED


@pytest.mark.parametrize("name", [*PAIRS, *MAX_CASE, *EXPLICIT])
def test_no_false_claim_is_accepted(name: str) -> None:
    certificate = genuine(name)
    verify_certificate(certificate)
    wrong, false_claims = [], 0
    for forgery, document in forgeries(json.loads(json.dumps(certificate.to_json()))):
        forged, finding = attempt(document)
        if finding:
            wrong.append(f"{forgery}: {finding}")
        if forged is None or (finding != ACCEPTED and false_claims >= LEAST_FALSE):
            continue
        holds = claim_holds(forged)
        false_claims += holds is False
        if finding == ACCEPTED:
            wrong.pop()
            if holds is False:
                wrong.append(f"{forgery}: a false claim was accepted")
    assert not wrong, "\n".join(wrong)
    assert false_claims >= LEAST_FALSE


@pytest.mark.parametrize("name", ["flow", "bets, transport", "witness"])
def test_truncated_files(name: str, tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    genuine(name).save(file)
    text = file.read_text(encoding="utf-8").strip()
    for length in range(len(text)):
        file.write_text(text[:length], encoding="utf-8")
        with pytest.raises(InputError):
            verify_certificate(file)


@pytest.mark.parametrize("name", [*PAIRS, *MAX_CASE, *EXPLICIT])
def test_one_verdict_for_a_pair(name: str) -> None:
    """The proofs of this file are the kinds that their names say, and say what the linear program says."""
    certificate = genuine(name)
    assert claim_holds(certificate) is True
    kind = name.partition(",")[0]
    expected = {"equal ρ": "equal_ratio", "flow": "sub_flow"}.get(kind, "one_size" if "one size" in kind else kind)
    assert certificate.proof.kind == expected
