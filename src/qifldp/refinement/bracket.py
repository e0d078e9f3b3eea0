"""Le Cam deficiencies between two protocols, bracketed by proof."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from qifldp.errors import ConvergenceError, InputError, TooLargeError
from qifldp.exact.fields import BALLS
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.deficiency_certificate import DeficiencyCertificate
from qifldp.refinement.proofs import Bets, SubFlow
from qifldp.refinement.search.strength import Nearest, nearest
from qifldp.refinement.verified import CertificateError, UnclearError
from qifldp.refinement.verify import until_clear
from qifldp.refinement.verify_deficiency import advantage, distance, verify_deficiency

KEPT = Fraction(10**12 - 1, 10**12)
"""Share of a flow that is kept, so that what the solver fills to the brim stays strictly inside."""

OUTWARD = Fraction(1, 10**12)
"""Both numbers are rounded outwards to twelve decimals: the solver's optimum has some ten."""

NARROW = 1e-15
"""Radius of a ball whose midpoint is rounded: at a large ε balls of few bits are wider than the bracket."""


def bracket_deficiency(
    *, original: Protocol, refined: Protocol, time_limit: float | None = None
) -> DeficiencyCertificate:
    """Return two numbers that the Le Cam deficiency δ(A → B) lies strictly between, with a proof of each.

    Every adversary with gains in [0, 1] gains at most δ more from B than from A, and some adversary gains δ more.
    The numbers are some 1e-9 apart, or less. If A ⊑ B, δ is zero, and ``least`` below it.

    Args:
        original: A.
        refined: B, over the same domain.
        time_limit: Seconds for the linear program.

    Raises:
        InputError: If the domains differ.
        TooLargeError: If they are too large for one linear program.
        ConvergenceError: If the program is not solved in time, or its solution does not pass as a proof.
    """
    for side in (original, refined):
        if not isinstance(side, Protocol):
            raise InputError.expected("A side of a deficiency", "a protocol", type(side).__name__)
    k = original.domain_size
    if k != refined.domain_size:
        raise InputError(f"A deficiency is between two sides of one domain, got {k} and {refined.domain_size} values.")
    found = nearest(original.profile, refined.profile, seconds=time_limit)
    if found is None:
        raise TooLargeError(
            f"A deficiency over {original.domain_size:,} values is too large to solve for these protocols."
        )
    try:
        return _certified(original, refined, found)
    except CertificateError as error:
        raise ConvergenceError(f"The optimum that was found is not a proof: {error}") from None


def _certified(original: Protocol, refined: Protocol, found: Nearest) -> DeficiencyCertificate:
    k = original.domain_size
    offers = [(v, Fraction(x), Fraction(price)) for v, x, price in found.bets if 0 < v < k and x > 0]
    bets = Bets(tuple(offers) or ((1, Fraction(1), Fraction(1)),))
    flow = SubFlow(tuple((w, v, Fraction(share) * KEPT) for w, v, share in found.flows))

    def ends() -> tuple[Fraction, Fraction]:
        a, b = original.exact_profile(BALLS), refined.exact_profile(BALLS)
        return _rounded(advantage(bets, a, b)) - OUTWARD, _rounded(distance(flow, a, b)) + OUTWARD

    _, (least, most) = until_clear(ends, k)
    certificate = DeficiencyCertificate(original, refined, least, most, bets, flow)
    verify_deficiency(certificate)
    return certificate


def _rounded(value: arb) -> Fraction:
    if not value.rad() < NARROW:
        raise UnclearError
    return round(Fraction(float(value.mid())) / OUTWARD) * OUTWARD
