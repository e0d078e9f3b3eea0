"""The margin of exact matrices: worked out by hand, proved on both sides, and told where floats lose it."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from qifldp import Channel, DoesNotRefine, Refines, decide_refinement
from qifldp.refinement.search.explicit_cone import exact_margin
from qifldp.refinement.search.explicit_reading import read_pair
from qifldp.refinement.search.explicit_strength import BEYOND, LOST, explicit_margin
from unit.refinement.tables import Table, random_table, times


def response(size: int, more: Fraction) -> Table:
    """Return randomised response that tells the truth with probability 1/k + (k − 1)·more/k."""
    low = (1 - more) / size
    return [[low + more * (x == y) for y in range(size)] for x in range(size)]


def margin_of(original: Table, refined: Table) -> Fraction:
    read = read_pair(Channel(original), Channel(refined))
    assert read is not None
    return exact_margin(read.reduced_original, read.reduced_refined)


def stretched(table: Table, t: Fraction) -> Table:
    """Return t·B + (1 − t)·1b̄."""
    means = [sum(column, Fraction(0)) / len(table) for column in zip(*table, strict=True)]
    return [[t * entry + (1 - t) * mean for entry, mean in zip(row, means, strict=True)] for row in table]


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("digits", [1, 7, 12, 40])
@pytest.mark.parametrize("times_as_weak", [Fraction(1, 3), Fraction(2), Fraction(10**7, 3), Fraction(5 * 10**11)])
def test_of_randomised_response_it_is_the_quotient(size: int, digits: int, times_as_weak: Fraction) -> None:
    more = Fraction(1, 2 * 10**digits)
    weaker = more / times_as_weak
    assert margin_of(response(size, more), response(size, weaker)) == times_as_weak
    found = explicit_margin(Channel(response(size, more)), Channel(response(size, weaker)))
    assert found == float(times_as_weak)


def rare(seed: int) -> tuple[Table, Table]:
    """Return A with outputs of probabilities 1e-3 to 1e-13, and a garbling of it or another such matrix."""
    source = random.Random(seed)
    k, m, n = (source.randint(2, 4) for _ in range(3))

    def some(rows: int, columns: int) -> Table:
        weights = [Fraction(1, 10 ** source.choice((0, 0, 3, 8, 13))) for _ in range(columns)]
        table = [[weight * source.randint(1, 9) for weight in weights] for _ in range(rows)]
        return [[entry / sum(row) for entry in row] for row in table]

    original = some(k, m)
    while True:
        refined = times(original, random_table(source, m, n)) if source.random() < 0.5 else some(k, n)
        if any(row != refined[0] for row in refined):
            return original, refined


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_last_that_is_proved(seed: int) -> None:
    """What is stretched by the margin is refined, and by a millionth more is not."""
    original, refined = rare(seed)
    t = margin_of(original, refined)
    assert isinstance(decide_refinement(original=Channel(original), refined=Channel(stretched(refined, t))), Refines)
    beyond = stretched(refined, t + max(t, Fraction(1, 10**6)) / 10**6)
    if min(min(row) for row in beyond) >= 0:
        assert isinstance(decide_refinement(original=Channel(original), refined=Channel(beyond)), DoesNotRefine)
    decision = decide_refinement(original=Channel(original), refined=Channel(refined))
    assert decision.margin == pytest.approx(float(t), rel=1e-15)
    assert isinstance(decision, Refines) == (t >= 1)


@pytest.mark.parametrize("seed", range(10))
def test_floats_agree_where_nothing_is_rare(seed: int) -> None:
    source = random.Random(seed)
    original, other = random_table(source, 5, 6), random_table(source, 5, 4)
    for refined in (other, times(original, random_table(source, 6, 4))):
        floats = [Channel(Channel(table).to_float().matrix, normalize=True) for table in (original, refined)]
        assert explicit_margin(*floats) == pytest.approx(float(margin_of(original, refined)), rel=1e-6)


def test_what_says_what_no_output_of_a_says_has_margin_zero() -> None:
    original = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)], [Fraction(3, 8), Fraction(5, 8)]]
    refined = [
        [Fraction(1, 2), Fraction(1, 2)],
        [Fraction(1, 2), Fraction(1, 2)],
        [Fraction(49, 100), Fraction(51, 100)],
    ]
    assert margin_of(original, refined) == 0
    assert decide_refinement(original=Channel(original), refined=Channel(refined)).margin == 0


@pytest.mark.parametrize("size", [2, 3])
def test_what_floats_lose_is_not_told(size: int) -> None:
    """Rows that differ by 1e-12 and less: of what they say, rounding has taken a share."""
    weak = [Channel(np.array(response(size, Fraction(1, ten)), dtype=float)) for ten in (10**12, 3 * 10**12)]
    decision = decide_refinement(original=weak[0], refined=weak[1])
    assert decision.margin is None
    assert decision.unsolved["margin"] == LOST


@pytest.mark.parametrize("weak", [5 * 10**6, 5 * 10**8])
def test_large_margins_are_told_of_floats_too(weak: int) -> None:
    pair = [Channel(np.array(response(2, more), dtype=float)) for more in (Fraction(1, 3), Fraction(1, 3 * weak))]
    assert explicit_margin(*pair) == pytest.approx(weak, rel=1e-6)


def test_a_margin_beyond_floats_is_said_to_be() -> None:
    pair = [Channel(response(2, more)) for more in (Fraction(1, 3), Fraction(1, 10**320))]
    decision = decide_refinement(original=pair[0], refined=pair[1])
    assert isinstance(decision, Refines)
    assert decision.margin is None
    assert decision.unsolved["margin"] == BEYOND


def test_a_program_that_does_not_end_leaves_time_for_another_way() -> None:
    """HiGHS goes round in circles on these, in floats."""
    e = Fraction(1, 10**13)
    original = [[Fraction(1, 10), 13 * e, Fraction(9, 10) - 13 * e], [Fraction(7, 10), 5 * e, Fraction(3, 10) - 5 * e]]
    refined = [[1 - 21 * e, 21 * e], [1 - 42 * e, 42 * e]]
    assert explicit_margin(Channel(original), Channel(refined)) == float(margin_of(original, refined))
