"""Exact channels, priors and gain functions that enumerations go through."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from qifldp.adversaries import gain
from qifldp.adversaries.gain import Gain
from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.protocols.local_hashing import BLH, LH
from qifldp.protocols.protocol import BudgetedProtocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE

LEVELS = (Fraction(16, 9), Fraction(4), Fraction(16))
"""e^ε whose roots e^{ε/2} are rational, so that all but THE are exact."""

THE_LEVEL = 256
"""At e^ε = 256 and θ = 3/4 both e^{εθ/2} = 8 and e^{ε(1−θ)/2} = 2 are whole."""

THE_THETA = Fraction(3, 4)


def exact_protocols(domain_size: int) -> Iterator[BudgetedProtocol]:
    """Yield all seven protocols with rational channels, at several budgets."""
    k = domain_size
    for level in LEVELS:
        yield GRR(k, exp_epsilon=level)
        yield from (SS(k, exp_epsilon=level, omega=omega) for omega in range(2, k))
        yield BLH(k, exp_epsilon=level)
        yield LH(k, exp_epsilon=level, g=3)
        yield SUE(k, exp_epsilon=level)
        yield OUE(k, exp_epsilon=level)
    yield THE(k, exp_epsilon=THE_LEVEL, theta=THE_THETA)


def exact_channels() -> Iterator[tuple[str, Channel]]:
    """Yield explicit rational channels: the protocols over two and three values, and some with no symmetry."""
    for k in (2, 3):
        for protocol in exact_protocols(k):
            yield f"{protocol.spec}, k = {k}", protocol.channel()
    yield "a channel without symmetry", Channel([["1/2", "1/3", "1/6"], ["1/5", "1/5", "3/5"], ["1/7", "2/7", "4/7"]])
    yield "a channel with zeros", Channel([["1/2", "1/2", 0], [0, "1/3", "2/3"], ["1/4", 0, "3/4"]])


def priors(domain_size: int) -> Iterator[Prior]:
    """Yield rational priors: uniform, rising, and one with a rare secret."""
    k = domain_size
    yield Prior.uniform(k, exact=True)
    yield Prior([Fraction(2 * x + 2, k * (k + 1)) for x in range(k)])
    yield Prior([Fraction(1, 1000), *[Fraction(999, 1000 * (k - 1))] * (k - 1)])


def gains(domain_size: int) -> Iterator[Gain]:
    """Yield rational gain functions: one guess, two guesses, membership, distance, and two without symmetry."""
    k = domain_size
    yield gain.from_matrix([[int(x == w) for x in range(k)] for w in range(k)])
    yield gain.from_matrix([[int(x != w) for x in range(k)] for w in range(k)])
    yield gain.from_matrix([[int(x < 1) for x in range(k)], [int(x >= 1) for x in range(k)]])
    yield gain.from_matrix([[1 - Fraction(abs(w - x), k) for x in range(k)] for w in range(k)])
    yield gain.from_matrix([[Fraction(1 + (3 * w + 2 * x) % 5, 4) for x in range(k)] for w in range(4)])
    yield gain.from_matrix([[7 if x == 0 else 0 for x in range(k)], [1] * k])


Case = tuple[str, Channel, Prior, Gain]


def cases() -> Iterator[Case]:
    """Yield every channel with every prior and every gain function."""
    for label, channel in exact_channels():
        k = channel.domain_size
        for (i, prior), (j, wanted) in product(enumerate(priors(k)), enumerate(gains(k))):
            yield f"{label}, prior {i + 1}, gain {j + 1}", channel, prior, wanted
