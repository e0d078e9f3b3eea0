"""The closed rules, checked: refinement that a few inequalities between masses decide, without a witness.

Here a tie is a proof: an inequality that balls cannot decide is compared in exact numbers, rationals if both sides
have rational parameters, else rational functions of one power of e (:mod:`qifldp.exact.symbolic`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeAlias

from flint import arb

from qifldp.channels.exact_profile import independent_mass
from qifldp.errors import InexactError
from qifldp.exact.fields import BALLS, RATIONALS, Field, Number
from qifldp.exact.symbolic import SymbolicField
from qifldp.protocols.protocol import BudgetedProtocol, IndependentProtocol, Protocol
from qifldp.protocols.subset_selection import SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import SUE
from qifldp.refinement.verified import CertificateError, UnclearError

Claim: TypeAlias = tuple[Number, Number, str]
"""low ≤ high, and what to say if it is not so."""


@dataclass(frozen=True)
class ClosedRule(ABC):
    """A sufficient condition for original ⊑ refined: some inequalities, all of which must hold."""

    original: Protocol
    refined: Protocol

    largest_symbolic: ClassVar[int] = 200
    """Domain size up to which ties are looked for among rational functions, whose degree grows with it."""

    largest_rational: ClassVar[int] = 100_000
    """Domain size up to which ties are looked for among rationals."""

    @abstractmethod
    def claims(self, field: Field[Number]) -> Iterator[Claim[Number]]:
        """Yield the inequalities in a number field, always as many and in the same order."""

    def check(self) -> None:
        """Check the inequalities at the working precision.

        Raises:
            CertificateError: If one is false.
            UnclearError: If one is neither decided by its balls nor known to be an equation.
        """
        unclear = set()
        for index, (low, high, why) in enumerate(self.claims(BALLS)):
            if low > high:
                raise CertificateError(why)
            if not low <= high:
                unclear.add(index)
        if unclear and not unclear <= self.exactly_true:
            raise UnclearError

    @cached_property
    def exactly_true(self) -> frozenset[int]:
        """The inequalities that exact numbers show to hold."""
        k = self.original.domain_size
        if self.original.is_exact and self.refined.is_exact:
            if k > self.largest_rational:
                return frozenset()
            return frozenset(i for i, (low, high, _) in enumerate(self.claims(RATIONALS)) if low <= high)
        if k > self.largest_symbolic:
            return frozenset()
        try:
            field = common_field(self.original, self.refined)
            return frozenset(i for i, (low, high, _) in enumerate(self.claims(field)) if field.equal(low, high))
        except InexactError:
            return frozenset()  # two budgets that no power joins: left to the balls


@dataclass(frozen=True)
class EqualRatioRule(ClosedRule):
    """One ρ: A ⊑ B if and only if μ_A[w] ≥ μ_B[w] for all 1 ≤ w ≤ k − 1."""

    def __post_init__(self) -> None:
        if not share_ratio(self.original, self.refined):
            raise CertificateError("The two protocols are not known to have exactly one ρ.")

    def claims(self, field: Field[Number]) -> Iterator[Claim[Number]]:
        a, b, k = self.original, self.refined, self.original.domain_size
        sizes: Iterable[int] = interior_sizes(b)
        if isinstance(a, IndependentProtocol) and isinstance(b, IndependentProtocol):
            # At one ρ, ln μ_A[w] − ln μ_B[w] is linear in w for independent members: its ends decide.
            sizes = () if self._one_law else (1, k - 1)
        for size in sizes:
            why = f"A has less mass than B at size {size}."
            yield interior_mass(b, size, field), interior_mass(a, size, field), why

    @cached_property
    def _one_law(self) -> bool:
        """Whether the members have one law, so that there is one profile at every domain size."""
        a, b = self.original, self.refined
        assert isinstance(a, IndependentProtocol)
        assert isinstance(b, IndependentProtocol)
        if a.is_exact and b.is_exact:
            return a.canonical_probabilities(RATIONALS) == b.canonical_probabilities(RATIONALS)
        try:
            field = common_field(a, b)
            (p, q), (r, s) = a.canonical_probabilities(field), b.canonical_probabilities(field)
        except InexactError:
            return False
        return field.equal(p, r) and field.equal(q, s)


@dataclass(frozen=True)
class BitwiseRule(ClosedRule):
    """Independent members, and A's channel of one bit is refined to B's (paper, Lemmas 1 and 4)."""

    largest_symbolic: ClassVar[int] = 10**9  # nothing in it depends on the domain
    largest_rational: ClassVar[int] = 10**9

    def __post_init__(self) -> None:
        if not (isinstance(self.original, IndependentProtocol) and isinstance(self.refined, IndependentProtocol)):
            raise CertificateError("The bitwise proof needs reports with independent members on both sides.")

    def claims(self, field: Field[Number]) -> Iterator[Claim[Number]]:
        assert isinstance(self.original, IndependentProtocol)
        assert isinstance(self.refined, IndependentProtocol)
        (p, q), (r, s) = self.original.canonical_probabilities(field), self.refined.canonical_probabilities(field)
        yield (1 - p) * (1 - s), (1 - r) * (1 - q), "The bit of B says more when it is 0 than that of A."
        yield r * q, p * s, "The bit of B says more when it is 1 than that of A."


@dataclass(frozen=True)
class OneSizeRule(ClosedRule):
    """A has reports of one size ω: A ⊑ B if and only if M(ω, w') ≥ T(w') at every interior size w' of B.

    B has reports of one size ω, perhaps with some that say nothing: A ⊑ B if and only if enough of A's mass, the
    best aligned first, has a mean M(w, ω) ≥ T(ω).
    """

    largest_symbolic: ClassVar[int] = 12
    """Measured: the sum over A's sizes takes 0.1 s in rational functions at 12 values, and grows like k⁴."""

    largest_rational: ClassVar[int] = 2_000
    """Measured: the sum over A's sizes takes 2 s in rationals."""

    def __post_init__(self) -> None:
        if not (isinstance(self.original, SS) or isinstance(self.refined, SS) or self.original.domain_size == 2):
            raise CertificateError("Neither side has reports of one size only.")

    def claims(self, field: Field[Number]) -> Iterator[Claim[Number]]:
        a, b, k = self.original, self.refined, self.original.domain_size
        rho_a, rho_b = ratio(a, field), ratio(b, field)
        if isinstance(a, SS):
            for size in interior_sizes(b):
                why = f"B's posterior of size {size} is not reached."
                yield aligned_mass(k, rho_b, size, size), aligned_mass(k, rho_a, a.omega, size), why
            return
        size = b.omega if isinstance(b, SS) else 1
        wanted = interior_mass(b, size, field)
        reached = field.number(0)
        if k == 2 and _smaller(b, a):
            yield wanted, interior_mass(a, 1, field), "A has less mass than B at size 1."
            reached = wanted * aligned_mass(k, rho_a, 1, 1)
        else:
            left = wanted
            for w in range(1, k):
                mass = interior_mass(a, w, field)
                reached = reached + mass * aligned_mass(k, rho_a, w, size)
                left = left - mass
            reached = reached + left * size / k  # reports that say nothing put w'/k on every set
            yield field.number(0), left, "B has less mass than A at size 1."
        yield wanted * aligned_mass(k, rho_b, size, size), reached, f"B's posterior of size {size} is not reached."


