"""The table behind the protocol contract: every protocol, over domains, budgets and parameters.

A protocol that is listed in the package and has no row here fails the contract. Each row states the protocol's
parameters from its published definition; the reports are enumerated in ``oracles.definitions``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from oracles.brute_force import Number, as_decimal, decimals, largest_ratio
from oracles.definitions import (
    BudgetCase,
    Table,
    local_hashing,
    matrix_of,
    public_mixture,
    subset_selection,
    unary_encoding,
)
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

DOMAINS = (2, 3, 4, 5, 6)

BUDGETS = (
    BudgetCase((("epsilon", "ln(3)"),), Fraction(1), Fraction(3)),
    BudgetCase((("epsilon", "2*ln(3)"),), Fraction(2), Fraction(3)),
    BudgetCase((("exp_epsilon", "9/4"),), Fraction(1), Fraction(9, 4)),
    BudgetCase((("exp_epsilon", 4),), Fraction(1), Fraction(4)),
    BudgetCase((("exp_epsilon", 256),), Fraction(1), Fraction(256)),  # an eighth power: THE is rational at θ = 3/4
    BudgetCase((("epsilon", 0.1),), Fraction(1, 10)),
    BudgetCase((("epsilon", 1),), Fraction(1)),
    BudgetCase((("epsilon", "3.7"),), Fraction(37, 10)),
)

UNARY_CHANCES = (("1/2", "1/10"), ("0.75", "0.25"), ("2/10", "7/10"), ("0.9", "0.89"), ("1/1000", "999/1000"))
"""p and q of UE, p < q among them."""

MIXTURES = (
    "0.3*grr + 0.7*sue",
    "1/3*SS@2 + 1/2*ss@1",
    "0.125*blh + 0.25*oue + 1e-3*ss",
    "1*lh@3",
    "0.5*olh + 0.5*grr",
)
"""Parts of MIX; in two of them something is left for silence."""

MOST_HASHES = 4_000
"""Pairs of a hash and a bucket that are enumerated for one case."""

HALF = Fraction(1, 2)

THETA_STEPS = 10**12
"""The default threshold of THE has twelve decimals."""


@dataclass(frozen=True)
class Case:
    """One protocol with one set of parameters.

    Attributes:
        name: Its key in the package's list of protocols.
        title: What to call it in a test's name.
        make: Builds the protocol with the package.
        enumerate: Enumerates its reports from the definition.
        claimed: e^ε as it is claimed, None where the protocol claims what it has.
    """

    name: str
    title: str
    domain_size: int
    make: Callable[[], Protocol]
    enumerate: Callable[[], Table]
    claimed: Number | None

    @cached_property
    def protocol(self) -> Protocol:
        return self.make()

    @cached_property
    def table(self) -> Table:
        return self.enumerate()

    @cached_property
    def matrix(self) -> list[list[Number]]:
        return matrix_of(self.table)

    @cached_property
    def decimal_matrix(self) -> list[list[Decimal]]:
        """The matrix in decimals of sixty digits."""
        return [decimals(row) for row in self.matrix]

    @cached_property
    def ratio(self) -> Number:
        """The likelihood ratio of the whole report."""
        return largest_ratio(self.matrix)

    @property
    def is_rational(self) -> bool:
        return isinstance(self.matrix[0][0], Fraction)

    def __str__(self) -> str:
        return self.title


def all_cases() -> list[Case]:
    """Return every row of the table."""
    cases = [case for k in DOMAINS for budget in BUDGETS for case in _budgeted(k, budget)]
    return cases + [_unary(k, p, q) for k in DOMAINS for p, q in UNARY_CHANCES]


def _budgeted(k: int, budget: BudgetCase) -> Iterator[Case]:
    arguments: dict[str, object] = dict(budget.keywords)
    stated = ",".join(f"{key}={value}" for key, value in budget.keywords)
    (weight,) = budget.powers(Fraction(1))

    def case(kind: type[Protocol], enumerate_reports: Callable[[], Table], **extra: object) -> Case:
        title = ",".join([f"{kind.name}-k={k},{stated}", *(f"{key}={value}" for key, value in extra.items())])
        build: Callable[..., Protocol] = kind
        claimed = budget.powers(Fraction(1))[0]
        return Case(kind.name.lower(), title, k, lambda: build(k, **arguments, **extra), enumerate_reports, claimed)

    yield case(GRR, lambda: subset_selection(k, 1, weight))
    rounded = max(1, int(Fraction(k) / (1 + Fraction(as_decimal(weight))) + HALF))
    yield case(SS, lambda: subset_selection(k, rounded, weight))
    for omega in range(1, k):
        yield case(SS, lambda omega=omega: subset_selection(k, omega, weight), omega=omega)  # type: ignore[misc]
    yield case(BLH, lambda: local_hashing(k, 2, weight))
    buckets = int(Fraction(as_decimal(weight)) + Fraction(3, 2))
    if buckets ** (k + 1) <= MOST_HASHES:
        yield case(OLH, lambda: local_hashing(k, buckets, weight))
    for g in (2, 3, 4, 5, 9, 14):
        if g ** (k + 1) <= MOST_HASHES:
            yield case(LH, lambda g=g: local_hashing(k, g, weight), g=g)  # type: ignore[misc]
    yield case(SUE, lambda: _sue(k, budget))
    yield case(OUE, lambda: unary_encoding(k, (weight + 1) / (weight + 1) / 2, 1 / (weight + 1)))
    components: dict[str, Callable[[], Table]] = {
        "grr": lambda: subset_selection(k, 1, weight),
        "ss": lambda: subset_selection(k, rounded, weight),
        "ss@1": lambda: subset_selection(k, 1, weight),
        "SS@2": lambda: subset_selection(k, 2, weight),
        "blh": lambda: local_hashing(k, 2, weight),
        "lh@3": lambda: local_hashing(k, 3, weight),
        "olh": lambda: local_hashing(k, buckets, weight),
        "sue": lambda: _sue(k, budget),
        "oue": lambda: unary_encoding(k, (weight + 1) / (weight + 1) / 2, 1 / (weight + 1)),
    }
    for mixture in MIXTURES:
        shares = [(Fraction(share), name) for share, name in (part.split("*") for part in mixture.split(" + "))]
        names = {name for _, name in shares}
        if not ("SS@2" in names and k == 2) and not ("olh" in names and buckets ** (k + 1) > MOST_HASHES):
            yield case(
                Mix,
                lambda shares=shares: public_mixture(k, [(share, components[name]()) for share, name in shares]),  # type: ignore[misc]
                parts=mixture,
            )
    for theta in ("0.5", "0.75", "1", None):
        chosen = {} if theta is None else {"theta": theta}
        yield case(THE, lambda theta=theta: _the(k, budget, theta), **chosen)  # type: ignore[misc]


def _sue(k: int, budget: BudgetCase) -> Table:
    (root,) = budget.powers(HALF)
    return unary_encoding(k, root / (root + 1), 1 / (root + 1))


def _the(k: int, budget: BudgetCase, theta: str | None) -> Table:
    """Bits of a one-hot vector with Laplace noise of scale 2/ε: above θ from 1, and above θ from 0."""
    threshold = best_threshold(budget) if theta is None else Fraction(theta)
    stay, rise = budget.powers((threshold - 1) / 2, -threshold / 2)
    return unary_encoding(k, 1 - stay / 2, rise / 2)


def best_threshold(budget: BudgetCase) -> Fraction:
    """Return the θ in [1/2, 1], of twelve decimals, with the least q(1 − q)/(p − q)², by trisection."""
    low, high = THETA_STEPS // 2, THETA_STEPS

    def variance(step: int) -> Decimal:
        theta = Fraction(step, THETA_STEPS)
        p, q = 1 - budget.power((theta - 1) / 2) / 2, budget.power(-theta / 2) / 2
        return q * (1 - q) / (p - q) ** 2

    while high - low > 2:
        first, second = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, second) if variance(first) < variance(second) else (first, high)
    return Fraction(min(range(low, high + 1), key=variance), THETA_STEPS)


def _unary(k: int, p: str, q: str) -> Case:
    return Case(
        UE.name.lower(),
        f"UE-k={k},p={p},q={q}",
        k,
        lambda: UE(k, p=p, q=q),
        lambda: unary_encoding(k, Fraction(p), Fraction(q)),
        None,
    )
