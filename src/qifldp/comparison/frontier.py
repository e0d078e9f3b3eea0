"""What any ε-LDP protocol could reach: the most that reports tell about frequencies at a given chance of a right guess.

Every ε-LDP channel, made symmetric by a public random relabelling of the values, is a garbling of a public mixture of
subset selections SS_w at ρ = e^ε. Both figures are means over the mixture,

    c_w = kρ/(wρ + k − w)                                   Bayes capacity (k times the chance of a right guess)
    I_w = k² w(k − w)(ρ − 1)²/((k − 1)² (wρ + k − w)²)      information per report, near uniform frequencies

so that the most information at capacity at most c is F(c), the upper concave envelope of (1, 0), which is silence, and
the points (c_w, I_w), as far as it rises. A point of it is a mixture of at most two of them. All those points are
corners of it: they lie on a parabola, I = k²/(k − 1)² · (c − 1)(1 − c/ρ).

Among all channels, not only mixtures: a column of an ε-LDP channel is a positive vector v with max v ≤ ρ min v; I is a
sum over columns of a convex, homogeneous function of v, and while the largest entry of v is in a given place capacity
is linear in v. So the best columns are corners of that cone, and those have two values only, in the ratio ρ.

Source: docs/explanation/theory.md, "The frontier".
"""

from __future__ import annotations

import itertools
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

SIZES = 1_000
"""Sizes of sets that are tried for a limit on bits: at a million values each is 1.4 % from the next."""

WITHIN, NARROW = 2e-4, 1e-6
"""How near a drawn frontier is: to 0.02 % of the error, or to a millionth of the excess (Bayes capacity − 1).

The first is half a pixel on the flattest charts, of an error that varies by 16 % along 380 pixels; the second less than
that where a chart is wider than a thousandth of its leakage. Next to the top the error may fall by many powers of ten
within it.
"""

LEAST_DRAWN = 1e-3
"""Of the largest excess, where a drawn frontier begins: the error is thirty times that of the top, and more."""

FEW = 100
"""Corners up to which all of them are points of a drawn frontier."""

GRID_POINTS, GRID_RANGE = 48, 1_000
"""Budgets that are tried for a limit on bits: in ratios of 1.16, down to a thousandth of the largest."""


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
        missed: The chance of a wrong guess at the corners, without cancellation, falling from 1 − 1/k, shape (m,).
        information: I of the corners, increasing, from 0, shape (m,).
        lost: I∞ − I of the corners, without cancellation, I∞ = k²/(k − 1), shape (m,).
    """

    domain_size: int
    epsilon: float
    sizes: NDArray[np.int64]
    excess: Floats
    missed: Floats
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
        wanted = information_wanted(self.domain_size, standard_error, n)
        return None if wanted > self.information[-1] else _between(self.sizes, self.information, wanted)

    def information_at(self, excess: float) -> float:
        """Return F: the most information at a Bayes capacity of at most 1 + excess."""
        return float(np.interp(excess, self.excess, self.information))

    def share(self, excess: float, information: float) -> float:
        """Return how much of the frontier's information a protocol has, at its own Bayes capacity 1 + excess."""
        best = self.information_at(excess)
        return information / best if best > 0 else 1.0

    def least_error(self, excess: float, missed: float, n: int) -> float:
        """Return the least standard error at a chance of a right guess: sqrt((1/I − 1/I∞)/n), infinite for silence.

        Args:
            excess: The Bayes capacity − 1.
            missed: The chance of a wrong guess, (k − 1 − excess)/k: near zero it is what tells leakages apart.
            n: Number of reports.
        """
        lost = np.interp([missed], self.missed[::-1], self.lost[::-1])
        return float(_errors(self.domain_size, np.array([self.information_at(excess)]), lost, n)[0])

    def points(self, n: int) -> tuple[Floats, Floats]:
        """Return chances of a right guess and the least standard error at each, for a line that is straight between.

        On a linear axis of the chance and a logarithmic one of the error, the line is within ``WITHIN`` of the least
        error, relative to it; where a step is steeper than that allows it is narrower than ``NARROW``, relative to the
        excess. It begins at ``LEAST_DRAWN`` of the largest excess, as silence has no bound on its error; where there
        are at most ``FEW`` corners all of them from there on are points.

        Half of ``WITHIN`` is for the steps: between two corners I is linear in the excess and I∞ − I too, so that
        f = ln error = ½ ln (I∞ − I) − ½ ln I has |f″| ≤ ½ (I′/min(I, I∞ − I))², and the chord of a step in which
        neither grows by more than a factor 1 + r is within r²/16 of f. The other half is for points left out.
        """
        k, tolerance = self.domain_size, WITHIN / 2
        growth = 1 + 4 * math.sqrt(tolerance)
        start = LEAST_DRAWN * self.excess[-1]
        excess = np.union1d(start, self.excess[self.excess > start])
        while True:
            information, lost = (np.interp(excess, self.excess, figures) for figures in (self.information, self.lost))
            steep = (information[1:] > growth * information[:-1]) | (lost[:-1] > growth * lost[1:])
            steep &= np.diff(excess) > NARROW * excess[:-1]
            if not steep.any():
                break
            excess = np.sort(np.concatenate((excess, (excess[:-1][steep] + excess[1:][steep]) / 2)))
        errors = _errors(k, information, lost, n)
        corners = np.isin(excess, self.excess) if len(self.excess) <= FEW else np.zeros(len(excess), dtype=bool)
        kept = _bends(excess, np.log(errors), corners, tolerance)
        return (1 + excess[kept]) / k, errors[kept]


