"""Checking certificates with rationals and balls alone: no solver, no search, no floats.

Both channels are rebuilt from their descriptions; only the witness or the counterexample is taken from the
certificate, and checked by strict inequalities between balls, at a precision that grows until each is decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from flint import arb, ctx

from qifldp.channels.exact_profile import ExactProfile, independent_mass
from qifldp.errors import InexactError
from qifldp.exact.balls import ball
from qifldp.exact.budget import Budget
from qifldp.exact.fields import BALLS, RATIONALS
from qifldp.exact.symbolic import SymbolicField
from qifldp.protocols.protocol import BudgetedProtocol, IndependentProtocol, Protocol
from qifldp.protocols.subset_selection import SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.refinement.certificate import (
    Bets,
    Bitwise,
    Certificate,
    EqualRatio,
    GainMatrix,
    Identical,
    Reach,
    SubFlow,
    Witness,
)
from qifldp.refinement.verified import CertificateError, Verified
from qifldp.refinement.verify_explicit import verify_explicit

FIRST_PRECISION = 128
LAST_PRECISION = 1 << 13
"""Bits. Masses of 1e-300000 need no more bits than others (exponents are unbounded); ties need more."""


SMALL = 200
"""Domain size up to which two masses that balls cannot tell apart are compared symbolically."""

ANY = Budget(Fraction(1))
"""Some budget: for protocols without one, whose parameters are rational."""


class _Unclear(Exception):  # noqa: N818  # a signal to raise the precision, never seen outside
    """Two balls overlap."""


def verify_certificate(certificate: Certificate | str | Path) -> Verified:
    """Check a certificate, or the file that holds one.

    Raises:
        CertificateError: If it does not prove its claim.
        InputError: If the file does not hold a certificate.
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(certificate)
    proof = certificate.proof
    if certificate.original.domain_size != certificate.refined.domain_size:
        raise CertificateError("The two sides have domains of different sizes.")
    if certificate.verdict not in ("refines", "does_not_refine") or certificate.order not in ("average", "max"):
        raise CertificateError("A certificate claims refines or does_not_refine, in the order average or max.")
    if isinstance(proof, Bets | GainMatrix) != (certificate.verdict == "does_not_refine"):
        raise CertificateError(f"A proof of kind {proof.kind} cannot show the verdict {certificate.verdict}.")
    if isinstance(proof, Identical):
        if certificate.original != certificate.refined:
            raise CertificateError("The two descriptions are not identical.")
        return Verified(certificate, 0)
    if isinstance(proof, Witness | GainMatrix):
        return verify_explicit(certificate)
    check = _checker(certificate)
    precision = FIRST_PRECISION
    while precision <= LAST_PRECISION:
        try:
            with ctx.workprec(precision):
                gains = check()
            return Verified(certificate, precision, *(gains or (None, None)))
        except _Unclear:
            precision *= 2
    raise CertificateError(f"An inequality of the proof could not be decided with {LAST_PRECISION} bits.")


def _checker(certificate: Certificate) -> Callable[[], tuple[float, float] | None]:
    """Return what has to be evaluated, at growing precision, for a proof about two protocols to hold."""
    original, refined, proof = certificate.original, certificate.refined, certificate.proof
    if not (isinstance(original, Protocol) and isinstance(refined, Protocol)):
        raise CertificateError(f"A proof of kind {proof.kind} is about two protocols.")
    if isinstance(proof, Bets):
        return (_bets if certificate.order == "average" else _max_case_bet)(original, refined, proof)
    if isinstance(proof, Reach):
        if certificate.order == "average":
            raise CertificateError("A proof of kind reach is about the max-case order only.")
        return _reach(original, refined, proof)
    # What is refined on average is refined at worst too (the paper's (12)): the rest prove both orders.
    if isinstance(proof, EqualRatio):
        return _equal_ratio(original, refined)
    if isinstance(proof, Bitwise):
        return _bitwise(original, refined)
    assert isinstance(proof, SubFlow)
    return _sub_flow(original, refined, proof)


def _require(low: arb, high: arb, why: str) -> None:
    """Require low < high strictly."""
    if low < high:
        return
    if low >= high:
        raise CertificateError(why)
    raise _Unclear


