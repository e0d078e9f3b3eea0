"""Subset selection (SS), and generalised randomised response (GRR), which is its one-element case."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from flint import arb

from qifldp.channels.channel import Channel, set_label
from qifldp.channels.exact_profile import ExactProfile
from qifldp.channels.profile import Profile
from qifldp.collection.subsets import SubsetMechanism, set_bytes
from qifldp.errors import TooLargeError
from qifldp.exact.balls import certain_floor, nearest_float
from qifldp.exact.budget import Budget
from qifldp.exact.fields import BALLS, RATIONALS, Field, Number, Ordered
from qifldp.protocols.protocol import LARGEST_MATRIX, BudgetedProtocol, check_whole


@dataclass(frozen=True, init=False, repr=False)
class SS(BudgetedProtocol):
    """Subset selection: report a set of ω values that holds the true one more often than chance (Def. 5).

        Pr[x ∈ S] = p = ω e^ε / (ω e^ε + k − ω);  the other members are uniform

    Attributes:
        omega: Size ω of the set, 1..k−1; by default max(1, ⌊k/(e^ε + 1) + 1/2⌋), whose variance at a frequency
            of 1/k is within 2.6 % of the least.
    """

    name = "SS"

    omega: int

    def __init__(
        self, domain_size: int, epsilon: object = None, *, exp_epsilon: object = None, omega: int | str | None = None
    ) -> None:
        super().__init__(domain_size, epsilon, exp_epsilon=exp_epsilon)
        size = self._best_size() if omega is None else check_whole(omega, "omega", 1, self.domain_size - 1)
        object.__setattr__(self, "omega", size)

    def _best_size(self) -> int:
        k, budget = self.domain_size, self.budget
        if budget.exp_epsilon is not None:
            return max(1, math.floor(k / (budget.exp_epsilon + 1) + Fraction(1, 2)))
        return max(1, certain_floor(lambda: k / (BALLS.exponential(budget) + 1) + BALLS.number(Fraction(1, 2))))

    @property
    def parameters(self) -> dict[str, str]:
        return super().parameters | {"omega": str(self.omega)}

    @property
    def default_range(self) -> tuple[float | None, float | None]:
        k, low = self.domain_size, self.domain_size / (self.omega + 0.5) - 1
        return (math.log(low) if low > 1 else None), (math.log(k / (self.omega - 0.5) - 1) if self.omega > 1 else None)

    def at(self, budget: Budget) -> SS:
        return SS(self.domain_size, budget, omega=self.omega)

    def support_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        k, weight = self.domain_size, self.exp_epsilon(field) * self.omega
        p = weight / (weight + (k - self.omega))
        return p, (self.omega - p) / (k - 1)

    @cached_property
    def profile(self) -> Profile:
        def ratio() -> arb:
            return self.budget.ball()

        return Profile.fixed_size(self.domain_size, log_ratio=nearest_float(ratio), size=self.omega)

    def exact_profile(self, field: Field[Ordered] = RATIONALS) -> ExactProfile[Ordered]:  # type: ignore[assignment]
        return ExactProfile.fixed_size(self.domain_size, ratio=self.exp_epsilon(field), size=self.omega, field=field)

    def channel(self) -> Channel:
        k, size = self.domain_size, self.omega
        if k * min(math.comb(k, size), LARGEST_MATRIX) > LARGEST_MATRIX:
            raise TooLargeError(f"The channel of {self.name} over {k} values is too large to write out.")
        p, not_p, _, _ = self.chances
        present, absent = p / math.comb(k - 1, size - 1), not_p / math.comb(k - 1, size)
        sets = list(combinations(range(k), size))
        matrix = [[present if x in chosen else absent for chosen in sets] for x in range(k)]
        return Channel(matrix, outputs=[set_label(chosen) for chosen in sets], normalize=not self.is_exact)

    @cached_property
    def mechanism(self) -> SubsetMechanism:
        return SubsetMechanism(self.domain_size, self._outward()[0], self.omega)

    @property
    def report_bytes(self) -> int:
        return set_bytes(self.domain_size, self.omega)


@dataclass(frozen=True, init=False, repr=False)
class GRR(SS):
    """Generalised (k-ary) randomised response: report the true value with p, any other with q (Def. 4).

    p = e^ε / (e^ε + k − 1),  q = 1 / (e^ε + k − 1)
    """

    name = "GRR"

    def __init__(self, domain_size: int, epsilon: object = None, *, exp_epsilon: object = None) -> None:
        super().__init__(domain_size, epsilon, exp_epsilon=exp_epsilon, omega=1)

    @property
    def parameters(self) -> dict[str, str]:
        return {"epsilon": str(self.budget)}

    @property
    def default_range(self) -> tuple[float | None, float | None]:
        return None, None