def _errors(k: int, information: Floats, lost: Floats, n: int) -> Floats:
    """Return sqrt((1/I − 1/I∞)/n) from I and I∞ − I, without cancellation."""
    with np.errstate(divide="ignore"):
        found: Floats = np.sqrt(lost / (information * (k**2 / (k - 1))) / n)
    return found


def _bends(x: Floats, y: Floats, wanted: NDArray[np.bool_], tolerance: float) -> NDArray[np.int64]:
    """Return which points of a line to keep, the wanted ones and both ends among them, to stay within a tolerance.

    Where a chord is further than that from a point, up or down, the line is split at the furthest one, unless the chord
    is narrow. Source: Douglas and Peucker (1973), with the distances along y.
    """
    kept = {0, len(x) - 1, *np.flatnonzero(wanted).tolist()}
    steps = list(itertools.pairwise(sorted(kept)))
    while steps:
        first, last = steps.pop()
        if last - first < 2 or x[last] - x[first] <= NARROW * x[first]:
            continue
        inside = slice(first + 1, last)
        chord = y[first] + (y[last] - y[first]) * ((x[inside] - x[first]) / (x[last] - x[first]))
        away = np.abs(chord - y[inside])
        split = first + 1 + int(np.argmax(away))
        if away[split - first - 1] > tolerance:
            kept.add(split)
            steps += [(first, split), (split, last)]
    return np.array(sorted(kept))


def information_wanted(domain_size: int, standard_error: float, n: int) -> float:
    """Return the information per report of a standard error of the size-weighted estimate: n·se² = 1/I − 1/I∞."""
    k = domain_size
    return 1 / (n * standard_error * standard_error + (k - 1) / k**2)


def frontier(domain_size: int, budget: Budget | float | str | Fraction, *, largest_size: int | None = None) -> Frontier:
    """Return the frontier of all ε-LDP protocols over k values.

    Args:
        domain_size: Number of values k.
        budget: ε.
        largest_size: If given, only of the mixtures of subset selections with sets of at most this size, from 1 to
            k − 1; of all of these it is the frontier then.

    Raises:
        InputError: If a number is out of range.
    """
    k = check_domain_size(domain_size)
    asked = Budget.read(budget)
    w, figures = _selections(k, asked, largest_size)
    top = int(np.argmax(figures.information)) + 1
    rising, before = figures.information[:top], np.zeros(top)
    before[1:] = np.maximum.accumulate(rising)[:-1]
    kept = np.flatnonzero(rising > before)  # all of them, but for rounding near the top
    return Frontier(
        k,
        asked.epsilon,
        np.concatenate(([0], w[kept])).astype(np.int64),
        np.concatenate(([0.0], figures.excess[kept])),
        np.concatenate(([1 - 1 / k], figures.missed[kept])),
        np.concatenate(([0.0], figures.information[kept])),
        np.concatenate(([k**2 / (k - 1)], figures.lost[kept])),
    )


@dataclass(frozen=True, eq=False)
class _Figures:
    """Figures of SS_w for falling w. The excess increases; bits and information do so at first only."""

    excess: Floats
    missed: Floats
    bits: Floats
    information: Floats
    lost: Floats


def _selections(k: int, budget: Budget, largest_size: int | None = None) -> tuple[Floats, _Figures]:
    """Return the sizes w = k − 1, …, 1, or from the largest allowed, and the figures of SS_w, in log space."""
    epsilon, first = budget.epsilon, k - 1 if largest_size is None else largest_size
    if not 1 <= first < k:
        raise InputError.expected("The largest size of a set", f"from 1 to {k - 1}", first)
    return _selections_of(np.arange(first, 0, -1, dtype=np.float64), k, epsilon)


def _selections_of(w: Floats, k: int, epsilon: float) -> tuple[Floats, _Figures]:
    """Return sizes, and the figures of SS_w for them, in log space."""
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
    missed = other + (w - 1) * alpha
    return w, _Figures(excess, missed, bits, information, unequal * k**3 / (k - 1) ** 2)


