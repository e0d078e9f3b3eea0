"""Hypers: outer distributions and posteriors in blocks, exact where the channel is."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.protocols.unary_encoding import OUE

ROUNDED = 1e-14
"""A few operations in doubles, relative."""


def test_hyper_of_a_matrix() -> None:
    channel = Channel([["1/2", "1/2", 0, 0], [0, "1/3", "2/3", 0], [0, 0, 0, 1]])
    hyper = channel.hyper(Prior(["1/4", "3/4", 0]))
    assert hyper.is_exact
    assert hyper.outer.tolist() == [Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)]
    assert hyper.posterior.tolist() == [[1, 0], [Fraction(1, 3), Fraction(2, 3)], [0, 1]]
    assert hyper.excess.tolist() == [[3, -1], [Fraction(1, 3), Fraction(-1, 9)], [-1, Fraction(1, 3)]]
    assert hyper.log_density[0].tolist() == [pytest.approx(math.log(4)), -math.inf]
    assert not hyper.has_uniform_prior
    assert channel.hyper().has_uniform_prior


def test_hyper_of_a_profile_adds_up() -> None:
    exact, floats = OUE(5, exp_epsilon=3).exact_profile().hyper, OUE(5, exp_epsilon=3).profile.hyper
    assert exact.outer.sum() == 1
    assert (exact.posterior * exact.multiplicity).sum(axis=1).tolist() == [1] * 5
    assert floats.multiplicity.tolist() == exact.multiplicity.tolist() == [[w, 5 - w] for w in range(5)]
    for name in ("outer", "density", "posterior", "log_density"):
        found, expected = getattr(floats, name), np.array(getattr(exact, name), dtype=np.float64)
        assert found == pytest.approx(expected, rel=ROUNDED, abs=ROUNDED)
    assert floats.has_uniform_prior


def test_log_density_of_huge_rationals() -> None:
    """Numerator and denominator may each be beyond the doubles."""
    huge = 10**400
    channel = Channel([[Fraction(1, huge), 1 - Fraction(1, huge)], [Fraction(2, huge), 1 - Fraction(2, huge)]])
    assert channel.hyper().log_density[0].tolist() == pytest.approx([math.log(2 / 3), math.log(4 / 3)], rel=ROUNDED)
