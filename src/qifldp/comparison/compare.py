"""Comparing protocols on one domain: the figures behind ``qifldp compare``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.channels.profile import check_domain_size
from qifldp.comparison.accuracy import detectable_frequency, standard_error, weighted_standard_error
from qifldp.comparison.question import Question, answer
from qifldp.comparison.subjects import MatrixSubject, Subject, build
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.leakage.measures import MEASURES, figure, finite
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.protocol import Protocol

SCHEMA_VERSION = 1

LOW_IS_BETTER = (
    *(m.key for m in MEASURES if m.private_end == "low"),
    "asr_prior",
    "standard_error",
    "standard_error_weighted",
    "detectable_frequency",
)
"""Figures whose least holder is named in ``least``."""

EQUAL = 1e-10
"""Relative difference within which two figures tie for the least: solved budgets have 12 digits."""


@dataclass(frozen=True)
class Row:
    """One protocol at one budget.

    Attributes:
        protocol: Plain upper-case name (FILE for a channel matrix).
        spec: The protocol with its parameters as text.
        asked_epsilon: The budget of the question that the row answers, None for a limit.
        epsilon: The ε that is claimed; None where there is none.
        figures: Every figure by its key; None with a reason where there is none.
        reasons: Why a figure is None, or what to know about it.
    """

    protocol: str
    spec: str
    asked_epsilon: float | None
    epsilon: float | None
    figures: dict[str, float | int | None]
    reasons: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return the row as JSON: all figures beside one another, reasons under ``reasons``."""
        head: dict[str, object] = {"protocol": self.protocol, "spec": self.spec, "epsilon": self.epsilon}
        if self.asked_epsilon is not None:
            head["asked_epsilon"] = self.asked_epsilon
        return head | self.figures | ({"reasons": self.reasons} if self.reasons else {})


@dataclass(frozen=True)
class Comparison:
    """Several protocols on one domain, at one or more budgets.

    Attributes:
        domain_size: Number of values k.
        n: Number of reports that errors are stated for.
        prior: What ``asr_prior`` supposes that the adversary knows.
        question: What was asked.
        rows: A row for every protocol and budget.
        notes: Sentences that a reader should see.
    """

    domain_size: int
    n: int
    prior: dict[str, object]
    question: Question
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def groups(self) -> list[tuple[float | None, tuple[Row, ...]]]:
        """Return the rows of each budget asked."""
        asked = dict.fromkeys(row.asked_epsilon for row in self.rows)
        return [(epsilon, tuple(row for row in self.rows if row.asked_epsilon == epsilon)) for epsilon in asked]

    def to_json(self, order: Sequence[dict[str, object]] = ()) -> dict[str, object]:
        """Return the comparison as JSON, without NaN or infinity.

        Args:
            order: What was decided about refinement between the protocols (see qifldp.comparison.ordering).
        """
        question: dict[str, object] = {"epsilon": [str(budget) for budget in self.question.budgets]}
        if self.question.limit is None:
            question["match"] = self.question.match
        else:
            question["limit"] = {self.question.limit: self.question.limit_value}
        return {
            "schema_version": SCHEMA_VERSION,
            "domain_size": self.domain_size,
            "n": self.n,
            "prior": self.prior,
            "question": question,
            "rows": [row.to_json() for row in self.rows],
            "least": [{"asked_epsilon": epsilon} | least(rows) for epsilon, rows in self.groups()],
            "order": list(order),
            "notes": list(self.notes),
        }


