"""Capacities at the ends of what floats can hold."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from qifldp.channels.channel import Channel
from qifldp.leakage.capacity import max_case_capacity, tight_epsilon
from qifldp.leakage.measures import MEASURES, figure

LEAST = 5e-324
"""The smallest float, 2^-1074."""

BEYOND = Fraction(1, 10**400)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("rows", "epsilon", "written"),
    [
        (np.array([[LEAST, 1.0], [1.0, LEAST]]), 1074 * math.log(2), "e^744.4401"),
        ([[BEYOND, 1 - BEYOND], [1 - BEYOND, BEYOND]], 400 * math.log(10), "e^921.0340"),
    ],
)
def test_ratios_beyond_floats_are_finite_and_said_to_be_beyond(rows: object, epsilon: float, written: str) -> None:
    channel = Channel(rows)
    assert tight_epsilon(channel) == pytest.approx(epsilon, rel=1e-15)
    (measure,) = (one for one in MEASURES if one.key == "max_case_capacity")
    assert figure(measure, channel) == (None, f"beyond floats, which end at 1.8e308: it is {written}")


@pytest.mark.filterwarnings("error")
def test_what_is_impossible_under_one_value_only_is_infinite() -> None:
    channel = Channel(np.array([[0.0, 1.0], [LEAST, 1.0]]))
    assert tight_epsilon(channel) == max_case_capacity(channel) == math.inf
    for key in ("tight_epsilon", "max_case_capacity"):
        (measure,) = (one for one in MEASURES if one.key == key)
        assert figure(measure, channel)[1].startswith("infinite: some output is possible")
