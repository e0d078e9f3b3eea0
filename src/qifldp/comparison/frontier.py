"""What any ε-LDP protocol could reach: the most that reports tell about frequencies at a given chance of a right guess.

Every ε-LDP channel, made symmetric by a public random relabelling of the values, is a garbling of a public mixture of
subset selections SS_w at ρ = e^ε. Both figures are means over the mixture,

    c_w = kρ/(wρ + k − w)                                   Bayes capacity (k times the chance of a right guess)
    I_w = k² w(k − w)(ρ − 1)²/((k − 1)² (wρ + k − w)²)      information per report, near uniform frequencies

so that the most information at capacity at most c is F(c), the upper concave envelope of (1, 0), which is silence, and
the points (c_w, I_w), as far as it rises. A point of it is a mixture of at most two of them.

Among all channels, not only mixtures: a column of an ε-LDP channel is a positive vector v with max v ≤ ρ min v; I is a
sum over columns of a convex, homogeneous function of v, and while the largest entry of v is in a given place capacity
is linear in v. So the best columns are corners of that cone, and those have two values only, in the ratio ρ.

Source: docs/explanation/theory.md, "The frontier".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qifldp.channels.profile import check_domain_size
from qifldp.errors import InputError
from qifldp.exact.budget import Budget

Floats = NDArray[np.float64]

SMALL = 1e-4
"""Below this the bits are a series of two terms: the third is 1e-8 of the first, and so is what cancels above."""


@dataclass(frozen=True)
class Mixture:
    """A public mixture of at most two subset selections and silence, at the ε of the frontier.

    Attributes:
        parts: Pairs (ω, weight) with positive weights, increasing in ω; ω = 0 is silence.
    """

    parts: tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Frontier:
    """The exact frontier of all ε-LDP protocols over k values.

    Attributes:
        domain_size: Number of values k.
        epsilon: ε in nats.
        sizes: Set sizes ω of the corners, from silence (0) to the top, shape (m,).
        excess: Bayes capacity − 1 of the corners, increasing, from 0, shape (m,).
        information: I of the corners, increasing, from 0, shape (m,).
        lost: I∞ − I of the corners, without cancellation, I∞ = k²/(k − 1), shape (m,).
    """

    domain_size: int
    epsilon: float
    sizes: NDArray[np.int64]
    excess: Floats
    information: Floats
    lost: Floats

    def mixture(self, asr: float) -> Mixture:
        """Return the protocol that tells most about frequencies with at most this chance of a right guess.

        Raises:
            InputError: If the chance is below that of a blind guess.
        """
        k = self.domain_size
        if not 1 / k <= asr <= 1:
            raise InputError.expected("The chance of a right guess", f"from 1/{k} to 1", asr)
        return _between(self.sizes, self.excess, k * asr - 1)

    def mixture_of_error(self, standard_error: float, n: int) -> Mixture | None:
        """Return the protocol of the least chance of a right guess with at most this error; None if there is none.

        Args:
            standard_error: Of a frequency near 1/k, about the data, of the size-weighted estimate.
            n: Number of reports.
        """
        # n·se² = 1/I − 1/I∞
        most = self.domain_size**2 / (self.domain_size - 1)
        wanted = 1 / (n * standard_error**2 + 1 / most)
        return None if wanted > self.information[-1] else _between(self.sizes, self.information, wanted)

    def information_at(self, excess: float) -> float:
        """Return F: the most information at a Bayes capacity of at most 1 + excess."""
        return float(np.interp(excess, self.excess, self.information))

    def share(self, excess: float, information: float) -> float:
        """Return how much of the frontier's information a protocol has, at its own Bayes capacity 1 + excess."""
        best = self.information_at(excess)
        return information / best if best > 0 else 1.0

    def points(self, n: int, count: int = 200) -> tuple[Floats, Floats]:
        """Return chances of a right guess, and the least standard error at each, with every corner among them.

        Silence, whose error has no bound, is left out.
        """
        k, top = self.domain_size, float(self.excess[-1])
        excess = np.union1d(np.geomspace(top * 1e-3, top, count), self.excess[1:])
        information, lost = (np.interp(excess, self.excess, figures) for figures in (self.information, self.lost))
        return (1 + excess) / k, np.sqrt(lost / (information * (k**2 / (k - 1))) / n)


