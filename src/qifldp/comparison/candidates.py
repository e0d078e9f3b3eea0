"""What may be recommended: protocols, each at the ε that a limit allows it, with their figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal, localcontext
from typing import Literal

from qifldp.channels.profile import Profile
from qifldp.comparison.accuracy import weighted_standard_error
from qifldp.comparison.solve import SMALLEST_SOLVED, Piece, solve
from qifldp.errors import InputError
from qifldp.exact.budget import LARGEST_EPSILON, Budget
from qifldp.leakage.capacity import tight_epsilon
from qifldp.leakage.information import shannon_capacity
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import ProtocolSpec
from qifldp.protocols.wording import counted

Kind = Literal["epsilon", "asr", "bits", "error"]
Outcome = Literal["recommended", "dominated", "less_suitable", "infeasible"]

ALIKE = 1e-9
"""Relative difference within which two figures are one: solved budgets have twelve digits."""

DEFAULT_CAP = Budget.read(4)
"""The largest tight ε beside a limit on one guess or on bits, unless another is given.

Such a limit alone bounds no ε (local hashing to one bit keeps one guess down at every ε), and with ε what the most
telling reports say grows without bound. At 4 a report is at most e^4 = 55 times as likely under one value as under
another: more than Chrome's RAPPOR (2.04) or Mozilla's (2.48) allowed, and what Apple allows for emoji.
"""

NEGLIGIBLE = 60.0
"""Sizes of reports whose mass is below e^-60 of the largest are left out of drafts: 1e-20 of the whole, at any k."""


@dataclass(frozen=True)
class Goal:
    """The limit that is to be kept: on ε, on the chance of a right guess, on bits, or on the standard error.

    Attributes:
        kind: What is limited.
        value: The limit; for ``epsilon`` a budget.
        most_bytes: The largest report that clients can send, if there is a limit.
        cap: The largest tight ε beside another limit, if one is given.
        cap_is: What the cap is, if nobody gave it.
    """

    kind: Kind
    value: Budget | float
    most_bytes: int | None = None
    cap: Budget | None = None
    cap_is: str = ""

    def __post_init__(self) -> None:
        if self.most_bytes is not None and self.most_bytes < 1:
            raise InputError.expected("--max-report-bytes", "at least 1", self.most_bytes)
        if (self.kind == "epsilon") != isinstance(self.value, Budget):
            raise InputError("A goal of kind epsilon is a budget, any other a number.")
        if isinstance(self.value, Budget):
            if self.cap is not None:
                raise InputError("A goal of kind epsilon is its own cap.")
            return
        if self.cap is not None and not self.cap.epsilon > SMALLEST_SOLVED:
            raise InputError.expected("--epsilon beside another limit", f"above {SMALLEST_SOLVED:g}", str(self.cap))
        if not 0 < self.value < math.inf or (self.kind == "asr" and self.value > 1):
            wanted = "above 0 and at most 1" if self.kind == "asr" else "positive and finite"
            raise InputError.expected(f"--max-{self.kind}", wanted, self.value)

    @property
    def number(self) -> float:
        """The limit as a number."""
        return self.value.epsilon if isinstance(self.value, Budget) else self.value

    @property
    def largest(self) -> Budget | None:
        """The largest tight ε: the goal itself, or the cap; a limit on the error alone sets none."""
        if isinstance(self.value, Budget):
            return self.value
        return DEFAULT_CAP if self.cap is None and self.kind != "error" else self.cap

    def is_kept(self, candidate: Candidate) -> bool:
        """Return whether a protocol's figure is within the limit, and its tight ε within the largest."""
        figures = {"asr": candidate.asr, "bits": candidate.bits, "error": candidate.standard_error}
        figure = figures.get(self.kind, candidate.tight_epsilon)
        assert figure is not None
        assert candidate.tight_epsilon is not None
        slack = 1 + (ALIKE if self.kind == "epsilon" else 0.0)
        within = self.largest is None or candidate.tight_epsilon <= self.largest.epsilon * (1 + ALIKE)
        return within and figure <= self.number * slack


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
        return (
            f"at ε = {measured.epsilon:.4g} no hash function has its many buckets (2^31 at most); a smaller ε would do"
        )
    return _too_large(measured.report_bytes, goal)