def _equal_ratio(original: Protocol, refined: Protocol) -> Callable[[], None]:
    if original.tight_budget is None or original.tight_budget != refined.tight_budget:
        raise CertificateError("The two protocols are not known to have exactly one ρ.")
    k = original.domain_size

    def at(size: int) -> None:
        if _mass_identical(original, refined, size):
            return
        _require(_mass(refined, size), _mass(original, size), f"A has less mass than B at size {size}.")

    def check() -> None:
        if isinstance(original, IndependentProtocol) and isinstance(refined, IndependentProtocol):
            # At one ρ, ln μ_A[w] − ln μ_B[w] is linear in w for independent members: its ends decide.
            at(1)
            at(k - 1)
            return
        for size in range(1, k):
            at(size)

    return check


def _mass(protocol: Protocol, size: int) -> arb:
    """Return μ[w] of an interior size w."""
    if isinstance(protocol, IndependentProtocol):
        p, q = protocol.canonical_probabilities(BALLS)
        return independent_mass(protocol.domain_size, p=p, q=q, size=size, field=BALLS)
    return ball(1 if isinstance(protocol, SS) and protocol.omega == size else 0)


def _mass_identical(original: Protocol, refined: Protocol, size: int) -> bool:
    """Whether B has no mass at a size, or the same mass as A, known exactly."""
    if isinstance(refined, SS):
        return refined.omega != size or (isinstance(original, SS) and original.omega == size)
    if not (isinstance(original, IndependentProtocol) and isinstance(refined, IndependentProtocol)):
        return False
    budget = next((p.budget for p in (original, refined) if isinstance(p, BudgetedProtocol)), None)
    if budget is None:
        return original.is_exact and refined.is_exact and _equal_masses(original, refined, size, SymbolicField(ANY, 1))
    roots = [2 * p.theta.denominator if isinstance(p, THE) else 2 for p in (original, refined)]
    try:
        return _equal_masses(original, refined, size, SymbolicField(budget, math.lcm(*roots)))
    except InexactError:
        return False  # two budgets that no power joins: left to the balls


def _equal_masses(original: IndependentProtocol, refined: IndependentProtocol, size: int, field: SymbolicField) -> bool:
    (p, q), (r, s) = original.canonical_probabilities(field), refined.canonical_probabilities(field)
    if field.equal(p, r) and field.equal(q, s):
        return True  # one law of the members, so one profile at every domain size
    k = original.domain_size
    return k <= SMALL and field.equal(
        independent_mass(k, p=p, q=q, size=size, field=field), independent_mass(k, p=r, q=s, size=size, field=field)
    )


def _bitwise(original: Protocol, refined: Protocol) -> Callable[[], None]:
    if not (isinstance(original, IndependentProtocol) and isinstance(refined, IndependentProtocol)):
        raise CertificateError("The bitwise proof needs reports with independent members on both sides.")

    if original.is_exact and refined.is_exact:
        return _bitwise_exactly(original, refined)

    def check() -> None:
        (p, q), (r, s) = original.canonical_probabilities(BALLS), refined.canonical_probabilities(BALLS)
        _require((1 - p) * (1 - s), (1 - r) * (1 - q), "The bit of B says more when it is 0 than that of A.")
        _require(r * q, p * s, "The bit of B says more when it is 1 than that of A.")

    return check


def _bitwise_exactly(original: IndependentProtocol, refined: IndependentProtocol) -> Callable[[], None]:
    (p, q), (r, s) = original.canonical_probabilities(RATIONALS), refined.canonical_probabilities(RATIONALS)

    def check() -> None:
        if (1 - p) * (1 - s) > (1 - r) * (1 - q) or r * q > p * s:
            raise CertificateError("The bit of B says more than that of A.")

    return check


