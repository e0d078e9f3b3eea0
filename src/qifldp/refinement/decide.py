"""Deciding refinement between protocols: cheap rules first, then search; every answer is verified first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from qifldp.channels.channel import Channel
from qifldp.errors import ConvergenceError, InputError
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Certificate, Order, Side, Verdict, in_order_of
from qifldp.refinement.decision import FIGURE_SECONDS, Decision, DoesNotRefine, Refines, Undecided, written_out
from qifldp.refinement.proofs import Bets, GainMatrix, Identical, OneSize, Proof
from qifldp.refinement.search.closed import (
    best_bet,
    bitwise,
    chain,
    closest_bets,
    equal_ratio,
    exactly,
    max_case,
    one_size,
    price_above,
    smaller_ratio,
    spread_bets,
    telling_bet,
)
from qifldp.refinement.search.explicit import decide_explicit
from qifldp.refinement.search.explicit_max import decide_explicit_max
from qifldp.refinement.search.explicit_reading import exact_channel
from qifldp.refinement.search.flows import SOLVED, exact_flows
from qifldp.refinement.search.transport import Transport, solve_transport
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate

LARGEST_TRANSPORT = 6_000
"""Domain size up to which sizes are transported: the table of pairs has its square of cells."""

LARGEST_CLOSEST = 200_000
"""Domain size up to which bets next to a tie are tried: all masses are computed in balls."""

SMALL = 7
"""Domain size up to which exact protocols that no rule decides are written out as matrices (128 columns)."""

RULES: tuple[tuple[str, Callable[[Protocol, Protocol], Proof | None]], ...] = (
    ("equal ρ", equal_ratio),
    ("tight ε", smaller_ratio),
    ("one size", one_size),
    ("bitwise", bitwise),
    ("chain", chain),
)
"""Rules without a linear program, from cheap to dear, each with the name of its method."""


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
    for side in (original, refined):
        if not isinstance(side, Protocol | Channel):
            raise InputError.expected("A side of refinement", "a protocol or a channel", type(side).__name__)
    if order not in ("average", "max"):
        raise InputError.expected("order", "average or max", order)
    if time_limit is not None and not time_limit > 0:
        raise InputError.expected("time_limit", "a positive number of seconds", time_limit)
    if original.domain_size != refined.domain_size:
        raise InputError(
            f"Refinement compares two sides of one domain, got {original.domain_size} and {refined.domain_size} values."
        )
    rounded = any(isinstance(side, Channel) and not side.is_exact for side in (original, refined))
    question = _Question(order, time_limit, rounded)
    if isinstance(original, Protocol) and isinstance(refined, Protocol):
        return _decide_protocols(original, refined, question)
    if isinstance(original, Channel) and isinstance(refined, Channel):
        refined = in_order_of(original, refined)
    return _decide_matrices(original, refined, question)


class _Question:
    """The order that is asked for, the time that there is, and whether entries were read from floats."""

    def __init__(self, order: Order, time_limit: float | None, rounded: bool) -> None:
        self.order, self.rounded = order, rounded
        self.deadline = None if time_limit is None else time.monotonic() + time_limit
        self.figure_seconds = FIGURE_SECONDS if time_limit is None else time_limit

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def answer(self, certificate: Certificate, method: str, margin: float | None) -> Decision:
        """Return the decision that a certificate proves.

        Raises:
            CertificateError: If it proves nothing.
        """
        verified = verify_certificate(certificate)
        common = (
            certificate.original,
            certificate.refined,
            self.order,
            method,
            margin,
            self.figure_seconds,
            self.rounded,
        )
        if verified.gains is None:
            return Refines(*common, certificate)
        return DoesNotRefine(*common, certificate, *verified.gains)


def _decide_protocols(original: Protocol, refined: Protocol, question: _Question) -> Decision:
    reasons: list[str] = []
    margin: float | None = None
    proposals = (
        _proposals(original, refined, question.deadline, reasons)
        if question.order == "average"
        else _max_case_proposals(original, refined)
    )
    for method, margin, proof in proposals:
        if question.late and reasons:
            reasons.append("The time limit was reached.")
            break
        verdict: Verdict = "does_not_refine" if isinstance(proof, Bets) else "refines"
        try:
            return question.answer(Certificate(original, refined, verdict, proof, question.order), method, margin)
        except CertificateError as error:
            reasons.append(f"{method}: {error}")
    if question.order == "average" and original.domain_size <= SMALL and original.is_exact and refined.is_exact:
        decision = _decide_matrices(original, refined, question)  # exact ties, margin one
        if not isinstance(decision, Undecided):
            return decision
    reason = " ".join(reasons) or "No method applies."
    return Undecided(
        original, refined, question.order, "none", margin, question.figure_seconds, question.rounded, reason
    )


def _decide_matrices(original: Side, refined: Side, question: _Question) -> Decision:
    decide = decide_explicit if question.order == "average" else decide_explicit_max
    found = decide(written_out(original), written_out(refined), deadline=question.deadline)
    bound, reason = found.deficiency_bound, found.reason
    a, b = (side if isinstance(side, Protocol) else exact_channel(side) for side in (original, refined))
    if isinstance(found.proof, Identical) and a != b:
        a = b = exact_channel(written_out(original))  # a protocol and its own matrix: the certificate is of the matrix
    if found.proof is not None:
        verdict: Verdict = "does_not_refine" if isinstance(found.proof, GainMatrix) else "refines"
        try:
            return question.answer(Certificate(a, b, verdict, found.proof, question.order), found.method, None)
        except CertificateError as error:  # a proof in numbers too long to check
            reason = str(error)
    reason += "" if bound is None else f" The deficiency is at most {bound:.3g}, proved."
    return Undecided(a, b, question.order, found.method, None, question.figure_seconds, question.rounded, reason, bound)


def _proposals(
    original: Protocol, refined: Protocol, deadline: float | None, reasons: list[str]
) -> Iterator[tuple[str, float | None, Proof]]:
    """Yield proofs to try, from cheap to dear: method, margin, proof."""
    if original == refined:
        yield "identical", None, Identical()
    for method, rule in (*RULES, ("one bet", _one_bet)):
        proof = rule(original, refined)
        telling = telling_bet(original.profile, refined.profile) if isinstance(proof, Bets) else None
        for found in (telling, proof):  # what a rule refutes is refuted by other bets too: those gain more
            if found is not None:
                yield method, None, found
    if original.domain_size <= LARGEST_CLOSEST:
        for bets in closest_bets(original, refined):
            yield "one bet", None, bets
    if original.domain_size > LARGEST_TRANSPORT:
        reasons.append(
            f"No quick rule decides; flows between sizes are tried for at most {LARGEST_TRANSPORT:,} values."
        )
        return
    try:
        transport = solve_transport(original.profile, refined.profile, deadline=deadline)
    except ConvergenceError as error:
        reasons.append(str(error))
        return
    # One that a cap on gains makes too small is solved for when it is asked for.
    margin = None if transport.capped and transport.margin > 1 else transport.margin
    for method, proof in _transport_proofs(transport, original, refined):
        yield method, margin, proof


def _one_bet(original: Protocol, refined: Protocol) -> Bets | None:
    return best_bet(original.profile, refined.profile) if original.domain_size <= LARGEST_TRANSPORT else None


def _max_case_proposals(original: Protocol, refined: Protocol) -> Iterator[tuple[str, None, Proof]]:
    """Yield proofs to try for the max-case order: what refines on average, for it does at worst; then its own.

    A bet that refutes on average need not refute at worst, except where A's tight ε is smaller. One size on either side
    asks for no fewer inequalities than the max-case order itself.
    """
    if original == refined:
        yield "identical", None, Identical()
    for method, rule in RULES:
        proof = rule(original, refined)
        if proof is not None and (rule is smaller_ratio or not isinstance(proof, Bets | OneSize)):
            yield method, None, proof
    for proof in max_case(original, refined):
        yield "max-case", None, proof


def _transport_proofs(found: Transport, original: Protocol, refined: Protocol) -> Iterator[tuple[str, Proof]]:
    """Yield the bets of the dual in units of their largest stake, or the flow as a proof; other bets if it is close."""
    if found.margin < 1:
        largest = max((stake for _, stake, _ in found.bets), default=1.0)
        stakes = ((v, exactly(stake / largest), premium / largest) for v, stake, premium in found.bets)
        offers = ((v, stake, price_above(stake * v / original.domain_size, above)) for v, stake, above in stakes)
        yield "transport", Bets(tuple(offers))
    for flow in exact_flows(found, original.profile, refined.profile):
        yield "transport", flow
    if abs(found.margin - 1) < SOLVED:
        for bets in spread_bets(original, refined):
            yield "one bet", bets
