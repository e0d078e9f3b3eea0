"""The lines of Python that scripts rely on, as they stand in the contract; names may grow, not change."""

from __future__ import annotations

import doctest

LINES = """
>>> import numpy as np, qifldp as ql
>>> counts = [50 - i for i in range(50)]
>>> other = ql.Channel([[0.9, 0.1], [0.2, 0.8]])

>>> oue = ql.OUE(domain_size=50, epsilon=1)
>>> the = ql.THE(domain_size=50, epsilon=1, theta=0.9)
>>> exact = ql.GRR(domain_size=3, exp_epsilon=2)            # e^ε = 2: rational all the way
>>> ql.bayes_capacity(exact.channel())
Fraction(3, 2)

>>> f"{ql.bayes_capacity(oue):.5f}"; f"{ql.tight_epsilon(the):.5f}"; f"{ql.shannon_capacity(oue):.5f}"      # bits
'1.85914'
'0.85685'
'0.16937'
>>> f"{ql.posterior_vulnerability(oue, prior=ql.Prior.from_counts(counts), gain=ql.gains.guesses(3)):.5f}"
'0.19059'
>>> f"{ql.trade_off(oue).delta(epsilon=0.5):.5f}"
'0.14382'

>>> channel = ql.Channel([[0.5, 0.5], [0.1, 0.9]]); channel.reduced(); channel @ other; channel.parallel(other)
<Channel 2 × 2, float64>
<Channel 2 × 2, float64>
<Channel 2 × 4, float64>
"""


def test_contract_lines_run() -> None:
    parsed = doctest.DocTestParser().get_doctest(LINES, {}, "interface", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(parsed)
    assert runner.failures == 0
    assert runner.tries == LINES.count(">>> ")
