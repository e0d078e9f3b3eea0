"""Refinement for two secrets, decided exactly: convex order of the posteriors on a line, no linear program.

A ⊑ B if and only if Σ_y m_y (p_y − c)⁺ is at least as large for A as for B at every c, where m is a column's mass and
p the share of its first entry. Both sides are piecewise linear; between two of A's posteriors the difference is
concave, so A's posteriors are all that has to be tried.

Source: Blackwell (1951); the witness is the left-curtain coupling of Beiglböck and Juillet (2016), Theorem 4.18: each
posterior of B, from the left, takes the stretch of A's remaining posteriors that has its mass and mean.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

from qifldp.refinement.proofs import GainMatrix

Table = list[list[Fraction]]


def decide_two_secrets(original: Table, refined: Table) -> Table | GainMatrix:
    """Return the exact witness of A ⊑ B, or a gain function of two actions that refutes it.

    Args:
        original: A, of shape (2, n), without zero columns.
        refined: B, of shape (2, m), without zero columns.
    """
    masses_a, places_a = _posteriors(original)
    masses_b, places_b = _posteriors(refined)
    order = sorted(range(len(places_a)), key=places_a.__getitem__)
    prices = [places_a[y] for y in order]
    excess_a, excess_b = _excess(masses_a, places_a, prices), _excess(masses_b, places_b, prices)
    worst = min(range(len(prices)), key=lambda i: excess_a[i] - excess_b[i])
    if excess_a[worst] < excess_b[worst]:
        price, nothing = prices[worst], Fraction(0)
        return GainMatrix(((nothing, price), (1 - price, nothing)))  # abstain, or (1 − c, −c): both plus (0, c)
    witness = [[Fraction(0)] * len(places_b) for _ in places_a]
    left = [masses_a[y] for y in order]
    for z in sorted(range(len(places_b)), key=places_b.__getitem__):
        for index, taken in _stretch(left, prices, masses_b[z], places_b[z]):
            left[index] -= taken
            witness[order[index]][z] += taken / masses_a[order[index]]
    return witness


def _posteriors(channel: Table) -> tuple[list[Fraction], list[Fraction]]:
    masses = [a + b for a, b in zip(*channel, strict=True)]
    return masses, [a / mass for a, mass in zip(channel[0], masses, strict=True)]


def _excess(masses: list[Fraction], places: list[Fraction], prices: list[Fraction]) -> list[Fraction]:
    """Return Σ m (p − c)⁺ for each price c (increasing)."""
    order = sorted(range(len(places)), key=places.__getitem__, reverse=True)
    total = list(accumulate((masses[y] for y in order), initial=Fraction(0)))
    weighted = list(accumulate((masses[y] * places[y] for y in order), initial=Fraction(0)))
    found, count = [], len(order)
    for price in prices:
        while count and places[order[count - 1]] <= price:
            count -= 1
        found.append(weighted[count] - price * total[count])
    return found


def _stretch(
    left: list[Fraction], places: list[Fraction], mass: Fraction, mean: Fraction
) -> list[tuple[int, Fraction]]:
    """Return the stretch of the remaining masses (index, taken) that has this mass and this mean.

    A window of the mass slides from the left end; its sum grows linearly while neither end meets a new place.
    """
    taken: dict[int, Fraction] = {}
    last, need = -1, mass
    while need:
        last += 1
        if left[last]:
            taken[last] = min(need, left[last])
            need -= taken[last]
    lacking = mass * mean - sum(amount * places[index] for index, amount in taken.items())
    while lacking > 0:
        first = next(iter(taken))
        if first == last or taken[last] == left[last]:  # within one place, sliding changes nothing until its right end
            last += 1
            taken[last] = Fraction(0)
            continue
        gap = places[last] - places[first]
        step = min(taken[first], left[last] - taken[last], lacking / gap)
        taken[last] += step
        taken[first] -= step
        lacking -= step * gap
        if not taken[first]:
            del taken[first]
    return list(taken.items())
