"""Shannon and Rényi information, and the Shannon capacity of any matrix with a certified gap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

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

MOST_ITERATIONS = 2_000

MOST_NEWTON_STEPS = 2_000
"""Some five of them take the barrier a quarter down, and thirty such stages reach any gap a double can show."""

PLAIN_STEPS = 200
"""Blahut–Arimoto steps before the barrier takes over: most channels are done by then."""

INWARDS = 1e-3
"""Share of the uniform prior that is mixed in before the barrier, so that no secret has a weight of zero."""


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
    Where that is slow, Newton steps along a barrier follow; the bounds hold for any prior. They are computed in
    doubles, from terms that are not negative: as exact as the entries are.

    Args:
        channel: The matrix.
        gap: Bits between the bounds at which to stop.
        most_iterations: Steps after which to give up.
        progress: Called with the gap of each step.

    Raises:
        ConvergenceError: If the gap is still larger then; the message has both bounds.
    """
    matrix = channel.reduced().to_float().matrix
    prior = np.full(matrix.shape[0], 1 / matrix.shape[0])
    best = ShannonCapacity(0.0, math.inf, Prior(prior, channel.inputs), 0)
    for iteration, candidate in enumerate(islice(_candidates(matrix, prior, gap), most_iterations), 1):
        divergence = _divergences(matrix, candidate)
        lower, upper = float(candidate @ divergence) * BITS, float(divergence.max()) * BITS
        known = best.prior if lower < best.lower else Prior(candidate, channel.inputs)
        best = ShannonCapacity(max(best.lower, lower), min(best.upper, upper), known, iteration)
        if progress is not None:
            progress(best.gap)
        if best.gap <= gap:
            return best
    raise ConvergenceError(
        f"The Shannon capacity is between {best.lower:.12g} and {best.upper:.12g} bits after {best.iterations:,} "
        f"steps; a gap of {gap:g} was asked for."
    )


def _candidates(matrix: NDArray[np.float64], prior: NDArray[np.float64], gap: float) -> Iterator[NDArray[np.float64]]:
    """Yield better and better priors: Blahut–Arimoto steps first, then Newton steps along a logarithmic barrier.

    The barrier maximises I(π) + t Σ ln π_x. At its optimum the bounds are k·t apart (in nats), whether or not the
    best prior leaves secrets out, which is where Blahut–Arimoto steps become slow.
    """
    yield prior
    for _ in range(PLAIN_STEPS):
        divergence = _divergences(matrix, prior)
        weights = prior * np.exp(divergence - divergence.max())
        prior = weights / weights.sum()
        yield prior
    k = len(prior)
    prior = (1 - INWARDS) * prior + INWARDS / k
    barrier, last = 0.1 * float(_divergences(matrix, prior).max()) / k, gap / BITS / (4 * k)
    for _ in range(MOST_NEWTON_STEPS):
        prior, decrement = _newton_step(matrix, prior, barrier)
        if decrement < 0.1:
            yield prior
            if barrier <= last:
                return
            barrier = max(barrier / 4, last)


def _newton_step(
    matrix: NDArray[np.float64], prior: NDArray[np.float64], barrier: float
) -> tuple[NDArray[np.float64], float]:
    """Return the prior after a damped Newton step for I(π) + t Σ ln π_x on the simplex, and the Newton decrement."""
    k, output = len(prior), prior @ matrix
    gradient = _divergences(matrix, prior) + barrier / prior
    curvature = (matrix / output) @ matrix.T
    # In the scaled variable u = d/π the barrier's curvature is t·1, so that the system is never singular.
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = curvature * np.outer(prior, prior) + barrier * np.eye(k)
    system[:k, k] = system[k, :k] = prior
    slope = prior * (gradient - gradient.mean())
    scaled = np.linalg.solve(system, np.concatenate((slope, [0.0])))[:k]
    decrement = math.sqrt(max(0.0, float(scaled @ slope)) / barrier)
    step = 1 / (1 + decrement)
    reach = float(-scaled.min())
    if reach * step >= 0.99:
        step = 0.99 / reach
    moved = prior * (1 + step * scaled)
    return moved / moved.sum(), decrement


def _divergences(matrix: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return D(C_x ‖ q) in nats for each secret x, q = πC, as Σ_y q_y φ(C[x, y]/q_y − 1): every term ≥ 0."""
    output = prior @ matrix
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(output > 0, (matrix - output) / np.where(output > 0, output, 1.0), 0.0)
        logs = np.log1p(excess)
    return blocks.relative_entropy_terms(logs) @ output
