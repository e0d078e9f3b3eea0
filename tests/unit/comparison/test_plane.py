"""The privacy–utility plane: which frontiers are drawn, and from where to where."""

from __future__ import annotations

import math

import pytest

from qifldp.comparison.compare import compare
from qifldp.comparison.frontier import frontier
from qifldp.comparison.plane import MOST_FRONTIERS, Plane, plane
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import build, read_subject
from qifldp.exact.budget import Budget

N = 1_000

ROUNDING = 1e-7
"""Of errors at ε = 60: a tight ε within 1e-9 of another shares its frontier, and e^60 is right to 60 times that."""


def drawn(size: int, *specs: str, at: float = 1) -> Plane:
    subjects, budget = [read_subject(spec) for spec in specs], Budget.read(at)
    comparison = compare(subjects, domain_size=size, question=Question((budget,)), n=N)
    ((asked, rows),) = comparison.groups()
    sources = {row.spec: build(one, size, budget) for row, one in zip(rows, subjects, strict=True)}
    return plane(asked, rows, specs, sources, N)


@pytest.mark.parametrize("count", [1, MOST_FRONTIERS, MOST_FRONTIERS + 1])
def test_of_too_many_frontiers_the_one_of_the_largest_epsilon_is_drawn(count: int) -> None:
    budgets = [float(number) for number in range(1, count + 1)]
    found = drawn(10, *(f"grr:epsilon={epsilon:g}" for epsilon in budgets))
    wanted = budgets if count <= MOST_FRONTIERS else budgets[-1:]
    kept = sorted({curve["epsilon"] for curve in found.frontier})
    assert kept == pytest.approx(wanted, rel=1e-9)  # the tight ε is computed from the channel
    assert len(found.points) == count


def test_protocols_of_one_budget_share_their_frontier() -> None:
    assert len({curve["epsilon"] for curve in drawn(10, "grr", "oue", "ss").frontier}) == 1


@pytest.mark.parametrize("size", [10, 5_000])
def test_a_frontier_is_drawn_to_the_end_of_the_domain(size: int) -> None:
    curve = [(one["asr_uniform"], one["standard_error_weighted"]) for one in drawn(size, "grr").frontier]
    asr, error = frontier(size, 1).points(N)
    assert len(curve) == len(asr) + 1
    assert curve[0] == pytest.approx((asr[0], error[0]), rel=1e-9)  # the tight ε is computed from the channel
    assert curve[-2:] == [(pytest.approx(asr[-1], rel=1e-9), curve[-1][1]), (1.0, pytest.approx(error[-1], rel=1e-9))]
    assert [place for place, _ in curve] == sorted(place for place, _ in curve)


@pytest.mark.parametrize("epsilon", [1e-6, 1, 10, 30, 36, 45, 60])
@pytest.mark.parametrize("size", [2, 10, 50, 1_000])
def test_the_least_error_is_that_of_the_best_protocol(size: int, epsilon: float) -> None:
    """Where all but a chance of 1e-26 is disclosed, too: the reciprocals of I and I∞ are equal to a double there."""
    ss, *others = drawn(size, "ss", "grr", "oue", "sue", at=epsilon).points
    for point in others:
        least, own = float(str(point["least_error"])), float(str(point["standard_error_weighted"]))
        assert 0 < least <= own * (1 + ROUNDING)
    assert ss["least_error"] == pytest.approx(ss["standard_error_weighted"], rel=ROUNDING, abs=0)


def test_the_least_error_next_to_the_top() -> None:
    """Of two values SUE's best guess is wrong with probability q; SS's is at ε = 60 a 1e13th of that.

    Mixtures of SS and silence with this q have I = 4(1 − 2q), so that 1/I − 1/I∞ = q/2, but for parts of order q.
    """
    q = 1 / (1 + math.exp(30))
    (point,) = drawn(2, "sue", at=60).points
    assert point["least_error"] == pytest.approx(math.sqrt(q / 2 / N), rel=ROUNDING, abs=0)
