"""Every ordered pair of the seven protocols, over budgets and domain sizes: a verdict that verify accepts."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest

from qifldp.protocols.specs import SEVEN, parse_spec
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.verify import verify_certificate

BUDGETS = ("0.5", "1", "2", "4", "8")
"""ε of the refined."""

TIMES = ("1", "1.1", "1.5", "4")
"""ε of the original over that of the refined."""

CELLS = list(product(BUDGETS, TIMES))


def undecided(k: int, epsilon: str, times: str) -> list[str]:
    """Return what remains undecided among the 49 pairs of one cell of the grid; the others are verified anew."""
    left: list[str] = []
    verdicts: set[str] = set()
    for original, refined in product(SEVEN, repeat=2):
        more = Fraction(epsilon) * Fraction(times)
        found = decide_refinement(
            original=parse_spec(f"{original}:epsilon={more}").build(k),
            refined=parse_spec(f"{refined}:epsilon={epsilon}").build(k),
        )
        if isinstance(found, Refines | DoesNotRefine):
            document = json.loads(json.dumps(found.certificate.to_json()))
            verify_certificate(Certificate.from_json(document))
            verdicts.add(document["verdict"])
        else:
            left.append(f"{original} at {more} → {refined} at {epsilon}, k = {k}: {found.reason} ({found.margin})")
    assert "refines" in verdicts
    return left


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize(("epsilon", "times"), CELLS)
def test_all_pairs_are_proved(k: int, epsilon: str, times: str) -> None:
    assert undecided(k, epsilon, times) == []


@pytest.mark.parametrize(("epsilon", "times"), CELLS)
def test_all_pairs_over_fifty_values_are_proved(epsilon: str, times: str) -> None:
    assert undecided(50, epsilon, times) == []


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "times"), CELLS)
def test_all_pairs_over_two_hundred_values_are_proved(epsilon: str, times: str) -> None:
    assert undecided(200, epsilon, times) == []


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "times"), CELLS)
def test_all_pairs_over_a_thousand_values_are_proved(epsilon: str, times: str) -> None:
    assert undecided(1000, epsilon, times) == []
