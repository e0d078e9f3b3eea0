"""What every protocol is: a description from which channel, profile, tight ε and accuracy follow."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from flint import arb

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import ExactProfile
from qifldp.channels.profile import MemberLaw, Profile, check_domain_size
from qifldp.collection.accumulator import Accumulator, Weights
from qifldp.collection.entropy import WORD
from qifldp.collection.mechanism import TOO_CLOSE, Mechanism
from qifldp.collection.reports import Reports
from qifldp.errors import InexactError, InputError
from qifldp.exact.balls import certain_floor, nearest_float
from qifldp.exact.budget import Budget
from qifldp.exact.fields import BALLS, RATIONALS, Field, Number, Ordered

LARGEST_MATRIX = 1 << 22
"""Cells of an explicit channel matrix that a protocol writes out at most."""


@dataclass(frozen=True, init=False, repr=False)
class Protocol(ABC):
    """A frequency-estimation protocol over k values.

    Attributes:
        domain_size: Number of values k.
    """

    name: ClassVar[str]
    """Plain upper-case name."""

    domain_size: int

    def __init__(self, domain_size: int) -> None:
        object.__setattr__(self, "domain_size", check_domain_size(domain_size))

    @property
    @abstractmethod
    def parameters(self) -> dict[str, str]:
        """The parameters beside the domain size, as exact text, in the order in which a spec writes them."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The ε that the protocol claims, in nats."""

    @abstractmethod
    def support_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        """Return p = Pr[the report supports x | x] and q = Pr[the report supports x' | x], x' ≠ x, in a field."""

    @cached_property
    @abstractmethod
    def profile(self) -> Profile:
        """The protocol's channel in support-set normal form, for any domain size."""

    @abstractmethod
    def exact_profile(self, field: Field[Ordered] = RATIONALS) -> ExactProfile[Ordered]:  # type: ignore[assignment]
        """Return the profile in exact numbers (rationals by default; balls at flint's working precision).

        Raises:
            InexactError: If the field cannot hold the parameters, saying how to give the budget exactly.
        """

    @abstractmethod
    def channel(self) -> Channel:
        """Return the explicit channel over the protocol's own reports: exact where its parameters are rational.

        Raises:
            TooLargeError: If it would have more than four million cells.
        """

    @property
    @abstractmethod
    def report_bytes(self) -> int | None:
        """Bytes of one packed report; None if the protocol cannot be run with these parameters."""

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism:
        """The protocol ready to run: its probabilities as whole numbers of 2⁻⁶⁴, rounded so that a report says less.

        Raises:
            InputError: If it cannot be run with its parameters.
        """

    def perturb(self, values: object, *, rng: np.random.Generator) -> Reports:
        """Draw a report on each value, for simulation (to deploy, take :func:`qifldp.secure_client`).

        Args:
            values: Places 0..k − 1 of values in the domain, shape (n,).
            rng: The source of randomness; one state of it gives one result, on any number of cores.

        Raises:
            InputError: If a value is not a place of the domain, the source of randomness is none, or the protocol
                cannot be run.
        """
        return Reports(self, self.mechanism.draw(values, rng))

    def accumulator(self, *, weights: Weights = "value") -> Accumulator:
        """Return counts that have seen no report yet; ``plain`` weights keep no counts by size of report.

        Raises:
            InputError: If the protocol cannot be run with its parameters.
        """
        return Accumulator.empty(self, weights=weights)

    def _outward(self) -> tuple[int, int]:
        """Return p and q in units of 2⁻⁶⁴: the larger rounded down, the smaller up.

        Raises:
            InputError: If nothing, or more than was asked, would be left of their difference.
        """
        words = []
        for index in (0, 2):
            chance = self.chances[index]
            if isinstance(chance, Fraction):
                floor, exact = math.floor(chance * WORD), (chance * WORD).denominator == 1
            else:
                floor, exact = certain_floor(partial(self._chance_in_words, index)), False
            words.append((floor, floor if exact else floor + 1))
        (p_low, p_high), (q_low, q_high) = words
        if p_low > q_high:
            return p_low, q_high
        if q_low > p_high:
            return p_high, q_low
        raise InputError(TOO_CLOSE)

    def _chance_in_words(self, index: int) -> arb:
        return self._chance(index) * WORD

    @property
    def tight_epsilon(self) -> float:
        """The smallest ε for which the protocol is ε-LDP, in nats."""
        return self.profile.tight_epsilon

    @property
    def tight_budget(self) -> Budget | None:
        """The tight ε exactly, where it can be written as a budget; None where it cannot."""
        return None

    @property
    def spec(self) -> str:
        """The protocol as ``name:key=value,…``, which the command line reads back."""
        settings = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name.lower()}:{settings}"

    def __repr__(self) -> str:
        settings = "".join(f", {key}={value!r}" for key, value in self.parameters.items())
        return f"{self.name}(domain_size={self.domain_size}{settings})"

    def to_json(self) -> dict[str, object]:
        """Return the description as JSON: name, domain size and exact parameters (as text)."""
        return {"protocol": self.name, "domain_size": self.domain_size, "parameters": self.parameters}

    @cached_property
    def is_exact(self) -> bool:
        """Whether p and q are rational numbers."""
        try:
            self.support_probabilities(RATIONALS)
        except InexactError:
            return False
        return True

    @cached_property
    def chances(self) -> tuple[Fraction, ...] | tuple[float, ...]:
        """p, 1 − p, q and 1 − q: exact if they are rational, else the nearest doubles."""
        if self.is_exact:
            p, q = self.support_probabilities(RATIONALS)
            return p, 1 - p, q, 1 - q
        return tuple(nearest_float(partial(self._chance, index)) for index in range(4))

    def _chance(self, index: int) -> arb:
        p, q = self.support_probabilities(BALLS)
        return (p, 1 - p, q, 1 - q)[index]

    def variance(self, frequency: float, n: int) -> float:
        """Return the variance of the plain estimate of one frequency, about the data set.

            f̂ = (share of reports that support the value − q)/(p − q)
            Var f̂ = [f p(1 − p) + (1 − f) q(1 − q)] / (n (p − q)²)

        Args:
            frequency: True frequency f of the value in the data, 0 ≤ f ≤ 1.
            n: Number of reports.
        """
        if not 0 <= frequency <= 1:
            raise InputError.expected("frequency", "from 0 to 1", frequency)
        if not 1 <= n < math.inf:
            raise InputError.expected("n", "at least 1", n)
        present, absent = self._report_variances
        return (frequency * present + (1 - frequency) * absent) / n

    @cached_property
    def _report_variances(self) -> tuple[float, float]:
        """p(1 − p)/(p − q)² and q(1 − q)/(p − q)², rounded from balls."""

        def ratio(pick: int) -> arb:
            pair = self.support_probabilities(BALLS)
            chance, difference = pair[pick], pair[0] - pair[1]
            return chance * (1 - chance) / (difference * difference)

        return nearest_float(lambda: ratio(0)), nearest_float(lambda: ratio(1))


