"""What an audit found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from qifldp.audit.bounds import MeanBounds, Tally
from qifldp.audit.checks import Fit
from qifldp.audit.posterior import Leakage
from qifldp.audit.powers import Coverage
from qifldp.errors import QifldpError

Verdict = Literal["consistent", "violates", "inconclusive"]
Claim = Literal["epsilon", "distribution", "estimator"]

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Finding:
    """An event that was chosen on the first half of the samples, and what the second half says of it.

    Attributes:
        words: The event.
        first: The input under which it is frequent.
        second: The input under which it is rare.
        tally: Counts on the second half.
        low: Its chance under the first input, from below.
        high: Its chance under the second input, from above.
        epsilon: ln(low/high); no less than this is the tight ε, unless the bounds are wrong. None if ``low`` is 0.
        unseen: Reports on the second input, of both halves, among which it was never seen; None if it was.
    """

    words: str
    first: str
    second: str
    tally: Tally
    low: float
    high: float
    epsilon: float | None
    unseen: int | None

    def to_json(self) -> dict[str, object]:
        """Return the finding as JSON."""
        return {
            "event": self.words,
            "first": self.first,
            "second": self.second,
            **asdict(self.tally),
            "low": self.low,
            "high": self.high,
            "epsilon": self.epsilon,
            "unseen": self.unseen,
        }


@dataclass(frozen=True)
class Round:
    """What the first reports of every user say together."""

    rounds: int
    epsilon: float
    asr: MeanBounds

    def to_json(self) -> dict[str, object]:
        """Return the line as JSON."""
        return {"rounds": self.rounds, "epsilon_lower_bound": self.epsilon} | _interval("asr", self.asr)


@dataclass(frozen=True)
class Server:
    """What a server made of reports on known data.

    Attributes:
        runs: How many times the data were reported and estimated.
        bias: Mean error of each value's estimate.
        bias_low: Its interval, from below; all intervals hold together.
        bias_high: … from above.
        biased: Labels of the values whose interval leaves out 0.
        coverage: How often each value's interval held its frequency; None if the server gives no intervals.
        coverage_high: The chance of that, from above, all together.
        uncovered: Labels of the values that are held less often than the server says.
        nominal: The confidence that the server says.
        confidence: 1 − the chance that a sound server is said to have a fault.
    """

    runs: int
    bias: tuple[float, ...]
    bias_low: tuple[float, ...]
    bias_high: tuple[float, ...]
    biased: tuple[str, ...]
    coverage: tuple[float, ...] | None
    coverage_high: tuple[float, ...] | None
    uncovered: tuple[str, ...]
    nominal: float | None
    confidence: float

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.biased and not self.uncovered

    def to_json(self) -> dict[str, object]:
        """Return the result as JSON."""
        return asdict(self) | {"sound": self.sound}


@dataclass(frozen=True)
class Audit:
    """The result of an audit.

    Attributes:
        source: Where the reports are from.
        spec: The declared protocol; None if only an ε is claimed.
        domain_size: Number of values k.
        watched: How many of them reports were drawn on.
        verdict: ``consistent``, ``violates`` or ``inconclusive``.
        claim: Which claim the verdict is about.
        reason: Why, in words.
        epsilon_claimed: The claimed ε.
        epsilon_lower_bound: The tight ε is at least this, with the stated confidence.
        confidence: 1 − the chance that a client that keeps its claims is said to violate one.
        samples: Number of users.
        rounds: Reports of each.
        seed: Of everything that was drawn.
        findings: Events and what became of them, the best first.
        leakage: What an adversary gains.
        fits: Whether reports follow the declared law, family by family.
        power: The chance that the declared protocol at one and a half times its ε would have been found; where only an
            ε is claimed, a leak of that in any one report that is covered.
        covered: Which reports these are; None if a protocol is declared, or if there are too few.
        enough: About how many samples would do for a power of .95; None if these do.
        by_rounds: Leakage by number of rounds.
        server: What the audit of a server found, if one was asked for.
        notes: What else there is to know.
        reasons: Why a figure is None.
    """

    source: str
    spec: str | None
    domain_size: int
    watched: int
    verdict: Verdict
    claim: Claim
    reason: str
    epsilon_claimed: float
    epsilon_lower_bound: float
    confidence: float
    samples: int
    rounds: int
    seed: int
    findings: tuple[Finding, ...]
    leakage: Leakage
    fits: tuple[Fit, ...]
    power: float
    covered: Coverage | None
    enough: int | None
    by_rounds: tuple[Round, ...]
    server: Server | None
    notes: tuple[str, ...]
    reasons: Mapping[str, str]

    @property
    def event(self) -> str | None:
        """The event with the largest bound, in words."""
        return self.findings[0].words if self.findings else None

    def check(self) -> None:
        """Raise :class:`AuditViolation` if a claim is violated: for use in a test-suite."""
        if self.verdict == "violates":
            raise AuditViolation(self.reason)

    def to_json(self) -> dict[str, object]:
        """Return the result as JSON."""
        leakage: dict[str, object] = _interval("asr", self.leakage.asr)
        leakage |= {"prior_vulnerability": self.leakage.prior_vulnerability}
        leakage |= _interval("shannon_bits", self.leakage.shannon)
        if self.leakage.gain is not None:
            leakage |= {"gain": self.leakage.gain_words} | _interval("posterior_vulnerability", self.leakage.gain)
        return {
            "schema_version": SCHEMA_VERSION,
            "source": self.source,
            "spec": self.spec,
            "domain_size": self.domain_size,
            "watched": self.watched,
            "verdict": self.verdict,
            "claim": self.claim,
            "reason": self.reason,
            "epsilon_claimed": self.epsilon_claimed,
            "epsilon_lower_bound": self.epsilon_lower_bound,
            "confidence": self.confidence,
            "event": self.event,
            "samples": self.samples,
            "rounds": self.rounds,
            "seed": self.seed,
            "findings": [finding.to_json() for finding in self.findings],
            "leakage": leakage,
            "trade_off": {
                "points": [list(point) for point in self.leakage.trade_off],
                "band": self.leakage.trade_off_band,
            },
            "fit": [asdict(fit) for fit in self.fits],
            "power": self.power,
            "covered": None if self.covered is None else asdict(self.covered),
            "samples_enough": self.enough,
            "by_rounds": [line.to_json() for line in self.by_rounds],
            "estimator": None if self.server is None else self.server.to_json(),
            "notes": list(self.notes),
            "reasons": dict(self.reasons),
        }


class AuditViolation(QifldpError):  # noqa: N818  # what is raised is a finding
    """A client violates a claim."""


def _interval(name: str, bounds: MeanBounds) -> dict[str, object]:
    return {name: bounds.value, f"{name}_low": bounds.low, f"{name}_high": bounds.high}
