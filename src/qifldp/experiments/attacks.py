"""Bayes-optimal attacks, played against the reports that clients would send.

After a report that supports the set S the adversary's belief is proportional to ρπ_x for x ∈ S and to π_x for the
others, whatever the protocol; ρ = e^(tight ε). They take the likeliest values, or the likelier side of a set. A report
that supports nothing or everything leaves the prior. Among equally good answers they choose at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.adversaries.gain import Gain, Guesses, Membership, bayes
from qifldp.adversaries.prior import Prior
from qifldp.collection.mechanism import check_values
from qifldp.errors import InputError, TooLargeError
from qifldp.experiments.intervals import check_confidence, success_interval
from qifldp.leakage.vulnerability import posterior_vulnerability, prior_vulnerability
from qifldp.protocols.protocol import Protocol

SCHEMA_VERSION = 1

CELLS_AT_ONCE = 1 << 18
"""Reports times values that are looked at together: 2 MiB of words, which stay in a core's cache."""

ALIKE = 1e-12
"""Relative: sums of beliefs that differ by less are equal but for rounding (k additions of doubles, k ≤ 2,000 or so;
beyond, a tie that is not seen costs the adversary nothing)."""

NOT_FROM_THE_PRIOR = "The values were given, not drawn from the prior, and this adversary does not treat all alike."


@dataclass(frozen=True)
class SimulatedAttack:
    """How often an attack was right.

    Attributes:
        spec: The protocol.
        domain_size: Number of values k.
        adversary: What the adversary wants, in words.
        n: Number of reports that were attacked.
        successes: How many times the adversary was right.
        low: Lower end of the Clopper–Pearson interval of the success rate.
        high: Its upper end.
        confidence: Of the interval.
        without_report: The success rate of the same adversary before any report.
        closed_form: The success rate by the theory of ideal reports; None if there is none.
        reasons: Why a figure is None, by its name.
    """

    spec: str
    domain_size: int
    adversary: str
    n: int
    successes: int
    low: float
    high: float
    confidence: float
    without_report: float
    closed_form: float | None
    reasons: Mapping[str, str]

    @property
    def rate(self) -> float:
        """The share of attacks that were right."""
        return self.successes / self.n

    def to_json(self) -> dict[str, object]:
        """Return the result as JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "spec": self.spec,
            "domain_size": self.domain_size,
            "adversary": self.adversary,
            "n": self.n,
            "successes": self.successes,
            "rate": self.rate,
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "interval": "Clopper-Pearson",
            "without_report": self.without_report,
            "closed_form": self.closed_form,
            "reasons": dict(self.reasons),
        }


def simulate_attack(
    protocol: Protocol,
    adversary: Gain | None = None,
    *,
    prior: Prior | None = None,
    values: object = None,
    n: int = 100_000,
    rng: np.random.Generator,
    confidence: float = 0.99,
    progress: Callable[[int, int], None] | None = None,
) -> SimulatedAttack:
    """Attack simulated reports as well as can be, and count how often the adversary is right.

    Args:
        protocol: The protocol; its reports are those of the simulation client, real hash functions included.
        adversary: ``gains.guesses(t)`` or ``gains.membership(set)``; by default one guess.
        prior: What the adversary knows, uniform by default.
        values: Places of people's values, shape (n,), in place of ``n`` values that are drawn from the prior.
        n: Number of reports.
        rng: The source of randomness, of values, reports and choices among equally good answers.
        confidence: Of the interval of the success rate (Clopper–Pearson).
        progress: Called with (reports done, reports in all).

    Raises:
        InputError: If an argument is out of range, or being right is not what the adversary wants.
    """
    k, wanted = protocol.domain_size, bayes() if adversary is None else adversary
    wanted.check(k)
    if not isinstance(wanted, Guesses | Membership):
        raise InputError("An attack is right or wrong: simulate gains.guesses or gains.membership.")
    check_confidence(confidence)
    known = prior or Prior.uniform(k)
    known.for_domain(k)
    ratio = math.exp(-protocol.profile.log_ratio)
    people = None if values is None else check_values(values, k)
    total = _check_number(n if people is None else len(people))
    step, successes = max(1, CELLS_AT_ONCE // k), 0
    for start in range(0, total, step):
        count = min(step, total - start)
        places = people[start : start + count] if people is not None else _draw(known, count, rng)
        likelier = _likelier(protocol, places, rng)
        if isinstance(wanted, Guesses):
            right = _guess(likelier, known, ratio, wanted.tries, places, rng)
        else:
            right = _tell(likelier, known, ratio, wanted.members, places, rng)
        successes += int(right.sum())
        if progress is not None:
            progress(start + count, total)
    low, high = success_interval(successes, total, confidence)
    closed, reasons = _closed_form(protocol, wanted, prior, given=people is not None)
    before = float(prior_vulnerability(known, wanted))
    words = wanted.describe()
    return SimulatedAttack(
        protocol.spec, k, words, total, successes, low, high, confidence, before, closed, reasons
    )  # fmt: skip


def _draw(known: Prior, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    if known.is_uniform:
        return rng.integers(known.domain_size, size=count)
    return rng.choice(known.domain_size, size=count, p=known.probabilities.astype(np.float64))


def _likelier(protocol: Protocol, places: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return for a report on each value which values it makes likelier, shape (n, k)."""
    supports = protocol.perturb(places, rng=rng).supports
    own, other = protocol.mechanism.support_chances
    return supports if own > other else ~supports


