"""Deciding refinement between protocols: cheap rules first, then search; every answer is verified first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from qifldp.errors import ConvergenceError, InputError
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Bets, Certificate, Identical, Proof, SubFlow, Verdict
from qifldp.refinement.search.closed import best_bet, bitwise, equal_ratio, exactly, one_size, smaller_ratio
from qifldp.refinement.search.transport import Transport, solve_transport
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate

LARGEST_TRANSPORT = 6_000
"""Domain size up to which sizes are transported: the table of pairs has its square of cells."""

KEPT = 1e-9
"""Share of a flow that is left out, so that what the solver fills to the brim stays strictly inside."""


@dataclass(frozen=True)
class Refines:
    """original ⊑ refined, proved: no adversary gains more from the refined protocol.

    Attributes:
        certificate: The proof.
        method: What found it.
        margin: How far posteriors could be blurred and still be reached, where that was computed (above 1).
    """

    certificate: Certificate
    method: str
    margin: float | None = None


@dataclass(frozen=True)
class DoesNotRefine:
    """original ⋢ refined, proved: some adversary gains more from the refined protocol.

    Attributes:
        certificate: The proof.
        method: What found it.
        margin: The largest blur that is reached, where that was computed (below 1).
        vulnerability_original: What the adversary of the proof gains from the original.
        vulnerability_refined: … and from the refined: strictly more.
    """

    certificate: Certificate
    method: str
    vulnerability_original: float
    vulnerability_refined: float
    margin: float | None = None

    @property
    def words(self) -> str:
        """The adversary of the proof, in words."""
        proof = self.certificate.proof
        assert isinstance(proof, Bets)
        offers = [f"{size} values for {float(price / stake):.6g}" for size, stake, price in proof.offers if stake]
        shown = ", ".join(offers[:3]) + (f", and {len(offers) - 3} more" if len(offers) > 3 else "")
        return (
            f"An adversary who may bet that the secret is in a set of their choice ({shown}, for a prize of 1 each) "
            f"gains {self.vulnerability_refined:.6g} from the refined one and {self.vulnerability_original:.6g} "
            "from the original."
        )


@dataclass(frozen=True)
class Undecided:
    """No proof was found either way.

    Attributes:
        reason: Why.
        margin: The margin that floats suggest, where it was computed; a proof needs it away from 1.
    """

    reason: str
    margin: float | None = None


Decision: TypeAlias = Refines | DoesNotRefine | Undecided


def decide_refinement(*, original: Protocol, refined: Protocol, time_limit: float | None = None) -> Decision:
    """Decide original ⊑ refined: is the refined protocol at least as safe against every adversary?

    A ⊑ B means A·W = B for some channel W. Every answer but Undecided carries a certificate that has been
    verified in exact and ball arithmetic.

    Args:
        original: A.
        refined: B, over the same domain.
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
    for method, margin, proof in _proposals(original, refined, deadline, reasons):
        verdict: Verdict = "does_not_refine" if isinstance(proof, Bets) else "refines"
        certificate = Certificate(original, refined, verdict, proof)
        try:
            verified = verify_certificate(certificate)
        except CertificateError as error:
            reasons.append(f"{method}: {error}")
            continue
        if verified.vulnerability_original is None or verified.vulnerability_refined is None:
            return Refines(certificate, method, margin)
        return DoesNotRefine(
            certificate, method, verified.vulnerability_original, verified.vulnerability_refined, margin
        )
    return Undecided(" ".join(reasons) or "No method applies.", margin)


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
