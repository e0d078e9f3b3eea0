"""Laws of refinement between protocols, on seeded random families."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from oracles.pairs import random_budget, random_family, random_unary
from qifldp.leakage.measures import MEASURES, Measure
from qifldp.protocols.local_hashing import LH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import SEVEN, parse_spec
from qifldp.protocols.subset_selection import SS
from qifldp.protocols.unary_encoding import OUE, SUE
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.search.transport import solve_transport

ROUNDED = 1e-12
"""Relative: a measure is a rounded double on both sides."""

CLOSE = 1e-6
"""Margins nearer to one than this are left to the exact rules: the solver's tolerance is 1e-7."""

DOMAINS = (2, 3, 6, 17)


def group(seed: int, k: int, size: int) -> list[Protocol]:
    source = random.Random(seed)
    return [
        random_unary(source, k) if source.random() < 1 / 6 else random_family(source, k)(random_budget(source))
        for _ in range(size)
    ]


def refines(original: Protocol, refined: Protocol) -> bool:
    found = decide_refinement(original=original, refined=refined)
    assert isinstance(found, Refines | DoesNotRefine), (original, refined, found)
    return isinstance(found, Refines)


@pytest.mark.parametrize("k", [2, 5, 40, 1000])
def test_reflexive(k: int) -> None:
    for name, epsilon in product(SEVEN, ("0.01", "1", "ln(3)", "20")):
        protocol, again = (parse_spec(f"{name}:epsilon={epsilon}").build(k) for _ in range(2))
        assert refines(protocol, protocol)
        assert refines(protocol, again)


@pytest.mark.parametrize("k", DOMAINS)
def test_transitive(k: int) -> None:
    protocols = group(11 * k, k, 14)
    order = {(a, b): refines(x, y) for a, x in enumerate(protocols) for b, y in enumerate(protocols)}
    chains = 0
    for a, b, c in product(range(len(protocols)), repeat=3):
        if len({a, b, c}) == 3 and order[a, b] and order[b, c]:
            chains += 1
            assert order[a, c], (protocols[a], protocols[b], protocols[c])
    assert chains > len(protocols)


@pytest.mark.parametrize("k", DOMAINS)
@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_every_measure_is_monotone(measure: Measure, k: int) -> None:
    protocols = group(7 * k, k, 10)
    values = [float(measure.compute(protocol)) for protocol in protocols]
    sign = 1 if measure.private_end == "low" else -1
    strict = 0
    for a, x in enumerate(protocols):
        for b, y in enumerate(protocols):
            if a != b and refines(x, y):
                assert sign * (values[b] - values[a]) <= ROUNDED * max(1.0, abs(values[a])), (x, y)
                strict += sign * (values[a] - values[b]) > ROUNDED
    assert strict


@pytest.mark.parametrize("k", DOMAINS)
def test_margin_says_the_verdict(k: int) -> None:
    protocols = group(5 * k, k, 12)
    sides = set()
    for x, y in product(protocols, repeat=2):
        margin = solve_transport(x.profile, y.profile).margin
        found = decide_refinement(original=x, refined=y)
        if abs(margin - 1) > CLOSE:
            assert isinstance(found, Refines) == (margin > 1), (x, y, margin)
            sides.add(margin > 1)
        if found.margin is not None and found.method == "transport":
            assert (found.margin > 1) == isinstance(found, Refines)
    assert sides == {True, False}


@pytest.mark.parametrize("k", DOMAINS)
def test_no_chain_of_budgets_turns_back(k: int) -> None:
    """In a refinement family, whoever is refined by ε′ is refined by every larger one."""
    refined = OUE(k, 1)
    for family in (lambda e: SUE(k, e), lambda e: LH(k, e, g=3), lambda e: SS(k, e, omega=1)):
        verdicts = [refines(family(Fraction(step, 4)), refined) for step in range(1, 33)]
        assert verdicts == sorted(verdicts)
        assert not verdicts[0]