def frontier(domain_size: int, budget: Budget | float | str | Fraction) -> Frontier:
    """Return the frontier of all ε-LDP protocols over k values.

    Args:
        domain_size: Number of values k.
        budget: ε.

    Raises:
        InputError: If either is out of range.
    """
    k = check_domain_size(domain_size)
    asked = Budget.read(budget)
    w, figures = _selections(k, asked)
    kept = _corners(figures.excess, figures.information)
    return Frontier(
        k,
        asked.epsilon,
        np.concatenate(([0], w[kept])).astype(np.int64),
        np.concatenate(([0.0], figures.excess[kept])),
        np.concatenate(([0.0], figures.information[kept])),
        np.concatenate(([k**2 / (k - 1)], figures.lost[kept])),
    )


@dataclass(frozen=True, eq=False)
class _Figures:
    """Figures of SS_w for w = k − 1, …, 1: all of them increase, but for the information, and for what it lacks."""

    excess: Floats
    bits: Floats
    information: Floats
    lost: Floats


def _selections(k: int, budget: Budget) -> tuple[Floats, _Figures]:
    """Return the sizes w = k − 1, …, 1 and the figures of SS_w, in log space."""
    epsilon = budget.epsilon
    w = np.arange(k - 1, 0, -1, dtype=np.float64)  # from the least capacity to the largest
    inside, outside = np.log(w) + epsilon, np.log(k - w)
    total = np.logaddexp(inside, outside)  # ln(wρ + k − w)
    growth = epsilon + math.log(-math.expm1(-epsilon))  # ln(ρ − 1)
    excess = np.exp(outside + growth - total)
    less = np.exp(np.log(w) + growth - total)  # 1 − kβ
    # Σ δ ln kδ; ln kα = ln(1 + excess), ln kβ = ln(1 − less): both small at small ε, where their sum is of second order
    member, other = np.exp(inside - total), np.exp(outside - total)
    nats = np.maximum(member * np.log1p(excess) + other * (math.log(k) - total), 0.0)
    small = np.maximum(excess, less) < SMALL
    series = (w * excess**2 + (k - w) * less**2) / (2 * k) - (w * excess**3 - (k - w) * less**3) / (6 * k)
    information = np.exp(2 * math.log(k / (k - 1)) + np.log(w) + outside + 2 * growth - 2 * total)
    alpha, beta = np.exp(epsilon - total), np.exp(-total)
    unequal = w * (w - 1) * alpha**2 + 2 * w * (k - w) * alpha * beta + (k - w) * (k - w - 1) * beta**2
    bits = np.where(small, series, nats) / math.log(2)
    return w, _Figures(excess, bits, information, unequal * k**3 / (k - 1) ** 2)


def _corners(excess: Floats, information: Floats) -> NDArray[np.int64]:
    """Return which points, increasing in x, are corners of their upper concave envelope with (0, 0), where it rises."""
    x, y = excess / excess[-1], information / information.max()
    kept: list[int] = []
    for place in range(int(np.argmax(y)) + 1):
        while kept:
            last = kept[-1]
            x0, y0 = (x[kept[-2]], y[kept[-2]]) if len(kept) > 1 else (0.0, 0.0)
            if (y[last] - y0) * (x[place] - x0) > (y[place] - y0) * (x[last] - x0):
                break
            kept.pop()
        kept.append(place)
    return np.array(kept)


def _between(sizes: NDArray[np.int64], figures: Floats, value: float) -> Mixture:
    """Return the mixture of two neighbouring corners whose mean figure is a value; the last corner beyond it."""
    above = int(np.searchsorted(figures, value))
    if above == len(figures):
        return Mixture(((int(sizes[-1]), 1.0),))
    share = 1.0 if above == 0 else float((value - figures[above - 1]) / (figures[above] - figures[above - 1]))
    parts = [(int(sizes[above]), share)]
    if share < 1:
        parts.append((int(sizes[above - 1]), 1 - share))
    return Mixture(tuple(sorted((size, weight) for size, weight in parts if weight > 0)))


def mixture_of_bits(domain_size: int, budget: Budget | float | str | Fraction, bits: float) -> Mixture:
    """Return the mixture of subset selections and silence that tells most about frequencies in so many bits.

    Bits (Shannon capacity) are a mean over the mixture too. It is the best of these mixtures; that no other ε-LDP
    protocol does better in so many bits is not shown.
    """
    k = check_domain_size(domain_size)
    w, figures = _selections(k, Budget.read(budget))
    kept = _corners(figures.bits, figures.information)
    corners = np.concatenate(([0], w[kept])).astype(np.int64)
    return _between(corners, np.concatenate(([0.0], figures.bits[kept])), bits)
