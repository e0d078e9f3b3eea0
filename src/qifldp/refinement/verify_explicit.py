"""Checking witnesses and gain functions on explicit channels, in exact rationals (flint matrices)."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import expand
from qifldp.errors import InexactError
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
    if any(sum(row) != 1 for row in proof.rows):
        raise CertificateError("A row of the witness does not sum to one.")
    if original * witness != refined:
        raise CertificateError("The witness does not turn A into B.")


def _check_gain(original: fmpq_mat, refined: fmpq_mat, proof: GainMatrix) -> tuple[float, float]:
    gain = fmpq_mat([[_rational(entry) for entry in row] for row in proof.rows])
    if gain.ncols() != original.nrows():
        raise CertificateError("The gain function has another number of secrets than the channels.")
    if any(entry < 0 for row in proof.rows for entry in row):
        raise CertificateError("The gain function has a negative entry.")
    gain_a, gain_b = _vulnerability(gain, original), _vulnerability(gain, refined)
    if not gain_a < gain_b:
        raise CertificateError("The adversary does not gain more from B than from A.")
    return _float(gain_a), _float(gain_b)


def _matrix(side: Side) -> fmpq_mat:
    """Return a side as an exact matrix, a protocol's profile written out."""
    channel = expand(side.exact_profile(RATIONALS)) if isinstance(side, Protocol) else side
    if not isinstance(channel, Channel) or not channel.is_exact:
        raise InexactError("A certificate is about channels of exact rationals.")
    return fmpq_mat([[_rational(entry) for entry in row] for row in channel.matrix.tolist()])


def _vulnerability(gain: fmpq_mat, channel: fmpq_mat) -> fmpq:
    """Return Σ_y max_w Σ_x (1/k) C[x, y] g(w, x)."""
    table = (gain * channel).tolist()
    best = [max(row[y] for row in table) for y in range(channel.ncols())]
    return sum(best, fmpq(0)) / channel.nrows()


def _rational(entry: object) -> fmpq:
    return fmpq(entry.numerator, entry.denominator)  # type: ignore[attr-defined]


def _float(value: fmpq) -> float:
    return int(value.p) / int(value.q)
