"""Parameters: refused in one whole sentence, rounded as stated, and reported in bytes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from qifldp.errors import InexactError, InputError, TooLargeError
from qifldp.protocols.local_hashing import BLH, LH, MOST_BUCKETS, OLH
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE


@pytest.mark.parametrize("omega", [0, 4, -1, 1.5, "x", "1.0", True])
def test_omega_is_a_size_of_a_proper_subset(omega: int) -> None:
    with pytest.raises(InputError) as caught:
        SS(4, 1, omega=omega)
    assert str(caught.value) == f"omega must be a whole number from 1 to 3, got {omega!r}."


@pytest.mark.parametrize("g", [1, 0, -2, 2.5, "two", True, None])
def test_there_are_two_buckets_at_least(g: int) -> None:
    with pytest.raises(InputError) as caught:
        LH(4, 1, g=g)
    assert str(caught.value) == f"g must be a whole number of at least 2, got {g!r}."


@pytest.mark.parametrize("theta", [0.4, 1.01, "0.499999999", -1, 2])
def test_theta_is_between_a_half_and_one(theta: float) -> None:
    with pytest.raises(InputError) as caught:
        THE(4, 1, theta=theta)
    assert str(caught.value) == f"theta must be from 0.5 to 1, got {theta!r}."


@pytest.mark.parametrize("theta", [math.nan, math.inf, "high"])
def test_theta_is_a_number(theta: float) -> None:
    with pytest.raises(InputError) as caught:
        THE(4, 1, theta=theta)
    assert str(caught.value) == f"theta must be a finite number such as 0.75 or 3/4, got {theta!r}."


@pytest.mark.parametrize("chance", [0, 1, -0.1, 1.1, "2"])
@pytest.mark.parametrize("which", ["p", "q"])
def test_bit_probabilities_are_open(chance: float, which: str) -> None:
    chosen: dict[str, float] = {"p": 0.5, "q": 0.25, which: chance}
    with pytest.raises(InputError) as caught:
        UE(4, **chosen)
    assert str(caught.value) == f"{which} must be strictly between 0 and 1, got {chance!r}."


def test_bit_probabilities_say_something_and_not_everything() -> None:
    with pytest.raises(InputError) as caught:
        UE(4, p=0.5, q="1/2")
    assert str(caught.value) == "p and q must differ, got 0.5 twice: such a report says nothing."
    with pytest.raises(InputError) as caught:
        UE(4, p="1e-320", q="0.5")
    assert str(caught.value) == "The epsilon of p and q must be from 1e-100 to 700, got 736.827."


@pytest.mark.parametrize("kind", [GRR, SS, BLH, OLH, SUE, OUE, THE])
def test_each_protocol_refuses_bad_budgets_and_domains(kind: Callable[..., object]) -> None:
    for epsilon in (0, -1, math.nan, math.inf, 700.5, "much"):
        with pytest.raises(InputError, match=r"^epsilon must be "):
            kind(3, epsilon)
    for k in (1, 0, -1, 2.5, 10**8, True):
        with pytest.raises(InputError, match=r"^domain size must be "):
            kind(k, 1)
    with pytest.raises(InputError, match=r"^Give a budget: either epsilon or exp_epsilon"):
        kind(3)


@pytest.mark.parametrize("k", [2, 3, 10, 1000])
@pytest.mark.parametrize("exp_epsilon", [Fraction(3, 2), 2, 3, Fraction(7, 2), 9, 100])
def test_roundings_of_rational_budgets(k: int, exp_epsilon: Fraction) -> None:
    """ω = max(1, ⌊k/(e^ε + 1) + 1/2⌋) and g = ⌊e^ε + 3/2⌋, halves upwards."""
    share, buckets = k / (Fraction(exp_epsilon) + 1) + Fraction(1, 2), exp_epsilon + Fraction(3, 2)
    assert SS(k, exp_epsilon=exp_epsilon).omega == max(1, share.numerator // share.denominator)
    assert OLH(k, exp_epsilon=exp_epsilon).buckets == buckets.numerator // buckets.denominator


def test_roundings_at_halves() -> None:
    assert SS(10, exp_epsilon=3).omega == 3  # 2.5
    assert OLH(10, exp_epsilon="7/2").buckets == 5  # 4.5
    assert OLH(10, "2*ln(3)").buckets == OLH(10, "ln(9)").buckets == 10


def test_roundings_of_real_budgets() -> None:
    assert [OLH(10, epsilon).buckets for epsilon in (0.1, 1, 3, 30)] == [2, 4, 21, round(math.exp(30)) + 1]
    assert [SS(50, epsilon).omega for epsilon in ("1e-9", 1, 5)] == [25, 13, 1]


def test_the_rounding_of_the_half_at_a_vanishing_budget() -> None:
    """k/(e^ε + 1) is just below k/2: 2.4999… rounds down to 2, 3 − tiny up to 3."""
    assert SS(5, "1e-90").omega == 2
    assert SS(6, "1e-90").omega == 3


def test_report_sizes() -> None:
    assert [OUE(k, 1).report_bytes for k in (2, 8, 9, 1000)] == [1, 1, 2, 125]
    assert [GRR(k, 1).report_bytes for k in (2, 256, 257, 10**6)] == [1, 1, 2, 3]
    assert SS(1000, 5).omega == 7
    assert SS(1000, 5).report_bytes == 14
    assert SS(1000, 1).report_bytes == 125
    assert [LH(3, 1, g=g).report_bytes for g in (2, 256, 257)] == [17, 17, 18]


def test_hashes_to_too_many_buckets_can_be_measured_but_not_deployed() -> None:
    assert LH(3, 1, g=MOST_BUCKETS).report_bytes == 20
    assert LH(3, 1, g=MOST_BUCKETS + 1).report_bytes is None
    assert OLH(3, 100).report_bytes is None
    assert OLH(3, 100).tight_epsilon == 100


@pytest.mark.parametrize("protocol", [OUE(20, 1), SS(40, 1), LH(8, 1, g=8)])
def test_explicit_channels_that_do_not_fit(protocol: OUE) -> None:
    with pytest.raises(TooLargeError) as caught:
        protocol.channel()
    assert str(caught.value) == (
        f"The channel of {protocol.name} over {protocol.domain_size} values is too large to write out."
    )


def test_exact_answers_need_exact_budgets() -> None:
    with pytest.raises(InexactError) as caught:
        GRR(3, 1).exact_profile()
    assert str(caught.value) == (
        "e^ε is not rational at epsilon = 1: give exp_epsilon, a rational e^ε, to compute exactly."
    )
    assert SUE(3, exp_epsilon=4).is_exact
    assert not SUE(3, exp_epsilon=3).is_exact
    assert OUE(3, exp_epsilon=3).is_exact
    assert not OUE(3, 1).is_exact