def _corners(x: Floats, y: Floats) -> list[int]:
    """Return which points, from left to right, are corners of their upper concave envelope with (0, 0), as it rises."""
    kept: list[int] = []
    across, up = (x / x.max()).tolist(), (y / y.max()).tolist()  # floats of Python's own: a million steps in a second
    for place in np.lexsort((y, x)).tolist():
        if up[place] <= (up[kept[-1]] if kept else 0.0):
            continue
        while kept:
            last = kept[-1]
            x0, y0 = (across[kept[-2]], up[kept[-2]]) if len(kept) > 1 else (0.0, 0.0)
            if (up[last] - y0) * (across[place] - x0) > (up[place] - y0) * (across[last] - x0):
                break
            kept.pop()
        kept.append(place)
    return kept


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


def mixture_of_bits(
    domain_size: int, budget: Budget | float | str | Fraction, bits: float, *, largest_size: int | None = None
) -> Mixture:
    """Return the mixture of subset selections and silence that tells most about frequencies in so many bits.

    Bits (Shannon capacity) are a mean over the mixture too. It is the best of these mixtures at this ε; another ε-LDP
    protocol, such as one of these mixtures at a smaller ε, may do better (:func:`best_epsilon_of_bits`).

    Args:
        domain_size: Number of values k.
        budget: ε.
        bits: The most bits.
        largest_size: Of the sets, if it is limited.

    Raises:
        InputError: If a number is out of range.
    """
    k = check_domain_size(domain_size)
    w, figures = _selections(k, Budget.read(budget), largest_size)
    corners, reached, _ = _of_bits(w, figures)
    return _between(corners, reached, bits)


def best_epsilon_of_bits(
    domain_size: int, largest: Budget | float | str | Fraction, bits: float, *, largest_size: int | None = None
) -> float:
    """Return the ε up to a largest one at which the mixtures of subset selections tell most in so many bits.

    Found on a grid of budgets, and then between two of its points. In large domains not every size of sets is tried:
    those of SIZES, in equal ratios, come within 1e-5 of the information of all.

    Args:
        domain_size: Number of values k.
        largest: The largest ε.
        bits: The most bits.
        largest_size: Of the sets, if it is limited.
    """
    from scipy.optimize import minimize_scalar  # noqa: PLC0415  # a quarter of the time that importing qifldp would take

    k, cap = check_domain_size(domain_size), Budget.read(largest).epsilon
    first = k - 1 if largest_size is None else largest_size
    w = (
        np.unique(np.rint(np.geomspace(1, first, min(first, SIZES))))[::-1]
        if first > SIZES
        else np.arange(first, 0.0, -1)
    )

    def lacking(log_epsilon: float) -> float:
        _, reached, information = _of_bits(*_selections_of(w, k, math.exp(log_epsilon)))
        return -float(np.interp(bits, reached, information))

    grid = np.linspace(math.log(cap / GRID_RANGE), math.log(cap), GRID_POINTS)
    at = int(np.argmin([lacking(point) for point in grid]))
    ends = grid[max(at - 1, 0)], grid[min(at + 1, GRID_POINTS - 1)]
    between = minimize_scalar(lacking, bounds=ends, method="bounded", options={"xatol": 1e-5})
    return min(cap, math.exp(between.x if between.fun < lacking(grid[at]) else grid[at]))


def _of_bits(w: Floats, figures: _Figures) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return sizes, bits and information of the corners of most information over bits, silence first."""
    kept = _corners(figures.bits, figures.information)
    corners = np.concatenate(([0], w[kept])).astype(np.int64)
    return corners, np.concatenate(([0.0], figures.bits[kept])), np.concatenate(([0.0], figures.information[kept]))


def best_selection(
    domain_size: int,
    budget: Budget | float | str | Fraction,
    largest_size: int,
    *,
    excess: float = math.inf,
    bits: float = math.inf,
    information: float = 0.0,
) -> int | None:
    """Return the size of the best single subset selection within limits; None if there is none.

    It is the one of most information, or the one of least capacity where there is a limit on the information.

    Args:
        domain_size: Number of values k.
        budget: ε.
        largest_size: The largest size of its sets.
        excess: The largest Bayes capacity − 1.
        bits: The most bits.
        information: The least information.
    """
    k = check_domain_size(domain_size)
    w, figures = _selections(k, Budget.read(budget), largest_size)
    within = (figures.excess <= excess) & (figures.bits <= bits) & (figures.information >= information)
    wanted = -figures.excess if information else figures.information
    return int(w[np.argmax(np.where(within, wanted, -np.inf))]) if within.any() else None
