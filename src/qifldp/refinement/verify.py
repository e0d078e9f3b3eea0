"""Checking certificates with rationals and balls alone: no solver, no search, no floats.

Both channels are rebuilt from their descriptions; only the witness or the counterexample is taken from the
certificate, and checked by strict inequalities between balls, at a precision that grows until each is decided.
Where a closed rule needs no witness, an exact tie will do (:mod:`qifldp.refinement.verify_closed`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from flint import arb, ctx

from qifldp.channels.exact_profile import ExactProfile
from qifldp.errors import InputError
from qifldp.exact.balls import ball, is_narrow
from qifldp.exact.fields import BALLS
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.proofs import (
    CLOSED,
    Bets,
    Bitwise,
    Chain,
    EqualRatio,
    GainMatrix,
    Identical,
    NearWitness,
    OneSize,
    Proof,
    Reach,
    SubFlow,
    Witness,
)
from qifldp.refinement.verified import LEAST, CertificateError, Gains, UnclearError, Verified
from qifldp.refinement.verify_closed import BitwiseRule, ClosedRule, EqualRatioRule, OneSizeRule, ReachRule
from qifldp.refinement.verify_explicit import verify_explicit

FIRST_PRECISION = 128
LAST_PRECISION = 1 << 13
"""Bits. Masses of 1e-300000 need no more bits than others (exponents are unbounded); ties need more."""


MOST_BITS = 1 << 29
"""Values times bits of a ball up to which precision grows (half a minute): 4096 bits over 100,000 values."""

MOST_WORK = 20_000_000
"""Bets times sizes that are checked at most (about a minute)."""

MOST_SIZES = 1_000_000
"""Domain size up to which all masses of a profile are computed in balls (some twenty seconds, half a gigabyte)."""

Checked = TypeVar("Checked")

RULES: dict[type[Proof], type[ClosedRule]] = {
    EqualRatio: EqualRatioRule,
    Bitwise: BitwiseRule,
    OneSize: OneSizeRule,
}


def verify_certificate(certificate: Certificate | str | Path) -> Verified:
    """Check a certificate, or the file that holds one.

    Raises:
        CertificateError: If it does not prove its claim.
        InputError: If the file does not hold a certificate.
    """
    if isinstance(certificate, str | Path):
        certificate = Certificate.load(certificate)
    if not isinstance(certificate, Certificate):
        raise InputError.expected("A certificate", "a Certificate, or the path of a file", type(certificate).__name__)
    _check_claim(certificate)
    proof = certificate.proof
    if isinstance(proof, Identical):
        if certificate.original != certificate.refined:
            raise CertificateError("The two descriptions are not identical.")
        return Verified(certificate, 0)
    if isinstance(proof, Witness | NearWitness | GainMatrix):
        return verify_explicit(certificate)
    precision, gained = until_clear(_checker(certificate), certificate.original.domain_size)
    gains = None if gained is None else _settled(certificate, gained, precision)
    return Verified(certificate, precision, gains)


def until_clear(check: Callable[[], Checked], domain_size: int) -> tuple[int, Checked]:
    """Return the precision, in bits, at which a check is no longer unclear, and what it says.

    Args:
        check: Evaluates the inequalities at the working precision.
        domain_size: Number of values: over many, fewer bits are tried.

    Raises:
        CertificateError: If the check fails, or stays unclear.
    """
    precision = FIRST_PRECISION
    while precision <= _last_precision(domain_size):
        try:
            with ctx.workprec(precision):
                return precision, check()
        except UnclearError:
            precision *= 2
    raise CertificateError(f"An inequality of the proof could not be decided with {precision // 2} bits.")


def _last_precision(domain_size: int) -> int:
    return max(FIRST_PRECISION, min(LAST_PRECISION, MOST_BITS // domain_size))


def _check_claim(certificate: Certificate) -> None:
    if certificate.original.domain_size != certificate.refined.domain_size:
        raise CertificateError("The two sides have domains of different sizes.")
    if certificate.verdict not in ("refines", "does_not_refine") or certificate.order not in ("average", "max"):
        raise CertificateError("A certificate claims refines or does_not_refine, in the order average or max.")
    if isinstance(certificate.proof, Bets | GainMatrix) != (certificate.verdict == "does_not_refine"):
        raise CertificateError(
            f"A proof of kind {certificate.proof.kind} cannot show the verdict {certificate.verdict}."
        )


class _Gained(NamedTuple):
    """Balls of what an adversary gains from A, from B, and of the difference."""

    original: arb
    refined: arb
    advantage: arb


def _checker(certificate: Certificate) -> Callable[[], _Gained | None]:
    """Return what has to be evaluated, at growing precision, for a proof about two protocols to hold."""
    original, refined, proof = certificate.original, certificate.refined, certificate.proof
    if not (isinstance(original, Protocol) and isinstance(refined, Protocol)):
        raise CertificateError(f"A proof of kind {proof.kind} is about two protocols.")
    if isinstance(proof, Bets | SubFlow):
        check_domain(original.domain_size, proof.kind)
    if isinstance(proof, Bets):
        return (_bets if certificate.order == "average" else _max_case_bet)(original, refined, proof)
    if isinstance(proof, Reach):
        if certificate.order == "average":
            raise CertificateError("A proof of kind reach is about the max-case order only.")
        return ReachRule(original, refined, proof.pairs).check
    # What is refined on average is refined at worst too (the paper's (12)): the rest prove both orders.
    if isinstance(proof, CLOSED):
        return RULES[type(proof)](original, refined).check
    if isinstance(proof, Chain):
        return _chain(original, refined, proof)
    assert isinstance(proof, SubFlow)
    return _sub_flow(original, refined, proof)


def check_domain(domain_size: int, kind: str) -> None:
    """Check that a proof that needs all masses is about few enough of them.

    Raises:
        CertificateError: If not.
    """
    if domain_size > MOST_SIZES:
        raise CertificateError(f"A proof of kind {kind} is checked over at most {MOST_SIZES:,} values.")


def _chain(original: Protocol, refined: Protocol, proof: Chain) -> Callable[[], None]:
    if proof.via.domain_size != original.domain_size:
        raise CertificateError("The chain leads over a domain of another size.")
    parts = RULES[type(proof.first)](original, proof.via), RULES[type(proof.second)](proof.via, refined)

    def check() -> None:
        for part in parts:
            part.check()

    return check


def require(low: arb, high: arb, why: str) -> None:
    """Require low < high strictly.

    Raises:
        CertificateError: If it is not so.
        UnclearError: If the balls overlap.
    """
    if low < high:
        return
    if low >= high:
        raise CertificateError(why)
    raise UnclearError


def _sub_flow(original: Protocol, refined: Protocol, proof: SubFlow) -> Callable[[], None]:
    def check() -> None:
        a, b = original.exact_profile(BALLS), refined.exact_profile(BALLS)
        k, mass_a, mass_b = a.domain_size, dict(a.mass), dict(b.mass)
        whole: dict[int, arb] = {}
        reach: dict[int, arb] = {}
        load: dict[int, arb] = {}
        zero = ball(0)
        for w, v, share in proof.shares:
            if w not in mass_a or v not in mass_b or v == 0 or share < 0:
                raise CertificateError(f"The flow from size {w} to size {v} is not one between sizes that occur.")
            part = ball(share)
            whole[v] = whole.get(v, zero) + part
            reach[v] = reach.get(v, zero) + part * aligned(a, w, v)
            load[w] = load.get(w, zero) + part * mass_b[v]
        for w, used in load.items():
            require(used, mass_a[w], f"More than A's mass at size {w} is used.")
        for v in mass_b:
            if v:
                used = whole.get(v, zero)
                require(used, ball(1), f"More than B's mass at size {v} is filled.")
                reached = reach.get(v, zero) + (1 - used) * v / k
                require(aligned(b, v, v), reached, f"B's posterior of size {v} is not reached.")

    return check


def _max_case_bet(original: Protocol, refined: Protocol, proof: Bets) -> Callable[[], _Gained]:
    if len(proof.offers) != 1:
        raise CertificateError("A counterexample in the max-case order is a single bet.")
    size, stake, price = proof.offers[0]
    if not 0 < size < original.domain_size or stake <= 0 or price < 0:
        raise CertificateError(f"A bet on {size} values for {price} is not one that an adversary can be offered.")

    def check() -> _Gained:
        found = _luckiest(original, refined, proof)
        level = ball(price / stake)
        require(found.original, level, "Some report of A pays for the bet.")
        require(level, found.refined, "No report of B pays for the bet.")
        return found

    return check


def _luckiest(original: Protocol, refined: Protocol, proof: Bets) -> _Gained:
    """Return the most that a report of either side puts on the set of the only bet."""
    a, b, size = original.exact_profile(BALLS), refined.exact_profile(BALLS), proof.offers[0][0]
    if size not in dict(b.mass):
        raise CertificateError(f"B has no report of size {size}.")
    best_a = aligned(a, a.mass[0][0], size)
    for w, _ in a.mass:
        best_a = arb.max(best_a, aligned(a, w, size))
    best_b = aligned(b, size, size)
    return _Gained(best_a, best_b, best_b - best_a)


def aligned(profile: ExactProfile[arb], size: int, target: int) -> arb:
    """Return M(w, w'): the posterior mass of the best-aligned set of w' values after a report of size w."""
    member, other = profile.densities(size)
    overlap = min(size, target)
    return (member * overlap + other * (target - overlap)) / profile.domain_size


def _bets(original: Protocol, refined: Protocol, proof: Bets) -> Callable[[], _Gained]:
    check_offers(proof, original.domain_size)

    def check() -> _Gained:
        found = _on_average(original, refined, proof)
        require(found.original, found.refined, "The adversary does not gain more from B than from A.")
        return found

    return check


def _on_average(original: Protocol, refined: Protocol, proof: Bets) -> _Gained:
    """Return what the adversary of some bets gains from either side, in units of the largest stake."""
    unit = ball(proof.largest_stake)
    gain_a, gain_b = (gain(proof, side.exact_profile(BALLS)) / unit for side in (original, refined))
    return _Gained(gain_a, gain_b, gain_b - gain_a)


def _settled(certificate: Certificate, gained: _Gained, precision: int) -> Gains:
    """Return what an adversary gains, rounded to doubles.

    Balls that tell two gains apart may be as wide as the gains: they are evaluated anew, at growing precision, until
    each is narrow enough to be rounded. A gain that is zero, by a tie, is a ball about zero at any precision: it is
    rounded to zero once all of it is (with some 1100 bits), or at the last precision.
    """
    original, refined, proof = certificate.original, certificate.refined, certificate.proof
    assert isinstance(original, Protocol)
    assert isinstance(refined, Protocol)
    assert isinstance(proof, Bets)
    evaluate = _on_average if certificate.order == "average" else _luckiest
    # A ball above zero at one precision is narrow with 128 bits more: these are granted on top.
    last = _last_precision(original.domain_size) + FIRST_PRECISION
    precision += FIRST_PRECISION
    while precision <= last and not all(map(_is_settled, gained)):
        with ctx.workprec(precision):
            gained = evaluate(original, refined, proof)
        precision *= 2
    gain_a, gain_b, advantage = map(_rounded, gained)
    return Gains(gain_a, gain_b, max(advantage, LEAST))


def _is_settled(value: arb) -> bool:
    """Whether more bits would not change how a ball is rounded; doubles have nothing between zero and LEAST."""
    return is_narrow(value) or float(value.abs_upper()) == 0


def _rounded(value: arb) -> float:
    return 0.0 if value.contains(0) else float(value.mid())


def check_offers(proof: Bets, domain_size: int) -> None:
    """Check that bets can be offered, and are few enough to be checked.

    Raises:
        CertificateError: If not.
    """
    for size, stake, price in proof.offers:
        if not 0 < size < domain_size or stake < 0 or price < 0:
            raise CertificateError(f"A bet on {size} values for {price} is not one that an adversary can be offered.")
    if len(proof.offers) * domain_size > MOST_WORK:
        raise CertificateError(f"The proof has more than {MOST_WORK:,} pairs of a bet and a size to check.")


def gain(proof: Bets, profile: ExactProfile[arb]) -> arb:
    """Return what an adversary who takes the best of some bets, or none, gains after the reports of a profile."""
    nothing = total = ball(0)
    offers = [(size, ball(stake), ball(price)) for size, stake, price in proof.offers]
    for w, mass in profile.mass:
        best = nothing
        for size, stake, price in offers:
            best = arb.max(best, aligned(profile, w, size) * stake - price)
        total = total + mass * best
    return total
