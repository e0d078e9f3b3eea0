"""Deciding refinement between protocols: cheap rules first, then search; every answer is verified first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import expand
from qifldp.channels.profile import Profile
from qifldp.errors import ConvergenceError, InputError
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Bets, Certificate, GainMatrix, Identical, Order, Proof, Side, SubFlow, Verdict
from qifldp.refinement.search.closed import best_bet, bitwise, equal_ratio, exactly, max_case, one_size, smaller_ratio
from qifldp.refinement.search.explicit import decide_explicit, exact_channel
from qifldp.refinement.search.explicit_strength import explicit_deficiency, explicit_ratio
from qifldp.refinement.search.strength import deficiency, vulnerability_ratio
from qifldp.refinement.search.transport import Transport, solve_transport
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate

LARGEST_TRANSPORT = 6_000
"""Domain size up to which sizes are transported: the table of pairs has its square of cells."""

SMALL = 7
"""Domain size up to which exact protocols that no rule decides are written out as matrices (128 columns)."""

KEPT = 1e-9
"""Share of a flow that is left out, so that what the solver fills to the brim stays strictly inside."""


@dataclass(frozen=True)
class _Compared:
    """What is common to every decision: the two protocols, and figures that are computed when they are asked for.

    The figures are floats (a linear program's optimum, good to six digits or more), never part of a proof; None
    where the program would be too large.
    """

    original: Side
    refined: Side
    method: str
    found_margin: float | None

    @cached_property
    def margin(self) -> float | None:
        """The largest t for which A is refined to B with every posterior shrunk towards uniform by t."""
        if self.found_margin is not None or not self._profiles:
            return self.found_margin
        a, b = self._profiles
        return solve_transport(a, b).margin if a.domain_size <= LARGEST_TRANSPORT else None

    @cached_property
    def deficiency(self) -> float | None:
        """Le Cam deficiency δ(A → B): nobody with gains in [0, 1] gains more than this more from B than from A."""
        return deficiency(*self._profiles) if self._profiles else explicit_deficiency(*self._matrices)

    @cached_property
    def deficiency_reverse(self) -> float | None:
        """δ(B → A): nobody with gains in [0, 1] gains more than this more from A than from B."""
        if self._profiles:
            return deficiency(*self._profiles[::-1])
        return explicit_deficiency(*self._matrices[::-1])

    @cached_property
    def vulnerability_ratio(self) -> float | None:
        """The least V(A)/V(B) over all adversaries, 1 if A ⊑ B."""
        return vulnerability_ratio(*self._profiles) if self._profiles else explicit_ratio(*self._matrices)

    @cached_property
    def _profiles(self) -> tuple[Profile, Profile] | None:
        """Both profiles, if both sides are protocols."""
        if isinstance(self.original, Protocol) and isinstance(self.refined, Protocol):
            return self.original.profile, self.refined.profile
        return None

    @property
    def _matrices(self) -> tuple[Channel, Channel]:
        return as_channel(self.original), as_channel(self.refined)


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
        gains = f"{self.vulnerability_refined:.6g} from the refined one and {self.vulnerability_original:.6g}"
        if isinstance(proof, GainMatrix):
            return f"An adversary with a gain function of {len(proof.rows)} actions gains {gains} from the original."
        assert isinstance(proof, Bets)
        offers = [
            f"{size} {'value' if size == 1 else 'values'} at a price of {float(price / stake):.6g}"
            for size, stake, price in proof.offers
            if stake
        ]
        shown = ", ".join(offers[:3]) + (f", or one of {len(offers) - 3} more" if len(offers) > 3 else "")
        return (
            f"An adversary who may bet a prize of 1 that the value is in a set of their choice (a set of {shown}) "
            f"gains {gains} from the original."
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
    *, original: Side, refined: Side, order: Order = "average", time_limit: float | None = None
) -> Decision:
    """Decide original ⊑ refined: is the refined protocol at least as safe against every adversary?

    A ⊑ B means A·W = B for some channel W. Every answer but Undecided carries a certificate that has been
    verified in exact and ball arithmetic.

    Args:
        original: A, a protocol or a channel matrix.
        refined: B, over the same domain. If one side is a matrix, the other is written out, and must be exact.
        order: ``average``, or ``max`` for adversaries who count on their luckiest report (a weaker order).
        time_limit: Seconds after which the search gives up.

    Raises:
        InputError: If the domains differ.
    """
    if original.domain_size != refined.domain_size:
        raise InputError(
            f"Refinement compares two sides of one domain, got {original.domain_size} and {refined.domain_size} values."
        )
    deadline = None if time_limit is None else time.monotonic() + time_limit
    if not (isinstance(original, Protocol) and isinstance(refined, Protocol)):
        if order != "average":
            raise InputError("The max-case order is decided between protocols only.")
        return _decide_matrices(original, refined, deadline)
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
    if order == "average" and original.domain_size <= SMALL and original.is_exact and refined.is_exact:
        written_out = _decide_matrices(original, refined, deadline)  # exact ties, margin one
        if not isinstance(written_out, Undecided):
            return written_out
    return Undecided(original, refined, "none", margin, " ".join(reasons) or "No method applies.")


def as_channel(side: Side) -> Channel:
    """Return a side as an explicit channel: a float matrix as the rationals it is, a protocol written out.

    Raises:
        InputError: If a protocol is not exact, so that no matrix of rationals is its channel.
    """
    if isinstance(side, Channel):
        return exact_channel(side)
    if not side.is_exact:
        raise InputError(
            f"Against a matrix a protocol must be exact, but {side.spec} is not: give exp_epsilon, a rational e^ε."
        )
    return expand(side.exact_profile())


def _decide_matrices(original: Side, refined: Side, deadline: float | None) -> Decision:
    a, b = as_channel(original), as_channel(refined)
    found = decide_explicit(a, b, deadline=deadline)
    if found.proof is None:
        bound = (
            ""
            if found.deficiency_bound is None
            else f" The deficiency is at most {found.deficiency_bound:.3g}, proved."
        )
        return Undecided(original, refined, found.method, None, f"{found.reason}{bound}")
    verdict: Verdict = "does_not_refine" if isinstance(found.proof, GainMatrix) else "refines"
    sides = [side if isinstance(side, Protocol) else channel for side, channel in ((original, a), (refined, b))]
    certificate = Certificate(sides[0], sides[1], verdict, found.proof)
    verified = verify_certificate(certificate)
    if verified.vulnerability_original is None or verified.vulnerability_refined is None:
        return Refines(original, refined, found.method, None, certificate)
    gains = verified.vulnerability_original, verified.vulnerability_refined
    return DoesNotRefine(original, refined, found.method, None, certificate, *gains)


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
