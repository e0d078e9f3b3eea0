"""The closed rules, checked: refinement that a few inequalities between masses decide, without a witness.

Here a tie is a proof: an inequality that balls cannot decide is compared in exact numbers, rationals if both sides
have rational parameters, else rational functions of one power of e (:mod:`qifldp.exact.symbolic`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeAlias

from flint import arb

from qifldp.errors import InexactError
from qifldp.exact.fields import BALLS, RATIONALS, Field, Number
from qifldp.protocols.protocol import IndependentProtocol, Protocol
from qifldp.refinement.masses import (
    Choice,
    aligned_mass,
    choice_of,
    chosen_masses,
    common_field,
    interior_mass,
    interior_masses,
    interior_sizes,
    masses_of_a_set,
    may_be_silent,
    only_size,
    only_telling_size,
    ratio,
    share_ratio,
    sizes_of,
    without_common,
)
from qifldp.refinement.verified import CertificateError, UnclearError

Claim: TypeAlias = tuple[Number, Number, str]
"""low ≤ high, and what to say if it is not so."""


@dataclass(frozen=True)
class ClosedRule(ABC):
    """A sufficient condition for original ⊑ refined: some inequalities, all of which must hold."""

    original: Protocol
    refined: Protocol

    largest_symbolic: ClassVar[int] = 200
    """Extent up to which ties are looked for among rational functions, whose degree grows with it."""

    largest_rational: ClassVar[int] = 100_000
    """Extent up to which ties are looked for among rationals."""

    most_bits: ClassVar[int] = 2_000_000
    """Extent times bits of the chances up to which rationals are compared: a number has about as many bits."""

    @property
    def extent(self) -> int:
        """What the work in exact numbers grows with: the domain size, unless few numbers depend on it."""
        return self.original.domain_size

    @property
    def _bits(self) -> int:
        """Bits of the largest denominator of a chance that is raised to powers."""
        return max(_bits_of(self.original), _bits_of(self.refined))

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
        if self.original.is_exact and self.refined.is_exact:
            if self.extent > self.largest_rational or self.extent * self._bits > self.most_bits:
                return frozenset()
            return frozenset(i for i, (low, high, _) in enumerate(self.claims(RATIONALS)) if low <= high)
        if self.extent > self.largest_symbolic:
            return frozenset()
        try:
            field = common_field(self.original, self.refined)
            return frozenset(i for i, (low, high, _) in enumerate(self.claims(field)) if field.equal(low, high))
        except InexactError:
            return frozenset()  # two budgets that no power joins: left to the balls


@dataclass(frozen=True)
class EqualRatioRule(ClosedRule):
    """One ρ: A ⊑ B if and only if μ_A[w] ≥ μ_B[w] for all 1 ≤ w ≤ k − 1."""

    most_masses: ClassVar[int] = 1_000_000
    """Sizes times protocols whose masses are compared in balls: some ten seconds."""

    def __post_init__(self) -> None:
        if not share_ratio(self.original, self.refined):
            raise CertificateError("The two protocols are not known to have exactly one ρ.")
        if len(self._sizes) * sum(map(len, self._rests)) > self.most_masses:
            raise CertificateError(f"A proof of kind equal_ratio compares at most {self.most_masses:,} masses.")

    @property
    def extent(self) -> int:
        """Two numbers of k factors each, for one or two sizes; more sizes, more of them; none for sets of few sizes."""
        return self.original.domain_size * max(1, len(self._sizes) // 2) if self._has_bits else len(self._sizes)

    def claims(self, field: Field[Number]) -> Iterator[Claim[Number]]:
        masses = masses_of_a_set if self._has_bits else chosen_masses
        more, less = (masses(rest, self._sizes, field) for rest in self._rests)
        for size, mass, other in zip(self._sizes, less, more, strict=True):
            yield mass, other, f"A has less mass than B at size {size}."

    @cached_property
    def _rests(self) -> tuple[Choice, Choice]:
        """What is left of A and of B when what both are mixed from is taken away."""
        return without_common(choice_of(self.original), choice_of(self.refined))

    @property
    def _has_bits(self) -> bool:
        """Whether any members are independent."""
        return any(isinstance(part, IndependentProtocol) for rest in self._rests for part in rest)

    @cached_property
    def _sizes(self) -> tuple[int, ...] | range:
        """The sizes that have to be compared."""
        more, less = self._rests
        if len(more) == len(less) == 1:
            ((a, weight_a),), ((b, weight_b),) = more.items(), less.items()
            if isinstance(a, IndependentProtocol) and isinstance(b, IndependentProtocol):
                # At one ρ, ln μ_A[w] − ln μ_B[w] is linear in w for independent members: its ends decide.
                return () if weight_a >= weight_b and _one_law(a, b) else (1, a.domain_size - 1)
        return sizes_of(less)


def _bits_of(protocol: Protocol) -> int:
    return max(chance.denominator.bit_length() for chance in protocol.support_probabilities(RATIONALS))


def _one_law(a: IndependentProtocol, b: IndependentProtocol) -> bool:
    """Whether the members have one law, so that there is one profile at every domain size."""
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
    most_bits: ClassVar[int] = 10**18

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

    B has reports of one size ω, perhaps with some that say nothing: A ⊑ B if and only if as much of A's mass, the best
    aligned first, has a mean M(w, ω) ≥ T(ω).
    """

    largest_symbolic: ClassVar[int] = 12
    """Measured: the sum over A's sizes takes 0.1 s in rational functions at 12 values, and grows like k⁴."""

    largest_rational: ClassVar[int] = 2_000
    """Measured: the sum over A's sizes takes 2 s in rationals."""

    most_bits: ClassVar[int] = 20_000

    largest_domain: ClassVar[int] = 200_000
    """All masses, or all sizes, are gone through in balls: some ten seconds."""

    def __post_init__(self) -> None:
        if self.original.domain_size > self.largest_domain:
            raise CertificateError(f"A proof of kind one_size is checked over at most {self.largest_domain:,} values.")
        if only_size(self.original) is None and only_telling_size(self.refined) is None:
            raise CertificateError("Neither side has reports of one size only.")

    @property
    def extent(self) -> int:
        return 1 + max(len(interior_sizes(side)) for side in (self.original, self.refined))

    @property
    def _bits(self) -> int:
        return _bits_of(self.original)  # only A's masses are added up

    def claims(self, field: Field[Number]) -> Iterator[Claim[Number]]:
        a, b, k = self.original, self.refined, self.original.domain_size
        rho_a, rho_b, from_size = ratio(a, field), ratio(b, field), only_size(a)
        if from_size is not None:
            for size in interior_sizes(b):
                why = f"B's posterior of size {size} is not reached."
                yield aligned_mass(k, rho_b, size, size), aligned_mass(k, rho_a, from_size, size), why
            return
        size = self._target
        wanted = interior_mass(b, size, field)
        taken, last = self._taken
        left, reached, last_mass = wanted, field.number(0), field.number(0)
        for w, mass in interior_masses(a, field):
            if w == last:
                last_mass = mass
            elif taken is None or w in taken:
                reached = reached + mass * aligned_mass(k, rho_a, w, size)
                left = left - mass
        if taken is not None:  # else B's mass is one, and A's no more
            yield field.number(0), left, f"B has less mass than A at the sizes nearest to {size}."
        if last:
            yield left, last_mass, f"A has less mass than B at the sizes nearest to {size}."
            reached = reached + left * aligned_mass(k, rho_a, last, size)
        else:
            reached = reached + left * size / k  # reports that say nothing put w'/k on every set
        yield wanted * aligned_mass(k, rho_b, size, size), reached, f"B's posterior of size {size} is not reached."

    @property
    def _target(self) -> int:
        size = only_telling_size(self.refined)
        assert size is not None
        return size

    @cached_property
    def _taken(self) -> tuple[frozenset[int] | None, int]:
        """The sizes of A whose whole mass is taken, None for all; and one of whose mass a part is taken, 0 for none.

        The best aligned first, as far as the middles of balls tell: a choice that the claims check.
        """
        if not may_be_silent(self.refined):
            return None, 0
        k, size, rho = self.original.domain_size, self._target, ratio(self.original, BALLS)
        levels = ((aligned_mass(k, rho, w, size).mid(), w, mass) for w, mass in interior_masses(self.original, BALLS))
        left = arb(interior_mass(self.refined, size, BALLS).mid())
        taken: set[int] = set()
        for _, w, mass in sorted(levels, key=lambda one: -one[0]):
            if arb(mass.mid()) >= left:
                return frozenset(taken), w
            left = arb((left - mass).mid())
            taken.add(w)
        return frozenset(taken), 0


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
