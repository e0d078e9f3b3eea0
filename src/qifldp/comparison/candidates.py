"""What may be recommended: protocols, each at the ε that a limit allows it, with their figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from qifldp.comparison.accuracy import weighted_standard_error
from qifldp.comparison.solve import Piece, Solution, solve
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.leakage.capacity import tight_epsilon
from qifldp.leakage.information import shannon_capacity
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import ProtocolSpec

Kind = Literal["epsilon", "asr", "bits", "error"]
Outcome = Literal["recommended", "dominated", "less_suitable", "infeasible"]

ALIKE = 1e-9
"""Relative difference within which two figures are one: solved budgets have twelve digits."""


@dataclass(frozen=True)
class Goal:
    """The limit that is to be kept: on ε, on the chance of a right guess, on bits, or on the standard error.

    Attributes:
        kind: What is limited.
        value: The limit; for ``epsilon`` a budget.
        most_bytes: The largest report that clients can send, if there is a limit.
        cap: The largest tight ε beside another limit, if there is one.
    """

    kind: Kind
    value: Budget | float
    most_bytes: int | None = None
    cap: Budget | None = None

    def __post_init__(self) -> None:
        if self.most_bytes is not None and self.most_bytes < 1:
            raise InputError.expected("--max-report-bytes", "at least 1", self.most_bytes)
        if (self.kind == "epsilon") != isinstance(self.value, Budget):
            raise InputError("A goal of kind epsilon is a budget, any other a number.")
        if isinstance(self.value, Budget):
            if self.cap is not None:
                raise InputError("A goal of kind epsilon is its own cap.")
            return
        if not 0 < self.value < math.inf or (self.kind == "asr" and self.value > 1):
            wanted = "above 0 and at most 1" if self.kind == "asr" else "positive and finite"
            raise InputError.expected(f"--max-{self.kind}", wanted, self.value)

    @property
    def number(self) -> float:
        """The limit as a number."""
        return self.value.epsilon if isinstance(self.value, Budget) else self.value


@dataclass(frozen=True)
class Candidate:
    """A protocol at the ε that the goal allows it.

    Attributes:
        protocol: Plain upper-case name.
        spec: The protocol with its parameters; its name alone if it is infeasible.
        epsilon: The ε that it claims; None, as are the figures below, if it is infeasible.
        tight_epsilon: The ε that it really has.
        asr: Chance of a right guess without prior knowledge.
        bits: Shannon capacity.
        standard_error: Of a frequency near 1/k, weighed by size: the error of the default estimator.
        report_bytes: Bytes of a report.
        outcome: What became of it.
        reason: Why.
        safer: Whether the recommended protocol is proved to be at least as safe for everybody.
    """

    protocol: str
    spec: str
    epsilon: float | None = None
    tight_epsilon: float | None = None
    asr: float | None = None
    bits: float | None = None
    standard_error: float | None = None
    report_bytes: int | None = None
    outcome: Outcome = "less_suitable"
    reason: str = ""
    safer: bool = False

    def to_json(self) -> dict[str, object]:
        """Return the candidate as JSON."""
        return dict(vars(self))


def candidate_for(subject: ProtocolSpec, k: int, n: int, goal: Goal) -> Candidate:
    """Return a protocol at the ε that a goal allows it, or as infeasible with the reason."""
    try:
        solution = _budget(subject, k, n, goal)
    except InputError as error:
        return Candidate(subject.name.upper(), subject.text, outcome="infeasible", reason=str(error).rstrip("."))
    if isinstance(solution, str):
        return Candidate(subject.name.upper(), subject.text, outcome="infeasible", reason=solution)
    measured = measured_at(subject.build(k, solution), n)
    reason = not_deployable(measured, goal)
    return replace(measured, outcome="infeasible", reason=reason) if reason else measured


def not_deployable(measured: Candidate, goal: Goal) -> str:
    """Return why clients cannot run a protocol, or send its reports; empty if they can."""
    if measured.report_bytes is None:
        return "no hash function has this many buckets (2^31 at most): it cannot be deployed"
    if goal.most_bytes is not None and measured.report_bytes > goal.most_bytes:
        return f"its reports have {measured.report_bytes:,} bytes, above {goal.most_bytes:,}"
    return ""


def measured_at(protocol: Protocol, n: int) -> Candidate:
    """Return a protocol with its figures."""
    return Candidate(
        protocol.name,
        protocol.spec,
        protocol.epsilon,
        protocol.tight_epsilon,
        float(asr(protocol)),
        shannon_capacity(protocol),
        weighted_standard_error(protocol.profile, n),
        protocol.report_bytes,
    )


def _budget(subject: ProtocolSpec, k: int, n: int, goal: Goal) -> Budget | str:
    """Return the largest budget within a limit on leakage, or the least within one on the error, or why none."""

    def build(epsilon: float) -> Protocol:
        return subject.build(k, Budget.read(epsilon))

    def piece(epsilon: float) -> Piece:
        return Piece(*subject.default_range(k, epsilon))

    if isinstance(goal.value, Budget):
        return _budget_of_tight(subject, k, goal.value, piece)
    if goal.kind == "error":
        solution = solve(
            lambda e: weighted_standard_error(build(e).profile, n), goal.value, rising=False, take="first", piece=piece
        )
    else:
        figure: Callable[[Protocol], float] = shannon_capacity if goal.kind == "bits" else lambda p: float(asr(p))
        solution = solve(lambda e: figure(build(e)), goal.value, piece=piece)
    if goal.cap is not None and goal.kind != "error" and solution.reason.startswith("every"):
        return _budget_of_tight(subject, k, goal.cap, piece)
    if solution.epsilon is None:
        return _no_budget(solution, goal)
    tight = build(solution.epsilon).tight_epsilon
    if goal.cap is None or tight <= goal.cap.epsilon * (1 + ALIKE):
        return Budget.read(solution.epsilon)
    if goal.kind == "error":
        return f"it needs a tight ε of {tight:.4g}, above {goal.cap.epsilon:.4g}"
    return _budget_of_tight(subject, k, goal.cap, piece)


def _budget_of_tight(subject: ProtocolSpec, k: int, tight: Budget, piece: Callable[[float], Piece]) -> Budget | str:
    """Return the budget at which a protocol's tight ε is a wanted one: that one itself, but for THE."""
    own = subject.build(k, tight).tight_epsilon
    if abs(own / tight.epsilon - 1) <= ALIKE:
        return tight
    solution = solve(lambda e: tight_epsilon(subject.build(k, Budget.read(e))), tight.epsilon, piece=piece)
    return (
        Budget.read(solution.epsilon) if solution.epsilon is not None else f"its tight ε is never {tight.epsilon:.4g}"
    )


def _no_budget(solution: Solution, goal: Goal) -> str:
    what = {"asr": "its chance of a right guess is", "bits": "its bits are", "error": "its standard error is"}[
        goal.kind
    ]
    limit = amount(goal.kind, goal.number)
    if solution.reason.startswith("every"):
        return f"{what} at most {limit} at every ε: say with --epsilon how large it may be"
    return f"{what} above {limit} at every ε"


def amount(kind: Kind, value: float) -> str:
    """Return a figure of some kind in words."""
    if kind == "bits":
        return f"{value:.4g} bits"
    return f"{value:.4g}" if kind == "epsilon" else percent(value)


def percent(value: float) -> str:
    """Return a share as per cent, to four digits."""
    return f"{value * 100:.4g} %"
