"""What is claimed of a client, and what the evidence makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qifldp.adversaries.gain import Gain
from qifldp.audit.checks import Fit
from qifldp.audit.columns import Columns
from qifldp.audit.encoding import Supports
from qifldp.audit.powers import WANTED, Coverage, bound_power, cover, fit_power, report_power, scaled
from qifldp.audit.result import Claim, Finding, Server, Verdict
from qifldp.audit.search import searched
from qifldp.audit.splitting import Half
from qifldp.protocols.protocol import Protocol


@dataclass(frozen=True)
class Question:
    """What is asked of the samples.

    Attributes:
        protocol: The declared protocol, if there is one.
        epsilon: The claimed ε.
        confidence: 1 − the chance of a false alarm, of all claims together.
        server_error: How much of that chance the audit of a server has used.
        seed: Of the split and all that is learned.
        supports: Says which values a report supports.
        classifier: Whether a distinguisher is learned; by default if scikit-learn is there.
        gain: What a further adversary wants.
    """

    protocol: Protocol | None
    epsilon: float
    confidence: float
    seed: int
    supports: Supports | None = None
    classifier: bool | None = None
    gain: Gain | None = None
    server_error: float = 0.0

    @property
    def error(self) -> float:
        """Chance of a false alarm about ε: half of what there is, if a distribution is claimed too."""
        return (1 - self.confidence - self.server_error) / (1 if self.protocol is None else 2)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the samples have shown.

    Attributes:
        bound: A lower bound on ε, at least 0.
        findings: Events that were tested, the best first.
        finalists: How many they are if all that are searched for are different: at least as many.
        compared: Comparisons of values among which the one that exceeds the claim most clearly was chosen.
        fits: Families of checks of the law.
        columns: The reports, all of a user as one.
        first: The half on which events were looked for.
        second: The half on which they were tested.
        watched: How many values were looked at.
        domain_size: Of how many.
    """

    bound: float
    findings: Sequence[Finding]
    finalists: int
    compared: int
    fits: Sequence[Fit]
    columns: Columns
    first: Half
    second: Half
    watched: int
    domain_size: int

    @property
    def users(self) -> int:
        """How many users were looked at."""
        return len(self.first.rows) + len(self.second.rows)

    @cached_property
    def of_values(self) -> NDArray[np.float64]:
        """Share of each value that was looked at among the users."""
        own = np.concatenate([self.first.own, self.second.own])
        found: NDArray[np.float64] = np.bincount(own, minlength=self.watched) / len(own)
        return found

    @cached_property
    def times(self) -> NDArray[np.int64]:
        """How often each whole report is seen on the half on which events were looked for; empty if there are none."""
        whole = self.columns.whole
        return np.zeros(0, np.int64) if whole is None else np.bincount(whole.codes[self.first.rows])

    @property
    def seen(self) -> int:
        """How many values were looked at and have samples."""
        return len(np.union1d(self.first.own, self.second.own))


def strength(question: Question, evidence: Evidence) -> Callable[[float], float]:
    """Return the chance that 1.5 times the claimed ε is found, given by how much the samples are multiplied.

    Of a declared protocol: that the same protocol at 1.5 ε shows itself in the event "supports x and not x′", which is
    always tested, or in how often the true value is supported. Where only an ε is claimed: that a leak of 1.5 ε in one
    whole report (all that a user reports) is chosen among all events and does, in any report that is covered, whichever
    values it tells apart.
    """
    protocol, epsilon = question.protocol, question.epsilon
    error = question.error / evidence.finalists
    if protocol is not None:
        actual, pairs, share = scaled(protocol), len(evidence.second.paired), question.error / len(evidence.fits)
        if actual is None:
            return lambda _: 0.0
        return lambda factor: max(
            bound_power(actual, int(pairs * factor), epsilon=epsilon, error=error),
            fit_power(protocol, actual, int(evidence.users * factor), share),
        )
    halves = [np.bincount(half.own, minlength=evidence.watched).min() for half in (evidence.first, evidence.second)]
    if evidence.columns.whole is None or not min(halves) or not evidence.compared:
        return lambda _: 0.0

    def found(factor: float) -> float:
        covered = coverage(question, evidence, factor)
        if covered is None:
            return 0.0
        first, second = (int(trials * factor) for trials in halves)
        return report_power(
            covered.least,
            evidence.of_values,
            (first, second),
            compared=evidence.compared,
            epsilon=epsilon,
            error=error,
        )

    return found


def coverage(question: Question, evidence: Evidence, factor: float = 1.0) -> Coverage | None:
    """Return which whole reports the power is claimed for where only an ε is; None if there are not enough of them."""
    if question.protocol is not None or evidence.columns.whole is None:
        return None
    shares = searched(evidence.times * factor) / (evidence.times.sum() * factor)
    return cover(shares, evidence.of_values, epsilon=question.epsilon)


def conclude(
    question: Question, evidence: Evidence, power: float, server: Server | None, covered: Coverage | None = None
) -> tuple[Verdict, Claim, str]:
    """Return the verdict, the claim that it is about, and why; ``covered`` says of which reports, if of an ε alone."""
    sure = f"confidence {question.confidence:.10g}"
    if evidence.bound > question.epsilon:
        said = f"ε is at least {evidence.bound:.4g}, {question.epsilon:.4g} was claimed ({sure})"
        return "violates", "epsilon", f"{said}: {evidence.findings[0].words}."
    wrong = [family for family in evidence.fits if not family.fits]
    if wrong:
        worst = min(wrong, key=lambda family: family.p_value)
        return "violates", "distribution", f"{worst.name}: not as declared ({sure}): {worst.worst}."
    if server is not None and not server.sound:
        named = ", ".join((server.biased or server.uncovered)[:3])
        what = "estimates are biased" if server.biased else "intervals hold too seldom"
        return "violates", "estimator", f"The server's {what} ({sure}): of {named}."
    claim: Claim = "epsilon" if question.protocol is None else "distribution"
    nothing = "No violation was found"
    if evidence.seen < evidence.domain_size:
        nothing += f" on {evidence.seen:,} of {evidence.domain_size:,} values"
    if power >= WANTED:
        found = f"1.5 times the claimed ε would have been, with a chance of {power:.4f}"
        if covered is None:
            return "consistent", claim, f"{nothing}; the same protocol at {found}."
        where = f"in any one report that makes up {covered.least:.2%} of all, or more"
        rarer = f"; rarer ones, together {covered.left_out:.2%}, are not covered" if covered.left_out else ""
        return "consistent", claim, f"{nothing}; a leak of {found}, {where}{rarer}."
    return "inconclusive", claim, f"{nothing}, but 1.5 times the claimed ε would be with a chance of {power:.2f} only."
