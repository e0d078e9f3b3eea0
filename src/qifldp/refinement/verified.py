"""What a verified certificate says, and the error of one that proves nothing."""

from __future__ import annotations

from dataclasses import dataclass

from qifldp.errors import QifldpError
from qifldp.refinement.certificate import Certificate


class CertificateError(QifldpError):
    """A certificate does not prove what it claims; the message says where it fails."""


class UnclearError(Exception):
    """Two balls overlap: a signal to raise the precision, never seen outside the verifier."""


@dataclass(frozen=True)
class Verified:
    """What a certificate proves.

    Attributes:
        certificate: The certificate.
        precision: Bits of the balls that decided it; 0 where the proof is exact.
        vulnerability_original: For a counterexample, what its adversary gains from A, above zero.
        vulnerability_refined: … and from B: strictly more.
    """

    certificate: Certificate
    precision: int
    vulnerability_original: float | None = None
    vulnerability_refined: float | None = None