def _posterior(likelier: NDArray[np.bool_], known: Prior, ratio: float) -> NDArray[np.float64]:
    """Return the beliefs after each report, up to a factor: π_x inside, π_x/ρ outside, shape (n, k)."""
    prior = known.probabilities.astype(np.float64)
    return np.where(likelier, prior, prior * ratio)


def _guess(
    likelier: NDArray[np.bool_],
    known: Prior,
    ratio: float,
    tries: int,
    places: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Return whether the true value is among the t guesses.

    It is if fewer than t others come before it: all that are likelier, and of those that are as likely a random number
    (its place in a random order of the equals).
    """
    rows = np.arange(len(places))
    if known.is_uniform:
        sizes, inside = likelier.sum(axis=1), likelier[rows, places]
        before = np.where(inside, 0, sizes)
        equals = np.where(inside, sizes, known.domain_size - sizes)
    else:
        posterior = _posterior(likelier, known, ratio)
        own = posterior[rows, places][:, None]
        before, equals = (posterior > own).sum(axis=1), (posterior == own).sum(axis=1)
    return before + rng.integers(equals) < tries


def _tell(
    likelier: NDArray[np.bool_],
    known: Prior,
    ratio: float,
    members: tuple[int, ...],
    places: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Return whether the adversary is right about the true value being in the set."""
    member = np.zeros(known.domain_size, bool)
    member[list(members)] = True
    posterior = _posterior(likelier, known, ratio)
    lead = posterior @ np.where(member, 1.0, -1.0)
    tie = np.abs(lead) <= ALIKE * posterior.sum(axis=1)
    says = np.where(tie, rng.random(len(places)) < 1 / 2, lead > 0)
    found: NDArray[np.bool_] = says == member[places]
    return found


def _closed_form(
    protocol: Protocol, wanted: Gain, prior: Prior | None, *, given: bool
) -> tuple[float | None, dict[str, str]]:
    """Return the success rate by theory, or None and why.

    A blind adversary who guesses is right with one chance for every value, so with any values the rate is the same.
    """
    blind = prior is None or prior.is_uniform
    if given and not (blind and isinstance(wanted, Guesses)):
        return None, {"closed_form": NOT_FROM_THE_PRIOR}
    try:
        return float(posterior_vulnerability(protocol, prior, wanted)), {}
    except TooLargeError as error:
        return None, {"closed_form": str(error)}


def _check_number(n: object) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InputError.expected("n", "a whole number of at least 1", n)
    return int(n)
