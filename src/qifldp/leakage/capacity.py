"""Capacities: the most that any adversary, of a kind that is named, can gain from a channel."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import ExactProfile
from qifldp.channels.profile import Profile
from qifldp.leakage import blocks
from qifldp.leakage.source import Real, Source, measured


def bayes_capacity(source: Source) -> Real:
    """Return ML(C) = Σ_y max_x C[x, y]: the supremum of multiplicative average-case leakage.

    The supremum is over all priors and all gain functions g ≥ 0, and is reached by guessing the secret under
    the uniform prior (the paper's (10)). 1 means no leakage, k that the secret is disclosed.
    """
    found = measured(source)
    if isinstance(found, Channel):
        largest = found.matrix.max(axis=0).sum()
        return largest if isinstance(largest, Fraction) else float(largest)
    return 1 + found.domain_size * blocks.guesses_excess(found.hyper, 1)


def min_entropy_capacity(source: Source) -> float:
    """Return log2 ML(C) in bits: min-entropy leakage under the uniform prior, and its capacity (Def. 3, (20))."""
    found = measured(source)
    if isinstance(found, Channel):
        return math.log2(bayes_capacity(found))
    return math.log1p(float(found.domain_size * blocks.guesses_excess(found.hyper, 1))) / math.log(2)


def tight_epsilon(source: Source) -> float:
    """Return the smallest ε ≥ 0 (in nats) for which the channel is ε-LDP; infinite if it is for none.

    max over outputs y and secrets x, x' of ln(C[x, y] / C[x', y]).
    """
    found = measured(source)
    if isinstance(found, Profile):
        return found.tight_epsilon
    if isinstance(found, ExactProfile):
        return math.log(found.ratio.numerator) - math.log(found.ratio.denominator)
    ratio = _largest_ratio(found)
    if isinstance(ratio, Fraction):
        return math.log(ratio.numerator) - math.log(ratio.denominator)
    if math.isinf(ratio):
        low, high = _extremes(found)
        return float((np.log(high) - np.log(low)).max()) if low.all() else math.inf
    return math.log(ratio)


def max_case_capacity(source: Source) -> Real:
    """Return e^(tight ε): the supremum of max-case leakage over all priors and all gain functions g ≥ 0.

    It bounds average-case leakage too (the paper's (11)); tight for max-case only. Infinite if some output
    is possible under one secret and impossible under another, or if it is beyond floats, 1.8e308 (tight ε 709.8).
    """
    found = measured(source)
    if isinstance(found, Channel):
        return _largest_ratio(found)
    return found.ratio if isinstance(found, ExactProfile) else math.exp(found.tight_epsilon)


def _largest_ratio(channel: Channel) -> Real:
    low, high = _extremes(channel)
    if not low.all():
        return math.inf
    with np.errstate(over="ignore"):  # of subnormal chances: infinite then
        largest = (high / low).max()
    return largest if isinstance(largest, Fraction) else float(np.float64(largest))


def _extremes(channel: Channel) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the largest chance of each output that is possible."""
    low, high = channel.matrix.min(axis=0), channel.matrix.max(axis=0)
    return low[high > 0], high[high > 0]
