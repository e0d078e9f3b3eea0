"""Profiles: canonical forms, densities at both ends of ε, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from oracles.balls import real
from qifldp.channels.exact_profile import ExactProfile, expand
from qifldp.channels.profile import LARGEST_DOMAIN, MemberLaw, Profile
from qifldp.channels.profile_expansion import can_expand, expand_profile
from qifldp.errors import InputError, TooLargeError
from qifldp.exact.fields import RATIONALS
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE, UE

ROUNDED = 1e-14
"""A logarithm of a few operations, relative."""

ENOUGH_BITS = 3000
"""e^700 takes a thousand bits, and e^1e-90 − 1 another three hundred."""


@pytest.mark.parametrize(
    ("k", "sentence"),
    [
        (1, "domain size must be from 2 to 10,000,000, got 1."),
        (0, "domain size must be from 2 to 10,000,000, got 0."),
        (-3, "domain size must be from 2 to 10,000,000, got -3."),
        (LARGEST_DOMAIN + 1, "domain size must be from 2 to 10,000,000, got 10000001."),
        (2.0, "domain size must be a whole number, got 2.0."),
        (True, "domain size must be a whole number, got True."),
        ("3", "domain size must be a whole number, got '3'."),
        (None, "domain size must be a whole number, got None."),
    ],
)
def test_domain_sizes(k: int, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        GRR(k, 1)
    assert str(caught.value) == sentence
    assert GRR(np.int64(3), 1) == GRR(3, 1)  # type: ignore[arg-type]


def test_masses_are_read_into_canonical_form() -> None:
    """ρ < 1 is the complement; ∅ and [k] are one silent report."""
    found = Profile.from_masses(3, ratio=0.5, mass=[0.1, 0.2, 0.3, 0.4])
    assert found.log_ratio == pytest.approx(math.log(2), rel=ROUNDED)
    assert found.sizes.tolist() == [0, 1, 2]
    assert np.exp(found.log_mass) == pytest.approx([0.5, 0.3, 0.2], rel=ROUNDED)
    for silent in (
        Profile.from_masses(3, ratio=1, mass=[0.1, 0.2, 0.3, 0.4]),
        Profile.from_masses(3, ratio=7, mass=[0.6, 0, 0, 0.4]),
    ):
        assert (silent.log_ratio, silent.sizes.tolist(), silent.log_mass.tolist()) == (0.0, [0], [0.0])


@pytest.mark.parametrize("ratio", [0, -1, math.inf, math.nan])
def test_ratios_are_positive(ratio: float) -> None:
    with pytest.raises(InputError) as caught:
        Profile.from_masses(2, ratio=ratio, mass=[1, 0, 0])
    assert str(caught.value) == f"ratio must be positive and finite, got {ratio}."


@pytest.mark.parametrize("mass", [[1, 0], [0.5, 0, 0], [-0.5, 1, 0.5], [math.nan, 1, 0], [[1, 0, 0]]])
def test_masses_are_probabilities(mass: list[float]) -> None:
    with pytest.raises(InputError) as caught:
        Profile.from_masses(2, ratio=2, mass=mass)
    assert str(caught.value) == "mass must be 3 probabilities (sizes 0 to 2) that sum to one."


def test_complement_of_a_law_is_the_same_channel() -> None:
    logs = [math.log(chance) for chance in (0.3, 0.7, 0.6, 0.4)]
    law = MemberLaw(*logs)
    assert law.complement().complement() == law
    ratio = math.log(0.3 * 0.4 / (0.7 * 0.6))
    one = Profile.independent(4, log_ratio=ratio, members=law)
    two = Profile.independent(4, log_ratio=-ratio, members=law.complement())
    assert one.log_ratio == two.log_ratio
    assert one.log_mass.tolist() == two.log_mass.tolist()
    assert UE(4, p="3/10", q="6/10").exact_profile() == UE(4, p="7/10", q="4/10").exact_profile()


@pytest.mark.parametrize("epsilon", ["1e-90", "1e-9", "0.01", "0.999", "1.001", "3", "40", "700"])
@pytest.mark.parametrize("k", [2, 5, 1000, 10**6])
def test_densities_are_accurate_at_both_ends(epsilon: str, k: int) -> None:
    """kα_w = kρ/(wρ + k − w) and kβ_w = k/(wρ + k − w); their logarithms do not cancel."""
    for size in {1, 2, k // 2, k - 1} - {k}:
        found = Profile.fixed_size(k, log_ratio=float(Fraction(epsilon)), size=size).log_density[0]
        with ctx.workprec(ENOUGH_BITS):
            weight = real(Fraction(float(Fraction(epsilon)))).exp()
            total = size * weight + (k - size)
            expected = [float((k * weight / total).log().mid()), float((k / total).log().mid())]
        assert found == pytest.approx(expected, rel=ROUNDED, abs=0)


def test_masses_underflow_in_logarithms_only() -> None:
    profile = OUE(1000, 700).profile
    assert profile.log_mass[999] < -600_000
    assert np.isfinite(profile.log_mass).all()
    assert np.sum(np.exp(profile.log_mass)) == pytest.approx(1, abs=ROUNDED)


def test_expansion() -> None:
    exact = ExactProfile.fixed_size(4, ratio=Fraction(3), size=2, field=RATIONALS)
    channel = expand(exact)
    assert channel.outputs == ("{0,1}", "{0,2}", "{0,3}", "{1,2}", "{1,3}", "{2,3}")
    assert channel.matrix[0].tolist() == [Fraction(1, 4)] * 3 + [Fraction(1, 12)] * 3
    floats = expand_profile(Profile.fixed_size(4, log_ratio=math.log(3), size=2))
    assert floats.matrix.tolist() == pytest.approx(channel.matrix.astype(float), rel=ROUNDED)


def test_expansions_that_would_not_fit() -> None:
    assert can_expand(OUE(17, 1).profile)
    assert not can_expand(OUE(18, 1).profile)
    assert can_expand(GRR(2048, 1).profile)
    assert not can_expand(GRR(2049, 1).profile)
    with pytest.raises(TooLargeError) as caught:
        expand_profile(OUE(18, 1).profile)
    assert str(caught.value) == (
        "The explicit channel of this profile over 18 values would have more than 4,194,304 cells."
    )
    with pytest.raises(TooLargeError) as caught:
        expand(OUE(18, exp_epsilon=2).exact_profile())
    assert str(caught.value) == (
        "The explicit channel would have 4,718,574 cells (at most 4,194,304): "
        "use the profile, which works for any domain size."
    )
    with pytest.raises(TooLargeError) as caught:
        OUE(50, 1).channel()
    assert str(caught.value) == "The channel of OUE over 50 values is too large to write out."
