"""Numbers that deployed systems publish about themselves."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from qifldp.leakage.information import shannon_capacity
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import SUE, UE

PUBLISHED = 1e-14
"""Relative: the published doubles come from another formula, off by some units in the last place."""


def test_randomised_response_on_two_values_to_the_last_place() -> None:
    """3/4 log2 3 − 1 bits at ε = ln 3: the published test value of Chrome's attribution reporting."""
    expected = 0.18872187554086717
    for epsilon in ("ln(3)", math.log(3)):
        assert abs(shannon_capacity(GRR(2, epsilon)) - expected) <= math.ulp(expected)


@pytest.mark.parametrize(
    ("states", "bits"),
    [(2925, 11.461727965384876), (455, 8.821556150827456), (3, 1.5849265115082312), (2, 0.9999820053790732)],
)
def test_capacity_of_attribution_reports(states: int, bits: float) -> None:
    """Chrome's attribution reporting: k-ary randomised response on all states of a source, ε = 14."""
    assert shannon_capacity(GRR(states, 14)) == pytest.approx(bits, rel=PUBLISHED)


@pytest.mark.parametrize(("states", "rate"), [(2925, 0.0024263221679834087), (3, 0.000002494582008677539)])
def test_flip_probability_of_attribution_reports(states: int, rate: float) -> None:
    """Published: the state is replaced by a uniform one, itself included, with k/(k − 1 + e^ε)."""
    kept = 1 - rate * (states - 1) / states
    assert asr(GRR(states, 14)) == pytest.approx(kept, rel=PUBLISHED)


def test_rappor_report_of_chrome() -> None:
    """f = 1/2, p = 1/4, q = 3/4 with two hashes: a report spends 2.04; the bits are those of SUE at 2 ln(5/3)."""
    f, p, q = Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)
    set_bit = (1 - f / 2) * q + f / 2 * p
    clear_bit = f / 2 * q + (1 - f / 2) * p
    assert (set_bit, clear_bit) == (Fraction(5, 8), Fraction(3, 8))
    one_hash = UE(8, p=set_bit, q=clear_bit)
    assert f"{2 * one_hash.epsilon:.2f}" == "2.04"
    assert one_hash.exact_profile() == SUE(8, exp_epsilon=Fraction(25, 9)).exact_profile()


def test_mozilla_experiment_of_2017() -> None:
    """Bits are set with 0.65 and 0.35."""
    assert UE(2, p="0.65", q="0.35").epsilon == pytest.approx(2 * math.log(65 / 35), rel=PUBLISHED)
