"""What a verified certificate says, and the error of one that proves nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from qifldp.errors import QifldpError
from qifldp.refinement.certificate import Certificate


class CertificateError(QifldpError):
    """A certificate does not prove what it claims; the message says where it fails."""


class UnclearError(Exception):
    """Two balls overlap: a signal to raise the precision, never seen outside the verifier."""


LEAST = math.ulp(0.0)
"""What a difference that is above zero is rounded to, if doubles have nothing nearer."""


class Gains(NamedTuple):
    """What the adversary of a counterexample gains from A, from B (more, before rounding), and by how much more.

    Each is rounded once, from a ball of 64 bits or more, and the difference up to LEAST: it is above zero.
    """

    original: float
    refined: float
    advantage: float


@dataclass(frozen=True)
class Verified:
    """What a certificate proves.

    Attributes:
        certificate: The certificate.
        precision: Bits of the balls that decided it; 0 where the proof is exact.
        gains: For a counterexample, what its adversary gains.
    """

    certificate: Certificate
    precision: int
    gains: Gains | None = None
