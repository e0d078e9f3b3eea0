"""What the closed rules ask of a protocol, in any number field: its ratio ρ, the sizes that occur, their masses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from qifldp.channels.exact_profile import independent_mass
from qifldp.exact.fields import Field, Number
from qifldp.exact.symbolic import SymbolicField
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import BudgetedProtocol, IndependentProtocol, Protocol
from qifldp.protocols.subset_selection import SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import SUE

Choice = Mapping[Protocol, Fraction]
"""Protocols of one domain that are no mixtures, each with the chance that it reports."""


def choice_of(protocol: Protocol) -> dict[Protocol, Fraction]:
    """Return the protocols that a mixture chooses from; of any other protocol, itself."""
    return dict(protocol.weights.items()) if isinstance(protocol, Mix) else {protocol: Fraction(1)}


def without_common(first: Choice, second: Choice) -> tuple[Choice, Choice]:
    """Return two choices without what is chosen in both: masses keep their differences."""
    common = {part: min(weight, second[part]) for part, weight in first.items() if part in second}
    rests = [
        {part: weight - common.get(part, Fraction(0)) for part, weight in side.items()} for side in (first, second)
    ]
    kept = [{part: weight for part, weight in rest.items() if weight} for rest in rests]
    return kept[0], kept[1]


def common_field(original: Protocol, refined: Protocol) -> SymbolicField:
    """Return a field in which the parameters of both protocols can be written.

    Raises:
        InexactError: If there is none.
    """
    exponents = []
    for side in (*choice_of(original), *choice_of(refined)):
        if isinstance(side, BudgetedProtocol):
            root = 2 * side.theta.denominator if isinstance(side, THE) else 2 if isinstance(side, SUE) else 1
            exponents.append((side.budget.multiple / root, side.budget.base))
    return SymbolicField.joining(exponents)


def share_ratio(original: Protocol, refined: Protocol) -> bool:
    """Whether two protocols are known to have exactly one ρ."""
    return original.tight_budget is not None and original.tight_budget == refined.tight_budget


def ratio(protocol: Protocol, field: Field[Number]) -> Number:
    """Return ρ, as e^ε where the tight ε is known: p(1 − q)/((1 − p)q) loses its digits where p is next to one."""
    if protocol.tight_budget is not None:
        return field.exponential(protocol.tight_budget)
    assert isinstance(protocol, IndependentProtocol)
    p, q = protocol.canonical_probabilities(field)
    return p * (1 - q) / ((1 - p) * q)


def interior_sizes(protocol: Protocol) -> tuple[int, ...] | range:
    """Return the sizes 1 ≤ w ≤ k − 1 that occur; a range if all of them do."""
    return sizes_of(choice_of(protocol))


def sizes_of(choice: Choice) -> tuple[int, ...] | range:
    """Return the interior sizes that occur in any of the protocols."""
    found: set[int] = set()
    for part in choice:
        if isinstance(part, IndependentProtocol):
            return range(1, part.domain_size)
        assert isinstance(part, SS)
        found.add(part.omega)
    return tuple(sorted(found))


def only_size(protocol: Protocol) -> int | None:
    """Return the size of all reports, if they are sets of one size."""
    return None if may_be_silent(protocol) else only_telling_size(protocol)


def only_telling_size(protocol: Protocol) -> int | None:
    """Return the size of all reports that say anything, if it is one size."""
    sizes = interior_sizes(protocol)
    return sizes[0] if len(sizes) == 1 else None


def may_be_silent(protocol: Protocol) -> bool:
    """Whether some reports say nothing."""
    return any(isinstance(part, IndependentProtocol) for part in choice_of(protocol)) or (
        isinstance(protocol, Mix) and bool(protocol.silence)
    )


def interior_mass(protocol: Protocol, size: int, field: Field[Number]) -> Number:
    """Return μ[w] of an interior size w, 1 ≤ w ≤ k − 1."""
    return next(chosen_masses(choice_of(protocol), (size,), field))


def interior_masses(protocol: Protocol, field: Field[Number]) -> Iterator[tuple[int, Number]]:
    """Yield all interior sizes that occur with their masses, by recurrence where the field is ordered."""
    if isinstance(field, SymbolicField):
        for size in interior_sizes(protocol):
            yield size, interior_mass(protocol, size, field)
        return
    ordered: Any = field
    for size, mass in protocol.exact_profile(ordered).mass:
        if size:
            yield size, mass


def chosen_masses(choice: Choice, sizes: Sequence[int], field: Field[Number]) -> Iterator[Number]:
    """Yield Σ_i a_i μ_i[w] over the protocols of a choice, at each size."""
    return _totals(choice, field, lambda part: (_mass(part, size, field) for size in sizes), len(sizes))


def masses_of_a_set(choice: Choice, sizes: Sequence[int], field: Field[Number]) -> Iterator[Number]:
    """Yield Σ_i a_i μ_i[w]/C(k, w) at each size: quick for independent members, whose binomials cancel."""
    return _totals(choice, field, lambda part: _masses_of_a_set(part, sizes, field), len(sizes))


def _totals(
    choice: Choice, field: Field[Number], masses: Callable[[Protocol], Iterator[Number]], count: int
) -> Iterator[Number]:
    parts = [(field.number(weight), masses(part)) for part, weight in choice.items()]
    for _ in range(count):
        total = field.number(0)
        for weight, each in parts:
            total = total + weight * next(each)
        yield total


def _mass(protocol: Protocol, size: int, field: Field[Number]) -> Number:
    if isinstance(protocol, IndependentProtocol):
        p, q = protocol.canonical_probabilities(field)
        return independent_mass(protocol.domain_size, p=p, q=q, size=size, field=field)
    assert isinstance(protocol, SS)
    return field.number(1 if protocol.omega == size else 0)


def _masses_of_a_set(protocol: Protocol, sizes: Sequence[int], field: Field[Number]) -> Iterator[Number]:
    k = protocol.domain_size
    if not isinstance(protocol, IndependentProtocol):
        assert isinstance(protocol, SS)
        for size in sizes:
            yield field.number(Fraction(1, math.comb(k, size)) if protocol.omega == size else 0)
        return
    p, q = protocol.canonical_probabilities(field)
    inside, outside = p * (1 - q), (1 - p) * q
    at, powers = 1, (1 - q) ** (k - 2)  # q^(w−1)·(1 − q)^(k−1−w) at w = 1, and carried on
    step = q / (1 - q)
    for size in sizes:
        powers = powers * (step if size == at + 1 else step ** (size - at))
        at = size
        yield powers * (outside * (k - size) + inside * size) / k


def aligned_mass(domain_size: int, rho: Number, size: int, target: int) -> Number:
    """Return M(w, w'): the posterior mass of the best-aligned set of w' values after a report of w of them, w ≥ 1."""
    overlap = min(size, target)
    return (rho * overlap + (target - overlap)) / (rho * size + (domain_size - size))
