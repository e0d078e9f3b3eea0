"""Checking witnesses and gain functions on explicit channels, in exact rationals (flint matrices)."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import fmpq, fmpq_mat, fmpz_mat

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import expand
from qifldp.errors import InexactError
from qifldp.exact.budget import nearest_double
from qifldp.exact.fields import RATIONALS
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Certificate, GainMatrix, Side, Witness
from qifldp.refinement.verified import CertificateError, Verified


def verify_explicit(certificate: Certificate) -> Verified:
    """Check a witness or a gain function between two channels of rationals.

    Raises:
        CertificateError: If it does not prove its claim.
    """
    if certificate.order != "average":
        raise CertificateError("Witnesses and gain functions are about refinement on average.")
    original, refined, proof = _matrix(certificate.original), _matrix(certificate.refined), certificate.proof
    if isinstance(proof, Witness):
        _check_witness(original, refined, proof)
        return Verified(certificate, 0)
    if not isinstance(proof, GainMatrix):
        raise CertificateError(f"A proof of kind {proof.kind} is not about explicit channels.")
    return Verified(certificate, 0, *_check_gain(original, refined, proof))


def _check_witness(original: fmpq_mat, refined: fmpq_mat, proof: Witness) -> None:
    witness = fmpq_mat([[_rational(entry) for entry in row] for row in proof.rows])
    if (witness.nrows(), witness.ncols()) != (original.ncols(), refined.ncols()):
        raise CertificateError("The witness has a shape that does not fit the two channels.")
    if any(entry < 0 for row in proof.rows for entry in row):
        raise CertificateError("The witness has a negative entry.")
    if any(entry != 1 for (entry,) in (witness * fmpq_mat([[1]] * witness.ncols())).tolist()):
        raise CertificateError("A row of the witness does not sum to one.")
    if original * witness != refined:
        raise CertificateError("The witness does not turn A into B.")


def _check_gain(original: fmpq_mat, refined: fmpq_mat, proof: GainMatrix) -> tuple[float, float]:
    gain = fmpq_mat([[_rational(entry) for entry in row] for row in proof.rows])
    if gain.ncols() != original.nrows():
        raise CertificateError("The gain function has another number of secrets than the channels.")
    if any(entry < 0 for row in proof.rows for entry in row):
        raise CertificateError("The gain function has a negative entry.")
    gain_a, gain_b = posterior_gain(gain, original), posterior_gain(gain, refined)
    if not gain_a < gain_b:
        raise CertificateError("The adversary does not gain more from B than from A.")
    return _float(gain_a), _float(gain_b)


def _matrix(side: Side) -> fmpq_mat:
    """Return a side as an exact matrix, a protocol's profile written out."""
    if isinstance(side, Protocol) and not side.is_exact:
        raise CertificateError(f"{side.spec} has no matrix of rationals.")
    channel = expand(side.exact_profile(RATIONALS)) if isinstance(side, Protocol) else side
    if not isinstance(channel, Channel) or not channel.is_exact:
        raise InexactError("A certificate is about channels of exact rationals.")
    return fmpq_mat([[_rational(entry) for entry in row] for row in channel.matrix.tolist()])


def posterior_gain(gain: fmpq_mat, channel: fmpq_mat) -> fmpq:
    """Return Σ_y max_w Σ_x (1/k) C[x, y] g(w, x), the maxima compared as integers over one denominator."""
    rows, denominators = _over_row_denominators(channel)
    numerators, denominator = gain.numer_denom()
    common = math.lcm(*denominators)
    weights = [common // divisor for divisor in denominators]
    scaled = [[entry * weight for entry, weight in zip(row, weights, strict=True)] for row in numerators.tolist()]
    table = (fmpz_mat(scaled) * rows).transpose().tolist()
    return fmpq(sum(max(column) for column in table), denominator * common * channel.nrows())


def _over_row_denominators(matrix: fmpq_mat) -> tuple[fmpz_mat, list[int]]:
    """Return the integer matrix and the divisors of its rows that make up a rational matrix."""
    table = matrix.tolist()
    divisors = [math.lcm(*(int(entry.q) for entry in row)) for row in table]
    rows = [[entry.p * (d // int(entry.q)) for entry in row] for row, d in zip(table, divisors, strict=True)]
    return fmpz_mat(rows), divisors


def _rational(entry: object) -> fmpq:
    return fmpq(entry.numerator, entry.denominator)  # type: ignore[attr-defined]


def _float(value: fmpq) -> float:
    return nearest_double(Fraction(int(value.p), int(value.q)))
