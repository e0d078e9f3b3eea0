"""The secure client: the ε that it states is that of its integers, never less."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import ctx

from qifldp import OUE, SS, Budget, InputError, Mix, parse_spec, secure_client
from qifldp.exact.balls import ball
from qifldp.protocols.specs import SEVEN


@pytest.mark.parametrize("epsilon", ["1e-9", "0.01", "ln(3)", "1", "2", "5", "20", "700"])
@pytest.mark.parametrize("name", SEVEN)
def test_the_stated_epsilon_is_the_least_double_above_the_given_one(name: str, epsilon: str) -> None:
    protocol = parse_spec(name).build(5, Budget.read(epsilon))
    if protocol.report_bytes is None:
        return  # too many buckets to run
    stated, ratio = secure_client(protocol).epsilon, protocol.mechanism.likelihood_ratio
    with ctx.workprec(200):
        given = ball(ratio).log()
        assert ball(Fraction(math.nextafter(stated, 0))) < given < ball(Fraction(stated))


SIX_DIGITS = 5e-7


@pytest.mark.parametrize("k", [2, 1000, pytest.param(10**7, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SEVEN)
def test_the_given_epsilon_is_the_tight_one_to_six_digits(name: str, k: int) -> None:
    """From k·10⁻¹² up to 20; for GRR below it is not, so this is not for nothing."""
    for epsilon in (k * 1e-12, k * 1e-10, 1e-3, 1, 10, 20):
        protocol = parse_spec(name).build(k, Budget.read(repr(float(epsilon))))
        assert secure_client(protocol).epsilon == pytest.approx(protocol.tight_epsilon, rel=SIX_DIGITS)
    if name == "GRR" and k > 2:
        protocol = parse_spec(name).build(k, Budget.read(repr(k * 1e-14)))
        assert secure_client(protocol).epsilon != pytest.approx(protocol.tight_epsilon, rel=SIX_DIGITS)


@pytest.mark.parametrize("protocol", [OUE(4, 1), SS(4, 1), Mix(4, 1, parts="0.3*grr+0.4*oue")], ids=repr)
def test_randomness_and_values_that_are_none(protocol: OUE | SS | Mix) -> None:
    for rng in (None, 5, np.random.RandomState(1)):  # the old kind is refused
        with pytest.raises(InputError) as refused:
            protocol.perturb([1], rng=rng)  # type: ignore[arg-type]
        assert str(refused.value).startswith(
            "rng must be a numpy.random.Generator, such as numpy.random.default_rng(7), got "
        )
    masked: np.ma.MaskedArray[tuple[int], np.dtype[np.int64]] = np.ma.array([1, 2], mask=[True, False])
    simulate = partial(protocol.perturb, rng=np.random.default_rng(1))
    for draw in (secure_client(protocol).reports, simulate):
        with pytest.raises(InputError) as refused:
            draw(masked)
        assert str(refused.value) == "Values must not be masked: leave out those who have none."
        assert len(draw(masked[1:])) == 1
