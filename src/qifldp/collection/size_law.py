"""The law of a report's size, and the chances of support given the size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qifldp.channels.counting import log_binomial_masses


@dataclass(frozen=True, eq=False)
class SizeLaw:
    """What a report of each size tells; the size itself says nothing about the value.

    Attributes:
        mass: μ[w] = Pr[a report supports w values], shape (k + 1,).
        absent: q_w = Pr[it supports another value than the true one | w], shape (k + 1,).
        gap: d_w = Pr[it supports the true value | w] − q_w, shape (k + 1,).
    """

    mass: NDArray[np.float64]
    absent: NDArray[np.float64]
    gap: NDArray[np.float64]

    @property
    def pairs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pr[it supports the true value and a certain other | w], and Pr[two certain others | w].

        Given that it supports the true value, it is a uniform set of w − 1 others, else of w; with p_w = q_w + d_w

            p_w (w − 1)/(k − 1)    [p_w (w − 1)(w − 2) + (1 − p_w) w (w − 1)]/((k − 1)(k − 2))
        """
        k, w = len(self.mass) - 1, np.arange(len(self.mass), dtype=np.float64)
        p = self.absent + self.gap
        others = (w - 1) * (w - 2 * p) / ((k - 1) * max(k - 2, 1))  # of two values, none is two others: 0
        return p * np.maximum(w - 1, 0) / (k - 1), others


def independent_members(domain_size: int, p: Fraction, q: Fraction) -> SizeLaw:
    """Return the law of a report that supports the true value with p and each other with q, independently.

    Given that it supports w values, whatever the true one is, it supports the true one with p_w, another with q_w:

        p_w = w ρ/(w ρ + k − w)    q_w = (w − p_w)/(k − 1)    d_w = p_w − q_w    ρ = p(1 − q)/((1 − p) q)
    """
    k = domain_size
    ratio = p * (1 - q) / ((1 - p) * q)
    rho, excess = float(ratio), float(ratio - 1)
    w = np.arange(k + 1, dtype=np.float64)
    weight = w * rho + (k - w)
    logs = log_binomial_masses(k, _log(q), _log(1 - q)) + np.log(weight)
    mass = np.exp(logs - logs.max())
    return SizeLaw(
        mass / mass.sum(),
        w * (np.maximum(w - 1, 0) * rho + (k - w)) / (weight * (k - 1)),
        w * (k - w) * excess / (weight * (k - 1)),
    )


def one_size(domain_size: int, size: int, p: Fraction, q: Fraction) -> SizeLaw:
    """Return the law of reports that all support ``size`` values, the true one with p, any other with q."""
    mass, absent, gap = np.zeros((3, domain_size + 1))
    mass[size], absent[size], gap[size] = 1.0, float(q), float(p - q)
    return SizeLaw(mass, absent, gap)


def mixed(laws: list[tuple[float, SizeLaw]], silent: float) -> SizeLaw:
    """Return the law of a public choice between reports: chances of support are means under the parts' masses.

    Args:
        laws: The chance of each part, and its law.
        silent: The chance of a report that supports no value.
    """
    mass = sum(chance * law.mass for chance, law in laws)
    absent, gap = (
        sum(chance * law.mass * part for (chance, law), part in zip(laws, parts, strict=True))
        for parts in ([law.absent for _, law in laws], [law.gap for _, law in laws])
    )
    mass, absent, gap = np.asarray(mass), np.asarray(absent), np.asarray(gap)
    mass[0] += silent
    occurs = np.where(mass > 0, mass, 1.0)
    return SizeLaw(mass, absent / occurs, gap / occurs)


def _log(chance: Fraction) -> float:
    return math.log(chance.numerator) - math.log(chance.denominator)
