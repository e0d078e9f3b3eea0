"""Thresholding with histogram encoding (THE)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from qifldp.errors import InputError
from qifldp.exact.budget import Budget, Exactly, parse_rational, show_rational
from qifldp.exact.fields import RATIONALS, Field, Number
from qifldp.protocols.protocol import BudgetedProtocol
from qifldp.protocols.unary_encoding import UnaryEncoding

THETA_DIGITS = 12
"""Decimals of the default θ: for ε up to 700 none of its figures moves by more than about 1e-10 of itself."""


@dataclass(frozen=True, init=False, repr=False)
class THE(UnaryEncoding, BudgetedProtocol):
    """Thresholding with histogram encoding: Laplace noise of scale 2/ε on a one-hot vector, bits above θ (Def. 8).

        p = 1 − ½ e^{ε(θ−1)/2},  q = ½ e^{−εθ/2}

    It spends less than it says: its tight ε is ln p(1 − q)/((1 − p)q) < ε.

    Attributes:
        theta: Threshold θ in [1/2, 1]; by default the one of least variance (:func:`best_threshold`).
    """

    name = "THE"

    theta: Fraction

    def __init__(
        self,
        domain_size: int,
        epsilon: object = None,
        *,
        exp_epsilon: object = None,
        theta: Exactly | None = None,
    ) -> None:
        super().__init__(domain_size, epsilon, exp_epsilon=exp_epsilon)
        threshold = best_threshold(self.epsilon) if theta is None else parse_rational(theta, "theta")
        if not Fraction(1, 2) <= threshold <= 1:
            raise InputError.expected("theta", "from 0.5 to 1", theta)
        object.__setattr__(self, "theta", threshold)

    @property
    def tight_budget(self) -> Budget | None:
        if not self.is_exact:
            return None
        p, q = self.support_probabilities(RATIONALS)
        return Budget(Fraction(1), p * (1 - q) / ((1 - p) * q))

    @property
    def parameters(self) -> dict[str, str]:
        return super().parameters | {"theta": show_rational(self.theta)}

    def at(self, budget: Budget) -> THE:
        return THE(self.domain_size, budget, theta=self.theta)

    def support_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        half = field.number(Fraction(1, 2))
        p = 1 - half * field.exponential(self.budget, (self.theta - 1) / 2)
        return p, half * field.exponential(self.budget, -self.theta / 2)


def best_threshold(epsilon: float) -> Fraction:
    """Return the θ in [1/2, 1] that minimises the variance q(1 − q)/(p − q)² of rare values, to twelve decimals.

    The derivative of its logarithm vanishes where 2(1 − p − q)(1 − q) = (1 − 2q)(p − q); the left side minus
    the right grows from below zero at θ = 1/2 to above zero at θ = 1.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  # a quarter of the time that importing qifldp would take

    half = epsilon / 2

    def slope(theta: float) -> float:
        q = 0.5 * math.exp(-half * theta)
        flips = 0.5 * (math.exp(-half * (1 - theta)) - math.exp(-half * theta))  # 1 − p − q
        if half < 1:
            flips = q * math.expm1(half * (2 * theta - 1))
        difference = -0.5 * (math.expm1(-half * (1 - theta)) + math.expm1(-half * theta))  # p − q
        return 2 * flips * (1 - q) + math.expm1(-half * theta) * difference

    root = brentq(slope, 0.5, 1.0, xtol=1e-14, rtol=1e-14)
    return Fraction(round(float(root) * 10**THETA_DIGITS), 10**THETA_DIGITS)
