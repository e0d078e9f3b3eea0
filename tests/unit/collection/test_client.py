"""The secure client: the ε that it states is that of its integers, never less."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import ctx

from qifldp import Budget, parse_spec, secure_client
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