def _too_large(size: int | None, goal: Goal) -> str:
    """Return why reports of so many bytes are too large; empty if they are not, or are none."""
    if size is None or goal.most_bytes is None or size <= goal.most_bytes:
        return ""
    return f"its reports have {counted(size, 'byte')}, above {goal.most_bytes:,}"


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
    figure, limit = _figure(goal, n), goal.number

    def piece(epsilon: float) -> Piece:
        return Piece(*subject.default_range(k, epsilon))

    def exact(epsilon: float) -> float:
        return figure(subject.build(k, Budget.read(epsilon)).profile)

    def draft(epsilon: float) -> float:
        return figure(_bulk(subject.build(k, Budget.read(epsilon)).profile))

    if goal.kind == "error":
        return _least_budget(subject, k, goal, exact, draft, piece)
    assert goal.largest is not None
    largest = _budget_of_tight(subject, k, goal.largest, piece)
    if goal.kind == "epsilon" or exact(largest.epsilon) <= limit:
        return largest
    found = solve(exact, limit, piece=piece, largest=largest.epsilon, draft=draft).epsilon
    if found is not None:
        return Budget.read(found)
    what = "its chance of a right guess is" if goal.kind == "asr" else "its bits are"
    return f"{what} above {amount(goal.kind, limit)} at every ε from {SMALLEST_SOLVED:g} on"


def _least_budget(
    subject: ProtocolSpec,
    k: int,
    goal: Goal,
    exact: Callable[[float], float],
    draft: Callable[[float], float],
    piece: Callable[[float], Piece],
) -> Budget | str:
    """Return the least budget within a limit on the error, and on the size of reports, or why there is none."""
    solution = solve(exact, goal.number, rising=False, take="first", piece=piece, draft=draft)
    if solution.epsilon is None and not solution.reason.startswith("every"):
        return f"its standard error is above {percent(goal.number)} at every ε up to {LARGEST_EPSILON}"
    found = Budget.read(SMALLEST_SOLVED if solution.epsilon is None else solution.epsilon)
    if goal.most_bytes is not None:
        found = _small_enough(subject, k, found, goal.most_bytes)
    protocol = subject.build(k, found)
    if goal.cap is None or protocol.tight_epsilon <= goal.cap.epsilon * (1 + ALIKE):
        return found
    needs = f"it needs a tight ε of {enough(protocol.tight_epsilon)}, above {goal.cap}"
    return _too_large(protocol.report_bytes, goal) or needs  # where no ε makes reports fit, a larger one is no help


def _small_enough(subject: ProtocolSpec, k: int, least: Budget, most_bytes: int) -> Budget:
    """Return the least budget from one on at which reports fit (sets shrink as ε grows), or that one if none do."""

    def fits(epsilon: float) -> bool:
        size = subject.build(k, Budget.read(epsilon)).report_bytes
        return size is not None and size <= most_bytes

    low, high = least.epsilon, float(LARGEST_EPSILON)
    if fits(low) or not fits(high):
        return least
    while high - low > ALIKE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return Budget.read(float(f"{high * (1 + ALIKE):.10g}"))


def _budget_of_tight(subject: ProtocolSpec, k: int, tight: Budget, piece: Callable[[float], Piece]) -> Budget:
    """Return the largest budget at which a protocol's tight ε is within a limit: the limit itself, but for THE."""
    if subject.build(k, tight).tight_budget == tight:
        return tight
    found = solve(lambda e: tight_epsilon(subject.build(k, Budget.read(e))), tight.epsilon, piece=piece)
    if found.epsilon is not None:
        return Budget.read(found.epsilon)
    # no protocol's tight ε is above the one it claims: where no budget looked at is small enough, the limit itself is
    return Budget.read(LARGEST_EPSILON) if found.reason.startswith("every") else tight


def _figure(goal: Goal, n: int) -> Callable[[Profile], float]:
    """Return the figure that a goal limits."""
    if goal.kind == "error":
        return lambda profile: weighted_standard_error(profile, n)
    return shannon_capacity if goal.kind == "bits" else lambda profile: float(asr(profile))


def _bulk(profile: Profile) -> Profile:
    """Return a profile without the sizes that hardly ever occur; over a million values nearly all are such."""
    kept = profile.log_mass > profile.log_mass.max() - NEGLIGIBLE
    return replace(profile, sizes=profile.sizes[kept], log_mass=profile.log_mass[kept])


def amount(kind: Kind, value: float) -> str:
    """Return a figure of some kind in words."""
    if kind == "bits":
        return f"{value:.4g} bit" + ("" if f"{value:.4g}" == "1" else "s")
    return f"{value:.4g}" if kind == "epsilon" else percent(value)


def enough(epsilon: float) -> str:
    """Return an ε in words, to four digits and never below it: who takes it by these digits has it."""
    with localcontext(prec=4, rounding=ROUND_CEILING):
        return f"{(+Decimal(repr(epsilon))).normalize():f}"


def percent(value: float) -> str:
    """Return a share as per cent, to four digits."""
    return f"{value * 100:.4g} %"
