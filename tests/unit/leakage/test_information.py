"""Shannon and Rényi information of matrices, and capacities with bounds that certify them."""

from __future__ import annotations

import math
import re

import pytest

from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.errors import ConvergenceError, InputError, TooLargeError
from qifldp.leakage.information import blahut_arimoto, mutual_information, shannon_capacity, sibson_information
from qifldp.leakage.vulnerability import guessing_entropy
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE

ROUNDED = 1e-14
"""The bounds are sums of a few dozen terms in doubles; absolute, in bits."""


def entropy(chance: float) -> float:
    return -sum(share * math.log2(share) for share in (chance, 1 - chance) if share)


def binary_asymmetric(a: float, b: float) -> float:
    """Return the capacity of a binary channel that flips 0 with a and 1 with b."""
    tilt = (entropy(a) - entropy(b)) / (1 - a - b)
    return (a * entropy(b) - (1 - b) * entropy(a)) / (1 - a - b) + math.log2(1 + 2**tilt)


def typewriter(letters: int) -> list[list[float]]:
    return [[0.5 if y in (x, (x + 1) % letters) else 0.0 for y in range(letters)] for x in range(letters)]


KNOWN = {
    "symmetric": ([[0.89, 0.11], [0.11, 0.89]], 1 - entropy(0.11)),
    "erasure": ([[0.7, 0, 0.3], [0, 0.7, 0.3]], 0.7),
    "Z": ([[1.0, 0.0], [0.5, 0.5]], math.log2(5 / 4)),
    "asymmetric": ([[0.9, 0.1], [0.4, 0.6]], binary_asymmetric(0.1, 0.4)),
    "nearly useless": ([[0.5, 0.5], [0.49, 0.51]], binary_asymmetric(0.5, 0.49)),
    "typewriter": (typewriter(26), math.log2(13)),
    "identity": ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], math.log2(3)),
    "constant": ([[0.25, 0.75], [0.25, 0.75]], 0.0),
    "a useless third input": ([[0.8, 0.2], [0.2, 0.8], [0.5, 0.5]], 1 - entropy(0.2)),
    "unequal alphabets": ([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]], 1.0),
}


@pytest.mark.parametrize("gap", [1e-3, 1e-9])
@pytest.mark.parametrize("name", KNOWN)
def test_bounds_bracket_a_known_capacity(name: str, gap: float) -> None:
    matrix, capacity = KNOWN[name]
    found = blahut_arimoto(Channel(matrix), gap)
    assert found.lower - ROUNDED <= capacity <= found.upper + ROUNDED
    assert found.gap == found.upper - found.lower <= gap
    assert mutual_information(Channel(matrix), found.prior) == pytest.approx(found.lower, abs=ROUNDED)
    assert shannon_capacity(Channel(matrix), gap) == pytest.approx(capacity, abs=gap)


def test_the_best_prior_of_an_asymmetric_channel_is_not_uniform() -> None:
    channel = Channel([[1, 0], ["1/2", "1/2"]])
    found = blahut_arimoto(channel)
    assert found.prior.probabilities == pytest.approx([0.6, 0.4], abs=1e-4)  # I is flat at its top: √gap
    assert mutual_information(channel) < found.lower - 0.01


def test_progress_is_reported_and_gaps_fall() -> None:
    gaps: list[float] = []
    found = blahut_arimoto(Channel([[0.9, 0.1], [0.4, 0.6]]), progress=gaps.append)
    assert len(gaps) == found.iterations
    assert gaps[0] > gaps[-1]
    assert gaps[-1] == pytest.approx(found.gap, abs=ROUNDED)


def test_an_unreached_gap_is_an_error_with_both_bounds() -> None:
    with pytest.raises(ConvergenceError) as caught:
        blahut_arimoto(Channel([[0.9, 0.1], [0.4, 0.6]]), 1e-9, most_iterations=2)
    sentence = re.fullmatch(
        r"The Shannon capacity is between (\S+) and (\S+) bits after 2 steps; a gap of 1e-09 was asked for\.",
        str(caught.value),
    )
    assert sentence is not None
    assert float(sentence[1]) < binary_asymmetric(0.1, 0.4) < float(sentence[2])


def test_sibson_information_of_an_erasure_channel() -> None:
    """a/(a − 1) · log2(e + (1 − e)·2^{(a−1)/a}) for erasures with chance e under the uniform prior."""
    channel, erased = Channel([["7/10", 0, "3/10"], [0, "7/10", "3/10"]]), 0.3
    for order in (0.25, 0.5, 0.999999, 2, 7, 1000):
        expected = order / (order - 1) * math.log2(erased + (1 - erased) * 2 ** ((order - 1) / order))
        tolerance = 1e-9 if abs(order - 1) < 1e-3 else 1e-13  # the closed form here cancels near a = 1
        assert sibson_information(channel, order) == pytest.approx(expected, rel=tolerance)
    assert sibson_information(channel, 1) == pytest.approx(1 - erased, rel=1e-14)
    assert sibson_information(channel, math.inf) == pytest.approx(math.log2(2 * (1 - erased) + erased), rel=1e-14)


def test_sibson_information_of_infinite_order_is_over_the_priors_support() -> None:
    channel = Channel([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert sibson_information(channel, math.inf, Prior(["1/10", "9/10", 0])) == 1
    assert sibson_information(channel, math.inf) == pytest.approx(math.log2(3), rel=1e-15)


@pytest.mark.parametrize("prior", [Prior.zipf(4), Prior([0.5, 0.5, 0, 0]), Prior([0, 0, 0, 1])])
def test_orders_are_continuous_under_any_prior(prior: Prior) -> None:
    protocol = OUE(4, 1)
    around = [sibson_information(protocol, order, prior) for order in (1 - 1e-9, 1, 1 + 1e-9)]
    assert around == pytest.approx([around[1]] * 3, abs=1e-9)
    largest = sibson_information(protocol, math.inf, prior)
    assert sibson_information(protocol, 1e5, prior) == pytest.approx(largest, abs=1e-3)


@pytest.mark.parametrize("order", [0, -1, math.nan])
def test_orders_are_positive(order: float) -> None:
    with pytest.raises(InputError) as caught:
        sibson_information(GRR(3, 1), order)
    assert str(caught.value) == f"order must be positive, got {order}."


def test_a_prior_needs_a_matrix_that_fits() -> None:
    for measure in (mutual_information, guessing_entropy):
        with pytest.raises(TooLargeError) as caught:
            measure(OUE(50, 1), Prior.zipf(50))
        assert str(caught.value) == (
            "The explicit channel of this profile over 50 values would have more than 4,194,304 cells."
        )
        assert measure(OUE(50, 1), Prior.uniform(50)) == measure(OUE(50, 1))
