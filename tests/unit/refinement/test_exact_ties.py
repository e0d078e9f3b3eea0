"""Small matrices of rationals next to the boundary, or on it: always decided, as an exact simplex method can."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from qifldp import OUE, SS, Channel, decide_refinement, verify_certificate
from qifldp.refinement.decision import DoesNotRefine, Refines

Rows = list[list[Fraction]]


def stochastic(chance: random.Random, rows: int, columns: int, largest: int) -> Rows:
    found = [[Fraction(chance.randint(0, largest)) for _ in range(columns)] for _ in range(rows)]
    return [[x / sum(row) for x in row] if any(row) else [Fraction(1, columns)] * columns for row in found]


@pytest.mark.parametrize("seed", range(60))
def test_garblings_moved_by_next_to_nothing(seed: int) -> None:
    """A garbling of a wide A, one row of it moved by 1e-12, 1e-20 or not at all."""
    chance = random.Random(seed)
    k, outputs, targets = 3, chance.choice([4, 5]), chance.choice([2, 3, 4])
    a = Channel(stochastic(chance, k, outputs, 6))
    table: Rows = (a @ Channel(stochastic(chance, outputs, targets, 3))).matrix.tolist()
    step = chance.choice([Fraction(1, 10**12), Fraction(1, 10**20), Fraction(0)])
    row = table[chance.randrange(k)]
    if min(row[0] + step, row[1] - step) >= 0:
        row[0], row[1] = row[0] + step, row[1] - step
    decision = decide_refinement(original=a, refined=Channel(table))
    assert isinstance(decision, Refines | DoesNotRefine)
    verify_certificate(decision.certificate)
    if not step:
        assert isinstance(decision, Refines)


def test_the_exact_simplex_says_both() -> None:
    """The matrix that floats could not tell on which side it is: A garbled, and moved by 1e-12 either way."""
    a = Channel([["3/13", "2/13", "4/13", "4/13"], ["1/4", "1/4", "1/8", "3/8"], ["1/3", "5/18", "1/6", "2/9"]])
    blur = Channel([["1", "0"], ["0", "1"], ["1/2", "1/2"], ["0", "1"]])
    found = set()
    for step in (-1, 0, 1):
        table: Rows = (a @ blur).matrix.tolist()
        table[1][0] += Fraction(step, 10**12)
        table[1][1] -= Fraction(step, 10**12)
        decision = decide_refinement(original=a, refined=Channel(table))
        assert isinstance(decision, Refines | DoesNotRefine)
        verify_certificate(decision.certificate)
        found.add(type(decision))
    assert Refines in found


def test_a_gain_too_small_for_doubles_is_told_in_words() -> None:
    decision = decide_refinement(original=SS(5000, 1), refined=OUE(5000, "0.5"))
    assert isinstance(decision, DoesNotRefine)
    assert decision.vulnerability_original == decision.vulnerability_refined
    assert decision.words.endswith("gains less than 5e-324 from the refined one and still less from the original.")
