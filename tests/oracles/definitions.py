"""The protocols as their definitions state them: every report enumerated, with the values that it supports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from math import comb

from oracles.brute_force import Number, as_decimal

Table = dict[frozenset[int], list[Number]]
"""Set of supported values → Pr[a report that supports exactly these | secret], one entry for each secret."""


@dataclass(frozen=True)
class BudgetCase:
    """A budget ε = multiple · ln(base), base None standing for Euler's number.

    Attributes:
        keywords: The constructor arguments that state it.
    """

    keywords: tuple[tuple[str, object], ...]
    multiple: Fraction
    base: Fraction | None = None

    def rational(self, power: Fraction) -> Fraction | None:
        """Return e^{power · ε} if it is rational (for the small bases used here)."""
        exponent = power * self.multiple
        if exponent == 0:
            return Fraction(1)
        if self.base is None:
            return None
        roots = [_whole_root(part, exponent.denominator) for part in (self.base.numerator, self.base.denominator)]
        return None if roots[0] is None or roots[1] is None else Fraction(*roots) ** exponent.numerator  # type: ignore[arg-type]

    def power(self, power: Fraction) -> Decimal:
        """Return e^{power · ε} to sixty digits."""
        epsilon = as_decimal(self.multiple) * (1 if self.base is None else as_decimal(self.base).ln())
        return (as_decimal(power) * epsilon).exp()

    def powers(self, *wanted: Fraction) -> list[Number]:
        """Return e^{power · ε} for each power: all rational if they can be, else all decimals."""
        rationals = [self.rational(power) for power in wanted]
        return [self.power(power) for power in wanted] if None in rationals else list(rationals)


def _whole_root(number: int, degree: int) -> int | None:
    root = round(number ** (1 / degree))
    return root if root**degree == number else None


def subset_selection(k: int, size: int, exp_epsilon: Number) -> Table:
    """Def. 5: a set of ω values; with p = ωe^ε/(ωe^ε + k − ω) it holds the secret, the others are uniform."""
    p = size * exp_epsilon / (size * exp_epsilon + k - size)
    table: Table = {frozenset(chosen): [0] * k for chosen in combinations(range(k), size)}
    for x in range(k):
        others = [value for value in range(k) if value != x]
        for company in combinations(others, size - 1):
            table[frozenset({x, *company})][x] += p / comb(k - 1, size - 1)
        for chosen in combinations(others, size):
            table[frozenset(chosen)][x] += (1 - p) / comb(k - 1, size)
    return table


def unary_encoding(k: int, p: Number, q: Number) -> Table:
    """Def. 7: k independent bits, set with p at the secret and with q elsewhere."""
    table: Table = {}
    for bits in product((0, 1), repeat=k):
        column = []
        for x in range(k):
            chance = p if bits[x] else 1 - p
            for other in range(k):
                if other != x:
                    chance *= q if bits[other] else 1 - q
            column.append(chance)
        table[frozenset(x for x in range(k) if bits[x])] = column
    return table


def hashing_with(k: int, g: int, exp_epsilon: Number, hashes: Iterable[tuple[int, ...]]) -> Table:
    """Def. 6 with a given family: a uniform hash h, and g-ary randomised response on h(x)."""
    family = list(hashes)
    hit = exp_epsilon / (exp_epsilon + g - 1)
    miss = 1 / (exp_epsilon + g - 1)
    table: Table = defaultdict(lambda: [hit * 0] * k)
    for values in family:
        for bucket in range(g):
            column = table[frozenset(x for x in range(k) if values[x] == bucket)]
            for x in range(k):
                column[x] += (hit if values[x] == bucket else miss) / len(family)
    return dict(table)


def local_hashing(k: int, g: int, exp_epsilon: Number) -> Table:
    """Def. 6 with ideal hashing: h uniform among all g^k functions."""
    return hashing_with(k, g, exp_epsilon, product(range(g), repeat=k))


def public_mixture(k: int, parts: list[tuple[Fraction, Table]]) -> Table:
    """A public coin chooses who reports, and is seen; with what is left of one nothing is reported.

    Reports that support one set are merged, whoever sent them: at one ρ they are proportional.
    """
    rational = all(isinstance(entry, Fraction) for _, table in parts for column in table.values() for entry in column)
    number: Callable[[Number], Number] = Fraction if rational else as_decimal
    table: Table = defaultdict(lambda: [number(Fraction(0))] * k)
    for weight, part in parts:
        for members, column in part.items():
            table[members] = [
                mixed + number(weight) * number(own) for mixed, own in zip(table[members], column, strict=True)
            ]
    silence = 1 - sum((weight for weight, _ in parts), Fraction(0))
    if silence:
        table[frozenset()] = [entry + number(silence) for entry in table[frozenset()]]
    return dict(table)


def matrix_of(table: Table) -> list[list[Number]]:
    """Return the explicit matrix, one column a support set."""
    return [list(row) for row in zip(*table.values(), strict=True)]
