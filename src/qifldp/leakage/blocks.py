"""Symmetric measures as functions of a hyper's blocks, each written once for matrices and for profiles."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import exprel

from qifldp.channels.hyper import Hyper, Numbers
from qifldp.leakage.source import Real

SERIES_BELOW = 0.5
"""Below this |ln density| (times the order, if above one) the Taylor series is used: it has no cancellation."""

SERIES_TERMS = 20
"""0.5^20/20! ≈ 4e-25: the series is exact to a double."""

OVERFLOW_ABOVE = 600.0
"""Above this exponent density^order is taken in log space only (e^709 is the last double)."""


def total(hyper: Hyper, values: Numbers) -> Real:
    """Return Σ_y outer[y] · values[y]."""
    terms = hyper.outer * values
    return terms.sum() if terms.dtype == object else float(np.sum(terms))


def guesses_excess(hyper: Hyper, tries: int) -> Real:
    """Return V_t − t/k under the uniform prior: what t guesses gain over guessing blindly.

    Sums the excess of the t likeliest secrets, or minus that of the others, whichever cancels less.
    """
    order = np.argsort(-hyper.density, axis=1, kind="stable")
    excess = np.take_along_axis(hyper.excess, order, axis=1)
    count = np.take_along_axis(hyper.multiplicity, order, axis=1)
    before = np.cumsum(count, axis=1) - count
    chosen = np.clip(tries - before, 0, count)
    inside, outside = chosen * excess, (chosen - count) * excess
    cheaper = np.abs(inside).sum(axis=1) <= np.abs(outside).sum(axis=1)
    best = np.where(cheaper, inside.sum(axis=1), outside.sum(axis=1))
    return total(hyper, best * hyper.prior[0])


def guessing_entropy(hyper: Hyper) -> Real:
    """Return E_y Σ_i i · p_(i)(y): the expected number of guesses, the likeliest first, until one is right."""
    posterior = hyper.posterior
    order = np.argsort(-posterior, axis=1, kind="stable")
    posterior = np.take_along_axis(posterior, order, axis=1)
    count = np.take_along_axis(hyper.multiplicity, order, axis=1)
    before = np.cumsum(count, axis=1) - count
    ranks = count * before + count * (count + 1) // 2
    return total(hyper, (posterior * ranks).sum(axis=1))


def sibson_nats(hyper: Hyper, order: float) -> float:
    """Return Sibson's information of an order a in (0, ∞), in nats; a = 1 is mutual information.

        I_a = a/(a − 1) · ln Σ_y outer[y] · (Σ_x π_x · density[y, x]^a)^{1/a}

    With c = a − 1 and ℓ = ln density, Σ π (d^a − 1) = c · Σ π K(ℓ), K(ℓ) = ℓ e^ℓ (e^{cℓ} − 1)/(cℓ) − (e^ℓ − 1),
    since Σ π (d − 1) = 0. K has no pole at a = 1, where it is d ln d − d + 1, and no cancellation near ℓ = 0.
    """
    c = order - 1
    logs = hyper.log_density
    weight = hyper.prior.astype(np.float64) * hyper.multiplicity
    with np.errstate(over="ignore", invalid="ignore"):
        mean = (weight * _kernel(logs, order)).sum(axis=1)
    if c == 0:
        return float(np.sum(hyper.float_outer * mean))
    largest = np.where(weight > 0, logs, -np.inf).max(axis=1)
    direct = order * largest > OVERFLOW_ABOVE
    log_mean = np.log1p(np.where(direct, 0.0, c * mean))
    if direct.any():
        with np.errstate(divide="ignore"):
            tilted = np.log(weight[direct]) + order * logs[direct]
        top = tilted.max(axis=1, keepdims=True)
        log_mean[direct] = np.log(np.exp(tilted - top).sum(axis=1)) + top[:, 0]
    return order / c * math.log1p(float(np.sum(hyper.float_outer * np.expm1(log_mean / order))))


def _kernel(logs: NDArray[np.float64], order: float) -> NDArray[np.float64]:
    """Return K(ℓ) = ℓ e^ℓ (e^{cℓ} − 1)/(cℓ) − (e^ℓ − 1), c = a − 1, elementwise; 1 at ℓ = −∞."""
    c = order - 1
    near = np.abs(logs) * max(order, 1.0) < SERIES_BELOW
    x = np.where(near, logs, 0.0)
    # K = Σ_{n≥2} a(1 + a + … + a^{n−2}) ℓ^n/n!
    series, term, powers, geometric = np.zeros_like(x), x.copy(), 1.0, 0.0
    for n in range(2, SERIES_TERMS + 1):
        term = term * x / n
        geometric, powers = geometric + powers, powers * order
        series += order * geometric * term
    with np.errstate(invalid="ignore", over="ignore"):
        far = logs * np.exp(logs) * exprel(c * logs) - np.expm1(logs)
    far = np.where(np.isneginf(logs), 1.0, far)
    return np.where(near, series, far)


def relative_entropy_terms(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return φ = e^ℓ ℓ − (e^ℓ − 1) ≥ 0 for log densities ℓ, without cancellation; 1 at ℓ = −∞."""
    return _kernel(logs, 1.0)


def information_per_report(hyper: Hyper) -> Real:
    """Return Fisher information per report about each frequency, at the uniform point, uniform prior.

    I = k/(k − 1)² · Σ_y outer[y] Σ_x excess[y, x]²
    """
    k = int(hyper.multiplicity[0].sum())
    squares = (hyper.multiplicity * hyper.excess * hyper.excess).sum(axis=1)
    return total(hyper, squares) * k / (k - 1) ** 2