@dataclass(frozen=True)
class ReachRule(ClosedRule):
    """For the max-case order: each posterior of B lies in the hull of A's, at a size of A that is named.

    Attributes:
        pairs: Pairs (w', w).
    """

    pairs: tuple[tuple[int, int], ...]

    def claims(self, field: Field[Number]) -> Iterator[Claim[Number]]:
        a, b, k = self.original, self.refined, self.original.domain_size
        rho_a, rho_b, named, occurring = ratio(a, field), ratio(b, field), dict(self.pairs), interior_sizes(a)
        one_ratio = share_ratio(a, b)
        for size in interior_sizes(b):
            by = named.get(size, 0)
            if by not in occurring:
                raise CertificateError(f"No size of A is named that reaches B's posterior of size {size}.")
            if not (one_ratio and by == size):
                why = f"B's posterior of size {size} is not reached."
                yield aligned_mass(k, rho_b, size, size), aligned_mass(k, rho_a, by, size), why


def common_field(original: Protocol, refined: Protocol) -> SymbolicField:
    """Return a field in which the parameters of both protocols can be written.

    Raises:
        InexactError: If there is none.
    """
    exponents = []
    for side in (original, refined):
        if isinstance(side, BudgetedProtocol):
            root = 2 * side.theta.denominator if isinstance(side, THE) else 2 if isinstance(side, SUE) else 1
            exponents.append((side.budget.multiple / root, side.budget.base))
    return SymbolicField.joining(exponents)


def share_ratio(original: Protocol, refined: Protocol) -> bool:
    """Whether two protocols are known to have exactly one ρ."""
    return original.tight_budget is not None and original.tight_budget == refined.tight_budget


def ratio(protocol: Protocol, field: Field[Number]) -> Number:
    """Return ρ."""
    if isinstance(protocol, IndependentProtocol):
        p, q = protocol.canonical_probabilities(field)
        return p * (1 - q) / ((1 - p) * q)
    assert isinstance(protocol, SS)
    return protocol.exp_epsilon(field)


def interior_sizes(protocol: Protocol) -> tuple[int, ...] | range:
    """Return the sizes 1 ≤ w ≤ k − 1 that occur."""
    return (protocol.omega,) if isinstance(protocol, SS) else range(1, protocol.domain_size)


def interior_mass(protocol: Protocol, size: int, field: Field[Number]) -> Number:
    """Return μ[w] of an interior size w, 1 ≤ w ≤ k − 1."""
    if isinstance(protocol, IndependentProtocol):
        p, q = protocol.canonical_probabilities(field)
        return independent_mass(protocol.domain_size, p=p, q=q, size=size, field=field)
    assert isinstance(protocol, SS)
    return field.number(1 if protocol.omega == size else 0)


def aligned_mass(domain_size: int, rho: Number, size: int, target: int) -> Number:
    """Return M(w, w'): the posterior mass of the best-aligned set of w' values after a report of w of them, w ≥ 1."""
    overlap = min(size, target)
    return (rho * overlap + (target - overlap)) / (rho * size + (domain_size - size))


def _smaller(first: Protocol, second: Protocol) -> bool:
    """Whether the first seems to have less mass at size 1: a guess, from which nothing follows."""
    one, other = (interior_mass(side, 1, BALLS) for side in (first, second))
    return bool(arb(one.mid()) <= arb(other.mid()))
