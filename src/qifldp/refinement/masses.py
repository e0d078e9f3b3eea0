"""What the closed rules ask of a protocol, in any number field: its ratio ρ, the sizes that occur, their masses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
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
    """Return ρ."""
    if isinstance(protocol, IndependentProtocol):
        p, q = protocol.canonical_probabilities(field)
        return p * (1 - q) / ((1 - p) * q)
    assert isinstance(protocol, SS | Mix)
    return protocol.exp_epsilon(field)


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
    sizes = interior_sizes(protocol)
    single = isinstance(sizes, tuple) and len(sizes) == 1 and not (isinstance(protocol, Mix) and protocol.silence)
    return sizes[0] if single else None


def interior_mass(protocol: Protocol, size: int, field: Field[Number]) -> Number:
    """Return μ[w] of an interior size w, 1 ≤ w ≤ k − 1."""
    return chosen_mass(choice_of(protocol), size, field)


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


def chosen_mass(choice: Choice, size: int, field: Field[Number]) -> Number:
    """Return Σ_i a_i μ_i[w] over the protocols of a choice."""
    return _total(((weight, _mass(part, size, field)) for part, weight in choice.items()), field)


def mass_of_a_set(choice: Choice, size: int, field: Field[Number]) -> Number:
    """Return Σ_i a_i μ_i[w]/C(k, w): quick for independent members, whose binomials cancel."""
    return _total(((weight, _mass_of_a_set(part, size, field)) for part, weight in choice.items()), field)


def _total(terms: Iterable[tuple[Fraction, Number]], field: Field[Number]) -> Number:
    total = field.number(0)
    for weight, mass in terms:
        total = total + field.number(weight) * mass
    return total


def _mass(protocol: Protocol, size: int, field: Field[Number]) -> Number:
    if isinstance(protocol, IndependentProtocol):
        p, q = protocol.canonical_probabilities(field)
        return independent_mass(protocol.domain_size, p=p, q=q, size=size, field=field)
    assert isinstance(protocol, SS)
    return field.number(1 if protocol.omega == size else 0)


def _mass_of_a_set(protocol: Protocol, size: int, field: Field[Number]) -> Number:
    k = protocol.domain_size
    if isinstance(protocol, IndependentProtocol):
        p, q = protocol.canonical_probabilities(field)
        return q ** (size - 1) * (1 - q) ** (k - 1 - size) * ((1 - p) * q * (k - size) + p * (1 - q) * size) / k
    assert isinstance(protocol, SS)
    return field.number(Fraction(1, math.comb(k, size)) if protocol.omega == size else 0)


def aligned_mass(domain_size: int, rho: Number, size: int, target: int) -> Number:
    """Return M(w, w'): the posterior mass of the best-aligned set of w' values after a report of w of them, w ≥ 1."""
    overlap = min(size, target)
    return (rho * overlap + (target - overlap)) / (rho * size + (domain_size - size))
