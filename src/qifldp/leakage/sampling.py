"""Vulnerability by simulation, for adversaries without a closed form on domains too large to write out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.adversaries.gain import Gain, bayes
from qifldp.adversaries.prior import Prior
from qifldp.channels.profile import Profile
from qifldp.errors import InputError
from qifldp.leakage.source import Source, measured
from qifldp.leakage.vulnerability import prior_vulnerability

BATCH_CELLS = 1 << 22
"""Reports times secrets that are drawn at once (32 MiB)."""

FEWEST_SAMPLES = 100
"""Below this the interval is wider than the gains themselves."""

MOST_SAMPLES = 10**8
"""Gains that are kept in memory at most (800 MB)."""


@dataclass(frozen=True)
class EstimatedVulnerability:
    """A posterior vulnerability estimated by simulation.

    Attributes:
        value: The mean over the simulated reports, or the prior's vulnerability if that is more.
        low: Lower end of the confidence interval.
        high: Upper end of the confidence interval.
        confidence: Probability, at least, with which such an interval holds the truth.
        samples: Number of simulated reports.
    """

    value: float
    low: float
    high: float
    confidence: float
    samples: int


def estimate_posterior_vulnerability(
    source: Source,
    prior: Prior | None = None,
    gain: Gain | None = None,
    *,
    rng: np.random.Generator,
    samples: int = 100_000,
    confidence: float = 0.99,
    progress: Callable[[int, int], None] | None = None,
) -> EstimatedVulnerability:
    """Estimate V_g(π, C) of a profile for any prior and any gain function, by simulating reports.

    Draws x ~ π, a size w ~ μ (which does not depend on x), whether x ∈ S, and the other members uniformly;
    the adversary plays the best action against the posterior of S. The interval is the empirical Bernstein
    bound (Maurer and Pontil, 2009, Theorem 4, each side at half the error), valid for every sample size; it
    uses that gains lie between the prior's vulnerability-free 0 and max g.

    Args:
        source: A protocol or a profile.
        prior: The adversary's prior, uniform by default.
        gain: What they want, by default to guess the secret in one try.
        rng: Source of randomness.
        samples: Number of simulated reports, from 100 to a hundred million.
        confidence: Of the interval, between 0 and 1.
        progress: Called with (reports done, reports in all).

    Raises:
        InputError: If the source is a matrix (compute it exactly), or an argument is out of range.
    """
    profile = measured(source)
    if not isinstance(profile, Profile):
        raise InputError("Only profiles are simulated: use posterior_vulnerability, which is exact, for this source.")
    check_simulation(samples, confidence)
    k = profile.domain_size
    wanted = bayes() if gain is None else gain
    wanted.check(k)
    known = prior or Prior.uniform(k)
    weights = known.for_domain(k).astype(np.float64)
    batch = max(1, min(int(samples), BATCH_CELLS // k))
    gains = np.empty(int(samples))
    for start in range(0, int(samples), batch):
        count = min(batch, int(samples) - start)
        gains[start : start + count] = wanted.best(_posteriors(profile, weights, count, rng))
        if progress is not None:
            progress(start + count, int(samples))
    largest = float(wanted.peak(k).max())
    floor = float(prior_vulnerability(known, wanted))
    mean = float(gains.mean())
    margin = _bernstein_margin(gains, largest, (1 - confidence) / 2)
    # A report cannot hurt (V ≥ V of the prior), and no action gains more than max g.
    low, value, high = (min(max(figure, floor), largest) for figure in (mean - margin, mean, mean + margin))
    return EstimatedVulnerability(value, low, high, confidence, int(samples))


def check_simulation(samples: int, confidence: float) -> None:
    """Raise InputError unless these can be the reports and the confidence of a simulation."""
    whole = isinstance(samples, int | np.integer) and not isinstance(samples, bool)
    if not whole or not FEWEST_SAMPLES <= samples <= MOST_SAMPLES:
        raise InputError.expected("samples", f"a whole number from {FEWEST_SAMPLES} to {MOST_SAMPLES:,}", samples)
    if not 0 < confidence < 1:
        raise InputError.expected("confidence", "between 0 and 1", confidence)


def _posteriors(
    profile: Profile, weights: NDArray[np.float64], count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the posteriors of ``count`` simulated reports, shape (count, k)."""
    k = profile.domain_size
    masses = np.exp(profile.log_mass)
    rows = rng.choice(len(masses), size=count, p=masses / masses.sum())
    sizes = profile.sizes[rows]
    secrets = rng.choice(k, size=count, p=weights)
    inside = rng.random(count) < sizes / k * np.exp(profile.log_density[rows, 0])
    others = _random_subsets(k - 1, sizes - inside, rng)
    members = np.empty((count, k), dtype=bool)
    columns = np.arange(k - 1)[None, :]
    shifted = columns + (columns >= secrets[:, None])  # the other secrets, the true one left out
    np.put_along_axis(members, shifted, others, axis=1)
    members[np.arange(count), secrets] = inside
    posteriors = np.where(members, 1.0, math.exp(-profile.log_ratio)) * weights
    total: NDArray[np.float64] = posteriors / posteriors.sum(axis=1, keepdims=True)
    return total


def _random_subsets(population: int, sizes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return uniform subsets of given sizes, a row each, shape (len(sizes), population)."""
    ranks = rng.permuted(np.broadcast_to(np.arange(population), (len(sizes), population)), axis=1)
    return ranks < sizes[:, None]


def _bernstein_margin(gains: NDArray[np.float64], largest: float, error: float) -> float:
    n = len(gains)
    log = math.log(2 / error)
    return math.sqrt(2 * float(gains.var(ddof=1)) * log / n) + 7 * largest * log / (3 * (n - 1))
