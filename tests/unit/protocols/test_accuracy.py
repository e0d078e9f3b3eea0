"""Variances: against the textbook forms, and at both ends of ε and of the frequency."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from qifldp.errors import InputError
from qifldp.protocols.local_hashing import OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE, SUE, UE

ROUNDED = 1e-12
"""The textbook forms subtract in doubles; at these ε they keep twelve digits."""

TEXTBOOK: list[tuple[Callable[[float], Protocol], Callable[[float], float]]] = [
    (lambda e: GRR(50, e), lambda e: (math.exp(e) + 48) / (math.exp(e) - 1) ** 2),
    (lambda e: OUE(50, e), lambda e: 4 * math.exp(e) / (math.exp(e) - 1) ** 2),
    (lambda e: SUE(50, e), lambda e: math.exp(e / 2) / (math.exp(e / 2) - 1) ** 2),
]


@pytest.mark.parametrize(("make", "variance"), TEXTBOOK, ids=["grr", "oue", "sue"])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0, 10.0])
def test_variance_of_absent_values_is_the_textbook_one(
    make: Callable[[float], Protocol], variance: Callable[[float], float], epsilon: float
) -> None:
    assert make(epsilon).variance(0, 1000) == pytest.approx(variance(epsilon) / 1000, rel=ROUNDED)


def test_olh_reaches_oue_where_its_buckets_are_whole() -> None:
    assert OLH(50, exp_epsilon=4).variance(0.3, 10) == OUE(50, exp_epsilon=4).variance(0.3, 10)


def test_a_bit_and_its_complement_are_equally_accurate() -> None:
    assert UE(5, p="0.2", q="0.7").variance(0.1, 9) == pytest.approx(
        UE(5, p="0.8", q="0.3").variance(0.1, 9), rel=ROUNDED
    )


@pytest.mark.parametrize("frequency", [-0.1, 1.1, math.nan])
def test_frequencies_are_shares(frequency: float) -> None:
    with pytest.raises(InputError) as caught:
        OUE(5, 1).variance(frequency, 10)
    assert str(caught.value) == f"frequency must be from 0 to 1, got {frequency}."


@pytest.mark.parametrize("n", [0, -5, math.inf, math.nan])
def test_there_is_a_report_at_least(n: int) -> None:
    with pytest.raises(InputError) as caught:
        OUE(5, 1).variance(0.5, n)
    assert str(caught.value) == f"n must be at least 1, got {n}."
