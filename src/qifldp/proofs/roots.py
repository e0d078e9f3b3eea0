"""The budgets ε_k from which SUE is refined to OUE over k values: roots of polynomials in s = e^{ε/2}, isolated.

At one ε both have ρ = e^ε, so SUE ⊑ OUE exactly when μ_SUE[w] ≥ μ_OUE[w] for w = 1..k−1 (the equal-ρ theorem).
Each difference is a rational function of s with a positive denominator; its numerator is a polynomial with whole
coefficients, whose roots above 1 are isolated in disjoint balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq_poly, fmpz_poly

from qifldp.channels.exact_profile import independent_mass
from qifldp.exact.budget import Budget
from qifldp.exact.symbolic import Symbolic, SymbolicField
from qifldp.proofs.claim import UncheckedError
from qifldp.protocols.protocol import IndependentProtocol
from qifldp.protocols.unary_encoding import OUE, SUE

ANY_BUDGET = Budget(Fraction(1))
"""e^{1/2} is transcendental: a rational function of it is one of s, for every ε at once."""

HALF_BUDGET = SymbolicField(Fraction(1, 2))
"""Rational functions of s = e^{ε/2}, with ε marked by ANY_BUDGET."""

PRECISION = 400
"""Bits of the balls: a hundred digits of every root."""


@dataclass(frozen=True)
class Threshold:
    """The budgets at which the sizes' masses allow refinement: all from one ε on.

    Attributes:
        domain_size: k.
        size: The w whose condition holds last.
        polynomial: The irreducible polynomial with whole coefficients of which s = e^{ε_k/2} is a root.
        root: A ball around s, of 400 bits.
    """

    domain_size: int
    size: int
    polynomial: fmpz_poly
    root: arb

    @property
    def epsilon(self) -> arb:
        """ε_k = 2 ln s, as a ball."""
        with ctx.workprec(PRECISION):
            return 2 * self.root.log()

    def decimals(self, digits: int, *, radius: bool = False) -> str:
        """Return ε_k to so many digits, alone or as a ball with its radius."""
        with ctx.workprec(PRECISION):
            return str(self.epsilon.str(digits, radius=radius))

    def sides(self, digits: int) -> tuple[Fraction, Fraction]:
        """Return the decimals of so many digits just below and just above ε_k."""
        with ctx.workprec(PRECISION):
            floor = (self.epsilon * 10**digits).floor().unique_fmpz()
        if floor is None:
            raise UncheckedError(f"ε_{self.domain_size} is not known to {digits} decimals.")
        return Fraction(int(floor), 10**digits), Fraction(int(floor) + 1, 10**digits)


def mass(protocol: type[IndependentProtocol], domain_size: int, size: int, **settings: object) -> Symbolic:
    """Return μ[w] of a protocol as a rational function of s = e^{ε/2}, from the product's formulas."""
    made: Any = protocol
    p, q = made(domain_size, ANY_BUDGET, **settings).support_probabilities(HALF_BUDGET)
    return independent_mass(domain_size, p=p, q=q, size=size, field=HALF_BUDGET)


def numerator(difference: Symbolic) -> fmpz_poly:
    """Return a polynomial with the sign of a rational function, where its denominator has no root above 1."""
    common = difference.top.gcd(difference.bottom)
    top, bottom = difference.top // common, difference.bottom // common
    if roots_above_one(bottom.numer()):
        raise UncheckedError("a denominator has a root above 1")
    return top.numer() if bottom.numer()(2) > 0 else -top.numer()


def roots_above_one(polynomial: fmpz_poly) -> list[tuple[arb, fmpz_poly]]:
    """Return the real roots above 1 in disjoint balls, increasing, each with its irreducible factor."""
    found = []
    with ctx.workprec(PRECISION):
        for factor, _ in polynomial.factor()[1]:
            roots: Any = factor.complex_roots() if factor.degree() > 0 else []
            for root, _ in roots:
                if root.imag == 0 and root.real > 1:
                    found.append((root.real, factor))
                elif root.imag.contains(0) and root.imag != 0:
                    raise UncheckedError("a root is not known to be real or not")
                elif not (root.imag != 0 or root.real <= 1):
                    raise UncheckedError("a root is not known to be above 1 or not")
        found.sort(key=lambda pair: float(pair[0].mid()))
        for (low, _), (high, _) in pairwise(found):
            if low.overlaps(high):
                raise UncheckedError("two roots are not told apart")
    return found


def sign_changes(polynomial: fmpz_poly) -> tuple[list[tuple[arb, fmpz_poly]], list[int]]:
    """Return the roots above 1, and the signs on the intervals between 1, the roots and infinity."""
    found = roots_above_one(polynomial)
    with ctx.workprec(PRECISION):
        ends = [Fraction(1), *(_rational(root) for root, _ in found)]
        last = ends[-1] + 1
        between = [(a + b) / 2 for a, b in pairwise(ends)] + [last]
    signs = []
    for place in between:
        value = _value(polynomial, place)
        signs.append((value > 0) - (value < 0))
    return found, signs


def threshold(domain_size: int, *, original: type[IndependentProtocol] = SUE) -> Threshold:
    """Return ε_k: SUE ⊑ OUE over k ≥ 3 values exactly for ε ≥ ε_k.

    Raises:
        UncheckedError: If the budgets do not have that form.
    """
    last: tuple[arb, fmpz_poly, int] | None = None
    for size in range(1, domain_size):
        difference = mass(original, domain_size, size) - mass(OUE, domain_size, size)
        found, signs = sign_changes(numerator(difference))
        if signs in ([1], [0]):
            continue
        if signs != [-1, 1]:
            raise UncheckedError(f"at k = {domain_size} the condition of size {size} has the signs {signs} for ε > 0")
        root, factor = found[0]
        if last is None or root > last[0]:
            last = root, factor, size
        elif not root < last[0]:
            raise UncheckedError("two sizes are not told apart")
    if last is None:
        raise UncheckedError(f"at k = {domain_size} the condition holds for every ε")
    return Threshold(domain_size, last[2], last[1], last[0])


def _rational(root: arb) -> Fraction:
    mantissa, exponent = root.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _value(polynomial: fmpz_poly, place: Fraction) -> Fraction:
    total = Fraction(0)
    coefficients: Sequence[Any] = polynomial.coeffs()
    for coefficient in reversed(coefficients):
        total = total * place + int(coefficient)
    return total


def text(polynomial: fmpz_poly | fmpq_poly) -> str:
    """Return a polynomial in s as text."""
    return str(polynomial).replace("x", "s").replace("*", "·")
