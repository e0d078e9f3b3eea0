"""One formula, several number fields: exact rationals, and balls of any precision.

A protocol states its parameters once, as an expression in a field. The rational field keeps what is
rational; the ball field encloses what is not; doubles are balls, rounded (:func:`nearest_float`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, TypeVar

from flint import arb

from qifldp.errors import InexactError
from qifldp.exact.balls import ball
from qifldp.exact.budget import Budget
from qifldp.exact.roots import rational_power

if TYPE_CHECKING:
    from qifldp.exact.symbolic import Symbolic

Number = TypeVar("Number", Fraction, arb, "Symbolic")
Ordered = TypeVar("Ordered", Fraction, arb)
"""Numbers that can be compared."""


class Field(ABC, Generic[Number]):
    """Numbers in which a protocol's parameters can be written."""

    @abstractmethod
    def number(self, value: Fraction | int) -> Number:
        """Return a rational number as an element of the field."""

    @abstractmethod
    def exponential(self, budget: Budget, multiple: Fraction | int = 1) -> Number:
        """Return e^{multiple · ε}.

        Raises:
            InexactError: If the field has no such element.
        """


class RationalField(Field[Fraction]):
    """The exact rationals."""

    def number(self, value: Fraction | int) -> Fraction:
        return Fraction(value)

    def exponential(self, budget: Budget, multiple: Fraction | int = 1) -> Fraction:
        power = None if budget.base is None else rational_power(budget.base, budget.multiple * multiple)
        if power is None:
            root = "" if multiple == 1 else f"({Fraction(multiple)}·ε)"
            raise InexactError(
                f"e^{root or 'ε'} is not rational at epsilon = {budget}: "
                f"give exp_epsilon, a rational e^ε{' with that root' if root else ''}, to compute exactly."
            )
        return power


class BallField(Field[arb]):
    """Real numbers enclosed in balls, at the working precision of ``flint.ctx``."""

    def number(self, value: Fraction | int) -> arb:
        return ball(value)

    def exponential(self, budget: Budget, multiple: Fraction | int = 1) -> arb:
        return (ball(multiple) * budget.ball()).exp()


RATIONALS = RationalField()
BALLS = BallField()