def _sub_flow(original: Protocol, refined: Protocol, proof: SubFlow) -> Callable[[], None]:
    def check() -> None:
        a, b = original.exact_profile(BALLS), refined.exact_profile(BALLS)
        k, mass_a, mass_b = a.domain_size, dict(a.mass), dict(b.mass)
        whole: dict[int, arb] = {}
        gain: dict[int, arb] = {}
        load: dict[int, arb] = {}
        zero = ball(0)
        for w, v, share in proof.shares:
            if w not in mass_a or v not in mass_b or v == 0 or share < 0:
                raise CertificateError(f"The flow from size {w} to size {v} is not one between sizes that occur.")
            part = ball(share)
            whole[v] = whole.get(v, zero) + part
            gain[v] = gain.get(v, zero) + part * _aligned(a, w, v)
            load[w] = load.get(w, zero) + part * mass_b[v]
        for w, used in load.items():
            _require(used, mass_a[w], f"More than A's mass at size {w} is used.")
        for v in mass_b:
            if v:
                used = whole.get(v, zero)
                _require(used, ball(1), f"More than B's mass at size {v} is filled.")
                reached = gain.get(v, zero) + (1 - used) * v / k
                _require(_aligned(b, v, v), reached, f"B's posterior of size {v} is not reached.")

    return check


def _reach(original: Protocol, refined: Protocol, proof: Reach) -> Callable[[], None]:
    one_ratio = original.tight_budget is not None and original.tight_budget == refined.tight_budget

    def check() -> None:
        a, b = original.exact_profile(BALLS), refined.exact_profile(BALLS)
        mass_a, reached = dict(a.mass), dict(proof.pairs)
        for v, _ in b.mass:
            if v:
                w = reached.get(v, 0)
                if w == 0 or w not in mass_a:
                    raise CertificateError(f"No size of A is named that reaches B's posterior of size {v}.")
                if not (one_ratio and w == v):
                    _require(_aligned(b, v, v), _aligned(a, w, v), f"B's posterior of size {v} is not reached.")

    return check


def _max_case_bet(original: Protocol, refined: Protocol, proof: Bets) -> Callable[[], tuple[float, float]]:
    if len(proof.offers) != 1:
        raise CertificateError("A counterexample in the max-case order is a single bet.")
    size, stake, price = proof.offers[0]
    if not 0 < size < original.domain_size or stake <= 0 or price < 0:
        raise CertificateError(f"A bet on {size} values for {price} is not one that an adversary can be offered.")

    def check() -> tuple[float, float]:
        a, b = original.exact_profile(BALLS), refined.exact_profile(BALLS)
        if size not in dict(b.mass):
            raise CertificateError(f"B has no report of size {size}.")
        level = ball(price / stake)
        best_a = _aligned(a, a.mass[0][0], size)
        for w, _ in a.mass:
            best_a = arb.max(best_a, _aligned(a, w, size))
        best_b = _aligned(b, size, size)
        _require(best_a, level, "Some report of A pays for the bet.")
        _require(level, best_b, "No report of B pays for the bet.")
        return float(best_a.mid()), float(best_b.mid())

    return check


def _aligned(profile: ExactProfile[arb], size: int, target: int) -> arb:
    """Return M(w, w'): the posterior mass of the best-aligned set of w' values after a report of size w."""
    member, other = profile.densities(size)
    overlap = min(size, target)
    return (member * overlap + other * (target - overlap)) / profile.domain_size


def _bets(original: Protocol, refined: Protocol, proof: Bets) -> Callable[[], tuple[float, float]]:
    k = original.domain_size
    for size, stake, price in proof.offers:
        if not 0 < size < k or stake < 0 or price < 0:
            raise CertificateError(f"A bet on {size} values for {price} is not one that an adversary can be offered.")

    def value(profile: ExactProfile[arb]) -> arb:
        total = ball(0)
        for w, mass in profile.mass:
            best = ball(0)
            for size, stake, price in proof.offers:
                best = arb.max(best, _aligned(profile, w, size) * ball(stake) - ball(price))
            total = total + mass * best
        return total

    unit = max((stake for _, stake, _ in proof.offers), default=Fraction(0)) or Fraction(1)

    def check() -> tuple[float, float]:
        gain_a, gain_b = value(original.exact_profile(BALLS)), value(refined.exact_profile(BALLS))
        _require(gain_a, gain_b, "The adversary does not gain more from B than from A.")
        return float((gain_a / ball(unit)).mid()), float((gain_b / ball(unit)).mid())  # for a largest stake of one

    return check
