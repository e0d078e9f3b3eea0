"""Accuracy of frequency estimates: standard errors, and the smallest frequency that stands out."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from qifldp.channels.profile import Profile
from qifldp.leakage import blocks
from qifldp.protocols.protocol import Protocol

DETECTION_ERROR = 0.05
"""Chance that any of the k values that nobody has looks as if somebody had it (Bonferroni, two-sided)."""


def standard_error(protocol: Protocol, n: int) -> float:
    """Return the standard error of the plain estimate of a frequency 1/k, about the data set."""
    return math.sqrt(protocol.variance(1 / protocol.domain_size, n))


def weighted_standard_error(profile: Profile, n: int) -> float:
    """Return the standard error of the size-weighted estimate near uniform frequencies, about the data set.

        sqrt( (1/I − (1 − 1/k)/k) / n ),   I = Σ_w μ[w] I_w the Fisher information per report

    Asymptotic in n. The difference is taken as Σ_w μ[w] (I_∞ − I_w)/(I · I_∞), I_∞ = k²/(k − 1), and
    I_∞ − I_w = k³/(k − 1)² · Σ_{x≠x'} δ_x δ_{x'} over the posterior δ: no cancellation as ε grows.
    """
    k, hyper = profile.domain_size, profile.hyper
    information = float(blocks.information_per_report(hyper))
    count = hyper.multiplicity
    member, other = hyper.density[:, 0] / k, hyper.density[:, 1] / k
    unequal = (
        count[:, 0] * (count[:, 0] - 1) * member**2
        + 2 * count[:, 0] * count[:, 1] * member * other
        + count[:, 1] * (count[:, 1] - 1) * other**2
    )
    lost = float(np.sum(hyper.outer * unequal)) * k**3 / (k - 1) ** 2
    return math.sqrt(lost / (information * (k**2 / (k - 1))) / n)


def detectable_frequency(protocol: Protocol, n: int) -> float:
    """Return the smallest frequency that stands out from values that nobody has.

        Φ⁻¹(1 − 0.05/(2k)) · sqrt(Var f̂ at f = 0)

    the threshold that none of k absent values passes, up or down, with probability 95 % (normal approximation).
    """
    return -float(ndtri(DETECTION_ERROR / (2 * protocol.domain_size))) * math.sqrt(protocol.variance(0, n))