def least(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return, for every figure of which less is better, the specs that have the least of it."""
    found = {}
    for key in LOW_IS_BETTER:
        values = {row.spec: row.figures[key] for row in rows if row.figures.get(key) is not None}
        if values:
            best = min(value for value in values.values() if value is not None)
            found[key] = [spec for spec, value in values.items() if value is not None and value <= best * (1 + EQUAL)]
    return found


def compare(
    subjects: Sequence[Subject],
    *,
    domain_size: int,
    question: Question,
    n: int = 100_000,
    prior: Prior | None = None,
    prior_description: dict[str, object] | None = None,
    notes: Sequence[str] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Comparison:
    """Measure every protocol at every budget asked, or at the budget that solves the question.

    Args:
        subjects: Protocols (before their budget is known) and channel matrices.
        domain_size: Number of values k.
        question: Budgets (one asked twice counts once), what to match, or a limit.
        n: Number of reports, for the errors.
        prior: What the adversary of ``asr_prior`` knows; uniform by default.
        prior_description: How the prior was made, for the result; at least ``{"kind": …}``.
        notes: Sentences to keep with the result.
        progress: Called with (what is being done, steps done, steps in all).

    Raises:
        InputError: If a protocol cannot be built.
    """
    if not subjects:
        raise InputError("A comparison needs at least one protocol.")
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 10**15:
        raise InputError.expected("n", "a whole number from 1 to 10^15", n)
    check_domain_size(domain_size)
    known = prior or Prior.uniform(domain_size)
    known.for_domain(domain_size)
    once = {budget.epsilon: budget for budget in reversed(question.budgets)}
    question = replace(question, budgets=tuple(reversed(once.values())))
    budgets: tuple[Budget | None, ...] = question.budgets or (None,)
    rows = []
    steps = len(budgets) * len(subjects)
    for index, (budget, subject) in enumerate((budget, subject) for budget in budgets for subject in subjects):
        if progress is not None:
            progress(subject.spec if isinstance(subject, MatrixSubject) else subject.name, index, steps)
        rows.append(_row(subject, subjects[0], budget, domain_size, question, n, known))
    if progress is not None:
        progress("done", steps, steps)
    return Comparison(
        domain_size, n, prior_description or {"kind": "uniform"}, question, tuple(rows), tuple(dict.fromkeys(notes))
    )


def _row(
    subject: Subject, first: Subject, budget: Budget | None, domain_size: int, question: Question, n: int, prior: Prior
) -> Row:
    asked = None if budget is None else budget.epsilon
    if isinstance(subject, MatrixSubject):
        found = build(subject, domain_size, None)
        figures, reasons = _figures(found, n, prior)
        reasons["epsilon"] = "a bare channel claims no budget"
        return Row("FILE", subject.spec, asked, None, figures, reasons)
    reasons = {}
    chosen = budget
    fixed = not subject.has_budget or subject.budget is not None
    if question.limit is not None or (question.match != "epsilon" and subject is not first):
        if fixed:
            reasons["epsilon"] = "its parameters are fixed in its spec, so there is no budget to solve for"
        else:
            solution = answer(question, subject, first, budget, domain_size=domain_size, n=n)
            if solution.epsilon is None:
                empty: dict[str, float | int | None] = dict.fromkeys(_keys())
                return Row(subject.name.upper(), subject.text, asked, None, empty, {"epsilon": solution.reason})
            chosen = Budget.read(solution.epsilon)
            if solution.reason:
                reasons["epsilon"] = solution.reason
    return row_of(subject.build(domain_size, chosen), asked, n, prior, reasons)


def row_of(protocol: Protocol, asked: float | None, n: int, prior: Prior, reasons: Mapping[str, str] = {}) -> Row:
    """Return the row of one protocol.

    Args:
        protocol: The protocol.
        asked: The budget asked, None for a limit.
        n: Number of reports, for the errors.
        prior: What the adversary of ``asr_prior`` knows.
        reasons: Why the protocol has the budget it has, if that was not asked.
    """
    figures, more = _figures(protocol, n, prior)
    return Row(protocol.name, protocol.spec, asked, protocol.epsilon, figures, dict(reasons) | more)


def _keys() -> list[str]:
    return [
        *(measure.key for measure in MEASURES),
        "asr_prior",
        "standard_error",
        "standard_error_weighted",
        "detectable_frequency",
        "report_bytes",
    ]


def _figures(source: Protocol | Channel, n: int, prior: Prior) -> tuple[dict[str, float | int | None], dict[str, str]]:
    figures: dict[str, float | int | None] = dict.fromkeys(_keys())
    reasons: dict[str, str] = {}
    for measure in MEASURES:
        figures[measure.key], why = figure(measure, source)
        if why:
            reasons[measure.key] = why
    figures["asr_prior"] = finite(asr(source, prior))
    if isinstance(source, Channel):
        why = "a bare channel has no estimator"
        return figures, reasons | dict.fromkeys(_keys()[-4:], why)
    figures["standard_error"] = standard_error(source, n)
    figures["standard_error_weighted"] = weighted_standard_error(source.profile, n)
    figures["detectable_frequency"] = detectable_frequency(source, n)
    figures["report_bytes"] = source.report_bytes
    if source.report_bytes is None:
        reasons["report_bytes"] = "no hash function has this many buckets (2^31 at most): it cannot be deployed"
    return figures, reasons