@dataclass(frozen=True, init=False, repr=False)
class BudgetedProtocol(Protocol):
    """A protocol that claims a budget ε, which its parameters follow from.

    Where a parameter is rounded to a whole number by default, ``default_range`` has the budgets at which the
    same number is taken.

    Attributes:
        budget: ε as it was given.
    """

    budget: Budget

    def __init__(self, domain_size: int, epsilon: object = None, *, exp_epsilon: object = None) -> None:
        """Describe the protocol.

        Args:
            domain_size: Number of values k, at least 2.
            epsilon: ε in nats: a number, or text such as ``"ln(3)"``.
            exp_epsilon: e^ε, in place of ε.

        Raises:
            InputError: If the domain size or the budget is out of range.
        """
        super().__init__(domain_size)
        object.__setattr__(self, "budget", Budget.read(epsilon, exp_epsilon))

    @property
    def epsilon(self) -> float:
        return self.budget.epsilon

    @property
    def parameters(self) -> dict[str, str]:
        return {"epsilon": str(self.budget)}

    @property
    def default_range(self) -> tuple[float | None, float | None]:
        """Budgets from which and up to which rounded defaults stay as they are; None where there is no end."""
        return None, None

    @property
    def tight_budget(self) -> Budget | None:
        return self.budget

    def at(self, budget: Budget) -> BudgetedProtocol:
        """Return the protocol with another budget and the same ω, g or θ, rounded or not."""
        make: Callable[..., BudgetedProtocol] = type(self)
        return make(self.domain_size, budget)

    def exp_epsilon(self, field: Field[Number]) -> Number:
        """Return e^ε in a field."""
        return field.exponential(self.budget)


@dataclass(frozen=True, init=False, repr=False)
class IndependentProtocol(Protocol):
    """A protocol whose report supports every value independently: the true one with p, any other with q."""

    @cached_property
    def profile(self) -> Profile:
        def ratio() -> arb:
            p, q = self.support_probabilities(BALLS)
            return (p * (1 - q) / ((1 - p) * q)).log()

        logs = [nearest_float(partial(self._log_chance, index)) for index in range(4)]
        return Profile.independent(self.domain_size, log_ratio=nearest_float(ratio), members=MemberLaw(*logs))

    def canonical_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        """Return p and q with p > q: those of the complement of the report, if it supports the secret less often."""
        p, q = self.support_probabilities(field)
        return (1 - p, 1 - q) if self.supports_less else (p, q)

    @property
    def supports_less(self) -> bool:
        """Whether a report supports the secret less often than any other value (p < q)."""
        return False

    def _log_chance(self, index: int) -> arb:
        return self._chance(index).log()

    def exact_profile(self, field: Field[Ordered] = RATIONALS) -> ExactProfile[Ordered]:  # type: ignore[assignment]
        p, q = self.canonical_probabilities(field)
        return ExactProfile.independent(self.domain_size, p=p, q=q, field=field)


def check_whole(value: object, what: str, low: int, high: int | None) -> int:
    """Return a parameter that must be a whole number in a range.

    Raises:
        InputError: If it is not.
    """
    number = int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else None
    if number is None and isinstance(value, str) and value.strip().isdecimal() and len(value) <= 400:
        number = int(value)
    if number is None or number < low or (high is not None and number > high):
        limits = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise InputError.expected(what, f"a whole number {limits}", value)
    return number
