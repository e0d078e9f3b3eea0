"""Statements about polynomials: comparisons joined by and, or, not; written as SMT-LIB 2, and evaluated exactly."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import fmpq, fmpq_mpoly

from qifldp.proofs.terms import Bit, Term

Relation = Literal[">=", ">", "="]

Point = Mapping[str, Fraction]
"""A rational value for every variable."""


class Formula(ABC):
    """A statement that is true or false at every point."""

    @abstractmethod
    def text(self) -> str:
        """Return the statement as an SMT-LIB 2 term."""

    @abstractmethod
    def holds_at(self, point: Point) -> bool:
        """Whether the statement is true at a rational point, computed exactly."""

    @abstractmethod
    def obligations(self) -> Iterator[Formula]:
        """Yield what has to be true for the statement to mean what it was built from: denominators do not vanish."""


@dataclass(frozen=True, eq=False)
class Compare(Formula):
    """polynomial ≥ 0, > 0 or = 0, perhaps made of a rational function, on condition of its denominator.

    A denominator with positive coefficients only is multiplied out on condition that it is positive, any other (by its
    square, but in an equation) on condition that it is not zero.
    """

    polynomial: fmpq_mpoly
    relation: Relation
    condition: Formula | None = None

    @classmethod
    def of(cls, term: Term, relation: Relation) -> Compare:
        """Return the comparison of a rational function with zero."""
        top, bottom = term.top, term.bottom
        if bottom.is_constant():  # one, in lowest terms
            return cls(top, relation)
        if all(coefficient > 0 for coefficient in bottom.coeffs()):
            return cls(top, relation, cls(bottom, ">"))
        return cls(top if relation == "=" else top * bottom, relation, Not(cls(bottom, "=")))

    def text(self) -> str:
        return f"({self.relation} {_polynomial(self.polynomial)} 0)"

    def holds_at(self, point: Point) -> bool:
        values = [point[name] for name in self.polynomial.context().names()]
        value = self.polynomial(*(fmpq(x.numerator, x.denominator) for x in values))
        return bool(value >= 0 if self.relation == ">=" else value > 0 if self.relation == ">" else value == 0)

    def obligations(self) -> Iterator[Formula]:
        if self.condition is not None:
            yield self.condition


@dataclass(frozen=True, eq=False)
class All(Formula):
    """Every part is true."""

    parts: Sequence[Formula]

    def text(self) -> str:
        return f"(and {' '.join(part.text() for part in self.parts)})" if self.parts else "true"

    def holds_at(self, point: Point) -> bool:
        return all(part.holds_at(point) for part in self.parts)

    def obligations(self) -> Iterator[Formula]:
        for part in self.parts:
            yield from part.obligations()


@dataclass(frozen=True, eq=False)
class Not(Formula):
    """The part is false."""

    part: Formula

    def text(self) -> str:
        return f"(not {self.part.text()})"

    def holds_at(self, point: Point) -> bool:
        return not self.part.holds_at(point)

    def obligations(self) -> Iterator[Formula]:
        yield from self.part.obligations()


def implies(first: Formula, second: Formula) -> Formula:
    """Return the statement that the second is true wherever the first is."""
    return Not(All([first, Not(second)]))


def equivalent(first: Formula, second: Formula) -> Formula:
    """Return the statement that both are true at the same points."""
    return All([implies(first, second), implies(second, first)])


def let(name: Term, value: Term, then: Formula) -> Formula:
    """Return the statement that a rational function has a value, and that with this value as ``name`` the rest is true.

    The name is multiplied by the denominator: so what is said of it is left to provers, where a sum of rational
    functions that is zero would be gone before they see it.
    """
    one = name / name
    top, bottom = Term(value.top, one.bottom), Term(value.bottom, one.bottom)
    return All([Not(same(bottom, 0)), implies(same(name * bottom, top), then)])


def at_least(first: Term, second: Term | int) -> Formula:
    """Return first ≥ second."""
    return Compare.of(first - second, ">=")


def above(first: Term, second: Term | int) -> Formula:
    """Return first > second."""
    return Compare.of(first - second, ">")


def same(first: Term, second: Term | int) -> Formula:
    """Return first = second."""
    return Compare.of(first - second, "=")


def bit_refines(*, original: Bit, refined: Bit) -> Formula:
    """Return original ⊑ refined for channels of one bit with α + β ≤ 1 (Lemma 1 (3), multiplied out).

    β_C (1 − α_D) ≤ β_D (1 − α_C)  and  (1 − β_C) α_D ≥ (1 − β_D) α_C,  with C the original, D the refined.
    Lemma 1 is itself a claim of the ledger.
    """
    a, b, c, d = original.alpha, original.beta, refined.alpha, refined.beta
    return All([at_least(d * (1 - a), b * (1 - c)), at_least((1 - b) * c, (1 - d) * a)])


def _polynomial(polynomial: fmpq_mpoly) -> str:
    """Return a polynomial in whole numbers: a positive multiple, which compares with zero alike."""
    names = polynomial.context().names()
    whole = math.lcm(*(int(coefficient.q) for coefficient in polynomial.coeffs()))
    terms = []
    for exponents, coefficient in polynomial.terms():
        powers = [name for name, power in zip(names, exponents, strict=True) for _ in range(power)]
        number = int((coefficient * whole).p)
        shown = str(number) if number >= 0 else f"(- {-number})"
        factors = powers if number == 1 and powers else [shown, *powers]
        terms.append(factors[0] if len(factors) == 1 else f"(* {' '.join(factors)})")
    return terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})" if terms else "0"
