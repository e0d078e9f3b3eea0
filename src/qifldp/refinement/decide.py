"""Deciding refinement between protocols: cheap rules first, then search; every answer is verified first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from qifldp.errors import ConvergenceError, InputError
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Bets, Certificate, Identical, Order, Proof, SubFlow, Verdict
from qifldp.refinement.search.closed import best_bet, bitwise, equal_ratio, exactly, max_case, one_size, smaller_ratio
from qifldp.refinement.search.strength import deficiency, vulnerability_ratio
from qifldp.refinement.search.transport import Transport, solve_transport
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate

LARGEST_TRANSPORT = 6_000
"""Domain size up to which sizes are transported: the table of pairs has its square of cells."""

KEPT = 1e-9
"""Share of a flow that is left out, so that what the solver fills to the brim stays strictly inside."""


@dataclass(frozen=True)
class _Compared:
    """What is common to every decision: the two protocols, and figures that are computed when they are asked for.

    The figures are floats (a linear program's optimum to about 1e-8), never part of a proof; None where the
    program would be too large.
    """

    original: Protocol
    refined: Protocol
    method: str
    found_margin: float | None

    @cached_property
    def margin(self) -> float | None:
        """The largest t for which A is refined to B with every posterior shrunk towards uniform by t."""
        if self.found_margin is not None:
            return self.found_margin
        if self.original.domain_size > LARGEST_TRANSPORT:
            return None
        return solve_transport(self.original.profile, self.refined.profile).margin

    @cached_property
    def deficiency(self) -> float | None:
        """Le Cam deficiency δ(A → B): nobody with gains in [0, 1] gains more than this more from B than from A."""
        return deficiency(self.original.profile, self.refined.profile)

    @cached_property
    def deficiency_reverse(self) -> float | None:
        """δ(B → A): nobody with gains in [0, 1] gains more than this more from A than from B."""
        return deficiency(self.refined.profile, self.original.profile)

    @cached_property
    def vulnerability_ratio(self) -> float | None:
        """The least V(A)/V(B) over all adversaries, 1 if A ⊑ B."""
        return vulnerability_ratio(self.original.profile, self.refined.profile)


@dataclass(frozen=True)
class Refines(_Compared):
    """original ⊑ refined, proved: no adversary gains more from the refined protocol.

    Attributes:
        certificate: The proof.
    """

    certificate: Certificate

    @cached_property
    def deficiency(self) -> float | None:
        """Zero: refinement is proved."""
        return 0.0

    @cached_property
    def vulnerability_ratio(self) -> float | None:
        """One: refinement is proved."""
        return 1.0


@dataclass(frozen=True)
class DoesNotRefine(_Compared):
    """original ⋢ refined, proved: some adversary gains more from the refined protocol.

    Attributes:
        certificate: The proof.
        vulnerability_original: What the adversary of the proof gains from the original.
        vulnerability_refined: … and from the refined: strictly more.
    """

    certificate: Certificate
    vulnerability_original: float
    vulnerability_refined: float

    @property
    def words(self) -> str:
        """The adversary of the proof, in words."""
        proof = self.certificate.proof
        assert isinstance(proof, Bets)
        offers = [
            f"{size} {'value' if size == 1 else 'values'} at a price of {float(price / stake):.6g}"
            for size, stake, price in proof.offers
            if stake
        ]
        shown = ", ".join(offers[:3]) + (f", or one of {len(offers) - 3} more" if len(offers) > 3 else "")
        return (
            f"An adversary who may bet a prize of 1 that the value is in a set of their choice (a set of {shown}) "
            f"gains {self.vulnerability_refined:.6g} from the refined one and {self.vulnerability_original:.6g} "
            "from the original."
        )


@dataclass(frozen=True)
class Undecided(_Compared):
    """No proof was found either way.

    Attributes:
        reason: Why.
    """

    reason: str


Decision: TypeAlias = Refines | DoesNotRefine | Undecided


def decide_refinement(
    *, original: Protocol, refined: Protocol, order: Order = "average", time_limit: float | None = None
) -> Decision:
    """Decide original ⊑ refined: is the refined protocol at least as safe against every adversary?

    A ⊑ B means A·W = B for some channel W. Every answer but Undecided carries a certificate that has been
    verified in exact and ball arithmetic.

    Args:
        original: A.
        refined: B, over the same domain.
        order: ``average``, or ``max`` for adversaries who count on their luckiest report (a weaker order).
        time_limit: Seconds after which the search gives up.

    Raises:
        InputError: If the domains differ.
    """
    if original.domain_size != refined.domain_size:
        raise InputError(
            f"Refinement compares protocols of one domain, got {original.domain_size} and {refined.domain_size} values."
        )
    deadline = None if time_limit is None else time.monotonic() + time_limit
    reasons: list[str] = []
    margin: float | None = None
    proposals = (
        _proposals(original, refined, deadline, reasons)
        if order == "average"
        else iter([("max-case", None, max_case(original, refined))])
    )
    for method, margin, proof in proposals:
        verdict: Verdict = "does_not_refine" if isinstance(proof, Bets) else "refines"
        certificate = Certificate(original, refined, verdict, proof, order)
        try:
            verified = verify_certificate(certificate)
        except CertificateError as error:
            reasons.append(f"{method}: {error}")
            continue
        if verified.vulnerability_original is None or verified.vulnerability_refined is None:
            return Refines(original, refined, method, margin, certificate)
        gains = verified.vulnerability_original, verified.vulnerability_refined
        return DoesNotRefine(original, refined, method, margin, certificate, *gains)
    return Undecided(original, refined, "none", margin, " ".join(reasons) or "No method applies.")


def _proposals(
    original: Protocol, refined: Protocol, deadline: float | None, reasons: list[str]
) -> Iterator[tuple[str, float | None, Proof]]:
    """Yield proofs to try, from cheap to dear: method, margin, proof."""
    if original == refined:
        yield "identical", None, Identical()
    rules: tuple[tuple[str, Callable[[Protocol, Protocol], Proof | None]], ...] = (
        ("equal ρ", equal_ratio),
        ("tight ε", smaller_ratio),
        ("one size", one_size),
        ("bitwise", bitwise),
        ("one bet", lambda a, b: best_bet(a.profile, b.profile) if a.domain_size <= LARGEST_TRANSPORT else None),
    )
    for method, rule in rules:
        proof = rule(original, refined)
        if proof is not None:
            yield method, None, proof
    if original.domain_size > LARGEST_TRANSPORT:
        reasons.append(f"Transport is tried for at most {LARGEST_TRANSPORT:,} values.")
        return
    try:
        found = solve_transport(original.profile, refined.profile, deadline=deadline)
    except ConvergenceError as error:
        reasons.append(str(error))
        return
    if found.margin >= 1:
        yield "transport", found.margin, _flow_proof(found)
    else:
        yield "transport", found.margin, Bets(tuple((v, exactly(a), exactly(c)) for v, a, c in found.bets))


def _flow_proof(found: Transport) -> SubFlow:
    """Return the flow, shrunk a little, as exact decimals."""
    return SubFlow(
        tuple((w, v, exactly(share * (1 - KEPT))) for w, v, share in found.flows if share > 0 and exactly(share) < 2)
    )
