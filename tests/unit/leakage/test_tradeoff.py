"""Trade-off curves: known ones, infinities, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.leakage.tradeoff import pairwise_advantage, trade_off
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE, UE

ROUNDED = 1e-14
"""Sums of three probabilities in doubles, absolute."""


def test_randomised_response_on_two_values_is_the_extreme_curve() -> None:
    """ε-DP and nothing but: β(α) = max(0, 1 − e^ε α, e^−ε(1 − α))."""
    curve = trade_off(GRR(2, 1.5))
    for alpha in np.linspace(0, 1, 41):
        expected = max(0, 1 - math.exp(1.5) * alpha, math.exp(-1.5) * (1 - alpha))
        assert curve.type_two_error(float(alpha)) == pytest.approx(expected, abs=ROUNDED)
    assert curve.total_variation == curve.advantage == pytest.approx(math.tanh(0.75), abs=ROUNDED)
    assert curve.tight_epsilon == pytest.approx(1.5, rel=ROUNDED)


def test_exact_curve_of_a_matrix() -> None:
    channel = Channel([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"], [0, 0, 1]])
    curve = trade_off(channel)
    assert curve.alpha.tolist() == [0, Fraction(1, 4), Fraction(1, 2), 1]
    assert curve.beta.tolist() == [1, Fraction(1, 2), Fraction(1, 4), 0]
    assert curve.total_variation == Fraction(1, 4)
    assert curve.delta(math.log(2)) == pytest.approx(0, abs=ROUNDED)
    assert trade_off(channel, 1, 0).total_variation == Fraction(1, 4)
    assert pairwise_advantage(channel) == Fraction(3, 4)


def test_outputs_of_one_secret_only() -> None:
    """With chance 1/4 the secret is given away: ε is infinite, and δ never below 1/4."""
    curve = trade_off(Channel([["1/4", "3/4", 0], [0, "3/4", "1/4"]]))
    assert curve.tight_epsilon == math.inf
    assert curve.delta(50) == Fraction(1, 4)
    assert curve.delta(0) == Fraction(1, 4)
    assert curve.epsilon(0.2) == math.inf
    assert curve.epsilon(0.25) == 0
    assert curve.type_two_error(0.0) == pytest.approx(0.75, abs=ROUNDED)


def test_delta_is_the_worse_of_both_directions() -> None:
    """Rows (1, 0) and (1 − d, d): d from the one side, and from the other max(0, 1 − e^ε (1 − d))."""
    d = 0.3
    channel = Channel([[1.0, 0.0], [1 - d, d]])
    for epsilon in (0.0, 0.1, 0.2, 1.0):
        expected = max(d, 1 - math.exp(epsilon) * (1 - d))
        for first, second in ((0, 1), (1, 0)):
            assert trade_off(channel, first, second).delta(epsilon) == pytest.approx(expected, abs=ROUNDED)


def test_equal_rows_cannot_be_told_apart() -> None:
    curve = trade_off(Channel([["1/3", "2/3"], ["1/3", "2/3"]]))
    assert curve.total_variation == 0
    assert curve.epsilon(0.0) == 0
    assert curve.tight_epsilon == 0
    assert curve.type_two_error(0.25) == pytest.approx(0.75, abs=ROUNDED)


@pytest.mark.parametrize("epsilon", [1, 2])
def test_curve_of_oue_is_that_of_two_bits(epsilon: float) -> None:
    """Between two secrets only their two bits differ in law, whatever the domain: the curve of UE at k = 2."""
    q = 1 / (math.exp(epsilon) + 1)
    telling = (1 - q) / 2
    for k in (2, 3, 50, 1000):
        curve = trade_off(OUE(k, epsilon))
        assert curve.beta == pytest.approx([1, 1 - telling, q / 2, 0], abs=1e-12)
        assert curve.alpha == pytest.approx([0, q / 2, 1 - telling, 1], abs=1e-12)
    assert trade_off(UE(3, p="0.2", q="0.7")).total_variation == pytest.approx(0.5, abs=ROUNDED)


@pytest.mark.parametrize(("secret", "shown"), [(3, "3"), (-1, "-1"), (True, "True"), (0.5, "0.5")])
def test_secrets_are_rows(secret: int, shown: str) -> None:
    for pair in ((secret, 2), (2, secret)):
        with pytest.raises(InputError) as caught:
            trade_off(GRR(3, 1), *pair)
        assert str(caught.value) == f"a secret must be a row from 0 to 2, got {shown}."


def test_two_different_secrets() -> None:
    with pytest.raises(InputError) as caught:
        trade_off(GRR(3, 1), 1, 1)
    assert str(caught.value) == "A trade-off curve needs two different secrets, got 1 twice."


@pytest.mark.parametrize("value", [-0.1, math.nan])
def test_arguments_out_of_range(value: float) -> None:
    curve = trade_off(GRR(3, 1))
    with pytest.raises(InputError) as caught:
        curve.delta(value)
    assert str(caught.value) == f"epsilon must be finite and not negative, got {value}."
    with pytest.raises(InputError) as caught:
        curve.epsilon(value)
    assert str(caught.value) == f"delta must be from 0 to 1, got {value}."
    with pytest.raises(InputError) as caught:
        curve.type_two_error(value)
    assert str(caught.value) == f"alpha must be from 0 to 1, got {value}."
