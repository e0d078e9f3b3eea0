"""One channel and one adversary: the figures behind ``qifldp leakage``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from qifldp.adversaries.gain import Gain
from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.errors import TooLargeError
from qifldp.leakage.measures import MEASURES, figure
from qifldp.leakage.sampling import check_simulation, estimate_posterior_vulnerability
from qifldp.leakage.vulnerability import (
    additive_leakage,
    max_case_leakage,
    max_case_posterior_vulnerability,
    max_case_prior_vulnerability,
    multiplicative_leakage,
    posterior_vulnerability,
    prior_vulnerability,
)
from qifldp.protocols.protocol import Protocol

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Leakage:
    """Every measure of one channel, and what one adversary gains from it.

    Attributes:
        spec: The protocol, or the file of the channel.
        domain_size: Number of values k.
        epsilon: The ε that is claimed, None for a bare channel.
        measures: Figures by the keys of MEASURES; None where infinite.
        adversary: What the adversary knows and wants, and what that is worth before and after a report.
        reasons: Why a figure is None.
    """

    spec: str
    domain_size: int
    epsilon: float | None
    measures: dict[str, float | None]
    adversary: dict[str, object]
    reasons: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return the figures as JSON, without NaN or infinity."""
        head = {
            "schema_version": SCHEMA_VERSION,
            "spec": self.spec,
            "domain_size": self.domain_size,
            "epsilon": self.epsilon,
        }
        reasons = {"reasons": self.reasons} if self.reasons else {}
        return head | self.measures | {"adversary": self.adversary} | reasons


def measure(
    source: Protocol | Channel,
    *,
    spec: str,
    prior: Prior,
    gain: Gain,
    prior_description: dict[str, object],
    samples: int,
    confidence: float,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None = None,
) -> Leakage:
    """Measure one channel, and one adversary on it: exactly where there is a way, else by simulation.

    Args:
        source: A protocol or a matrix.
        spec: Its name in the result.
        prior: What the adversary knows.
        gain: What they want.
        prior_description: How the prior was made.
        samples: Simulated reports, if simulation is needed.
        confidence: Confidence of the interval, if simulation is needed.
        rng: Randomness of the simulation.
        progress: Called with (reports done, reports in all).

    Raises:
        InputError: If prior or gain do not fit the domain.
    """
    check_simulation(samples, confidence)
    reasons: dict[str, str] = {}
    measures = {}
    for entry in MEASURES:
        measures[entry.key], why = figure(entry, source)
        if why:
            reasons[entry.key] = why
    prior.for_domain(source.domain_size)
    before = float(prior_vulnerability(prior, gain))
    adversary: dict[str, object] = {
        "prior": prior_description,
        "gain": gain.describe(),
        "prior_vulnerability": before,
    }
    try:
        adversary |= {
            "posterior_vulnerability": float(posterior_vulnerability(source, prior, gain)),
            "additive_leakage": float(additive_leakage(source, prior, gain)),
            "method": "exact",
        }
        ratio = float(multiplicative_leakage(source, prior, gain)) if before else None
    except TooLargeError:
        found = estimate_posterior_vulnerability(
            source,
            prior,
            gain,
            rng=rng,
            samples=samples,
            confidence=confidence,
            progress=progress,
        )
        adversary |= {
            "posterior_vulnerability": found.value,
            "posterior_vulnerability_low": found.low,
            "posterior_vulnerability_high": found.high,
            "additive_leakage": found.value - before,
            "method": "simulation",
            "confidence": found.confidence,
            "samples": found.samples,
        }
        ratio = found.value / before if before else None
    worst = float(max_case_posterior_vulnerability(source, prior, gain))
    adversary |= {
        "multiplicative_leakage": ratio,
        "max_case_prior_vulnerability": float(max_case_prior_vulnerability(prior, gain)),
        "max_case_posterior_vulnerability": worst,
        "max_case_leakage": float(max_case_leakage(source, prior, gain)) if worst else None,
    }
    for key in ("multiplicative_leakage", "max_case_leakage"):
        if adversary[key] is None:
            reasons[key] = "the adversary gains nothing before the report, so there is no ratio"
    epsilon = source.epsilon if isinstance(source, Protocol) else None
    if epsilon is None:
        reasons["epsilon"] = "a bare channel claims no budget"
    return Leakage(spec, source.domain_size, epsilon, measures, adversary, reasons)
