"""Checking brackets of a deficiency with balls alone: no solver, no search, no floats.

With gains in [0, 1], an adversary gains at most δ(A → B) more from B than from A: bets show that δ is above a number.
A garbling W of A shows that it is below one: δ ≤ TV((A·W)_x, B_x), by symmetry the same at every x.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from flint import arb

from qifldp.channels.exact_profile import ExactProfile
from qifldp.errors import InputError
from qifldp.exact.balls import ball
from qifldp.exact.fields import BALLS
from qifldp.refinement.deficiency_certificate import DeficiencyCertificate
from qifldp.refinement.proofs import Bets, SubFlow
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import aligned, check_domain, check_offers, gain, require, until_clear


def verify_deficiency(certificate: DeficiencyCertificate | str | Path) -> int:
    """Check a bracket of a deficiency, or the file that holds one; return the bits of the balls that decided it.

    Raises:
        CertificateError: If it does not prove its claim.
        InputError: If the file does not hold a certificate of this kind.
    """
    if isinstance(certificate, str | Path):
        certificate = DeficiencyCertificate.load(certificate)
    if not isinstance(certificate, DeficiencyCertificate):
        kind = "a DeficiencyCertificate, or the path of a file"
        raise InputError.expected("A certificate", kind, type(certificate).__name__)
    original, refined = certificate.original, certificate.refined
    if original.domain_size != refined.domain_size:
        raise CertificateError("The two sides have domains of different sizes.")
    check_domain(original.domain_size, "deficiency")
    if not (abs(certificate.least) <= 1 and 0 <= certificate.most <= 1):
        raise CertificateError("A deficiency lies between 0 and 1, and so must what it is said to lie between.")
    check_offers(certificate.bets, original.domain_size)
    checked = certificate

    def check() -> None:
        a, b = original.exact_profile(BALLS), refined.exact_profile(BALLS)
        require(
            ball(checked.least), advantage(checked.bets, a, b), "The adversary of the bets gains no more than that."
        )
        require(distance(checked.flow, a, b), ball(checked.most), "The garbling of the flow is not as near as that.")

    return until_clear(check, original.domain_size)[0]


def advantage(bets: Bets, a: ExactProfile[arb], b: ExactProfile[arb]) -> arb:
    """Return how much more the adversary of the bets gains from B than from A, with gains scaled to [0, 1].

    Raises:
        CertificateError: If all gains are the same.
    """
    dearest = max((price for _, _, price in bets.offers), default=Fraction(0))
    best = max((stake - price for _, stake, price in bets.offers), default=Fraction(0))
    spread = dearest + max(best, Fraction(0))
    if not spread:
        raise CertificateError("The bets gain and cost nothing.")
    return (gain(bets, b) - gain(bets, a)) / ball(spread)


def distance(flow: SubFlow, a: ExactProfile[arb], b: ExactProfile[arb]) -> arb:
    """Return an upper bound on TV((A·W)_x, B_x) for a garbling W of A that sends sizes as the flow says.

    Of B's mass at size w', the flow puts F into reports of that size. The secret is in the reported set with any mass I
    from that of a blind choice of the set, w'/k·F, to that of the best-aligned one. What B has beyond that, T·μ_B − I
    inside and (1 − T)·μ_B − (F − I) outside where positive, sums to the distance; what the flow leaves of A's mass may
    go anywhere.

    Raises:
        CertificateError: If the flow is none between sizes that occur, or uses more than A has.
    """
    k, mass_a, mass_b = a.domain_size, dict(a.mass), dict(b.mass)
    zero = ball(0)
    load: dict[int, arb] = {}
    filled: dict[int, arb] = {}
    reach: dict[int, arb] = {}
    for w, v, share in flow.shares:
        if w not in mass_a or v not in mass_b or share < 0:
            raise CertificateError(f"The flow from size {w} to size {v} is not one between sizes that occur.")
        part = ball(share) * mass_b[v]
        load[w] = load.get(w, zero) + part
        filled[v] = filled.get(v, zero) + part
        reach[v] = reach.get(v, zero) + part * aligned(a, w, v)
    for w, used in load.items():
        require(used, mass_a[w], f"More than A's mass at size {w} is used.")
    total = zero
    for v, mass in mass_b.items():
        inside = aligned(b, v, v) * mass
        full = filled.get(v, zero)
        put = arb.min(arb.max(inside, full * v / k), reach.get(v, zero))
        total = total + arb.max(inside - put, zero) + arb.max(mass - inside - (full - put), zero)
    return total
