"""Shannon and Rényi information, and the Shannon capacity of any matrix with a certified gap."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.errors import ConvergenceError, InputError
from qifldp.leakage import blocks
from qifldp.leakage.capacity import min_entropy_capacity
from qifldp.leakage.source import Source, measured
from qifldp.leakage.vulnerability import hyper_of

BITS = 1 / math.log(2)

CAPACITY_GAP = 1e-9
"""Bits between the certified bounds of a Shannon capacity, unless another gap is asked for."""

MOST_ITERATIONS = 100_000


@dataclass(frozen=True)
class ShannonCapacity:
    """The Shannon capacity of a matrix between two bounds, in bits.

    Attributes:
        lower: The mutual information under ``prior``.
        upper: max_x D(C_x ‖ q), q the output distribution under ``prior``: no prior does better.
        prior: The prior that comes within ``upper − lower`` of the capacity.
        iterations: Blahut–Arimoto steps taken.
    """

    lower: float
    upper: float
    prior: Prior
    iterations: int

    @property
    def gap(self) -> float:
        """Upper − lower, in bits."""
        return self.upper - self.lower


def mutual_information(source: Source, prior: Prior | None = None) -> float:
    """Return I(X; Y) in bits under a prior (uniform by default).

    Computed as (1/k) Σ_y μ_y Σ_x φ(density − 1), φ(t) = (1 + t) ln(1 + t) − t, which has no cancellation.

    Raises:
        TooLargeError: If the prior is not uniform and the source is a profile too large to write out.
    """
    return blocks.sibson_nats(hyper_of(source, prior), 1) * BITS


def sibson_information(source: Source, order: float, prior: Prior | None = None) -> float:
    """Return Sibson's information of an order in (0, ∞] in bits.

        I_a = a/(a − 1) · log2 Σ_y (Σ_x π_x C[x, y]^a)^{1/a};   a = 1 is I(X; Y),  a = ∞ is log2 Σ_y max_x C[x, y]

    For the symmetric protocols and the uniform prior this is the Rényi capacity of that order.

    Raises:
        InputError: If the order is not positive.
    """
    if not order > 0:
        raise InputError.expected("order", "positive", order)
    if order == math.inf:
        found = measured(source)
        if prior is None or (prior.for_domain(found.domain_size) > 0).all():
            return min_entropy_capacity(found)
        hyper = hyper_of(found, prior)
        return math.log2(float(blocks.total(hyper, hyper.density.max(axis=1))))
    return blocks.sibson_nats(hyper_of(source, prior), order) * BITS


def shannon_capacity(source: Source, gap: float = CAPACITY_GAP) -> float:
    """Return the Shannon capacity max_π I(X; Y) in bits.

    For protocols and profiles, which are symmetric, the uniform prior is optimal and the value is exact to
    rounding. For a matrix it is within ``gap`` (see :func:`blahut_arimoto` for the bounds and the prior).

    Raises:
        ConvergenceError: If the gap is not reached.
    """
    found = measured(source)
    if not isinstance(found, Channel):
        return mutual_information(found)
    capacity = blahut_arimoto(found, gap)
    return (capacity.lower + capacity.upper) / 2


def blahut_arimoto(
    channel: Channel,
    gap: float = CAPACITY_GAP,
    *,
    most_iterations: int = MOST_ITERATIONS,
    progress: Callable[[float], None] | None = None,
) -> ShannonCapacity:
    """Return the Shannon capacity of a matrix with bounds that certify it.

    Blahut–Arimoto: π_x ← π_x · exp D(C_x ‖ q) / Z, q = πC. At every step I(π) ≤ capacity ≤ max_x D(C_x ‖ q).
    The bounds are computed in doubles (relative error about 1e-15).

    Args:
        channel: The matrix.
        gap: Bits between the bounds at which to stop.
        most_iterations: Steps after which to give up.
        progress: Called with the gap of each step.

    Raises:
        ConvergenceError: If the gap is still larger then; the message has both bounds.
    """
    matrix = channel.reduced().to_float().matrix
    k = matrix.shape[0]
    log_matrix = np.log(np.where(matrix > 0, matrix, 1.0))
    entropy = (matrix * log_matrix).sum(axis=1)
    prior = np.full(k, 1 / k)
    for iteration in range(1, most_iterations + 1):
        output = prior @ matrix
        divergence = entropy - matrix @ np.log(np.where(output > 0, output, 1.0))
        lower, upper = float(prior @ divergence) * BITS, float(divergence.max()) * BITS
        if progress is not None:
            progress(upper - lower)
        if upper - lower <= gap:
            return ShannonCapacity(max(lower, 0.0), max(upper, 0.0), Prior(prior, channel.inputs), iteration)
        prior = prior * np.exp(divergence - divergence.max())
        prior /= prior.sum()
    raise ConvergenceError(
        f"The Shannon capacity is between {lower:.12g} and {upper:.12g} bits after {most_iterations:,} steps; "
        f"a gap of {gap:g} was asked for."
    )
