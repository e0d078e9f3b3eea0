"""The privacy–utility plane: which frontiers are drawn, and from where to where."""

from __future__ import annotations

import pytest

from qifldp.comparison.compare import compare
from qifldp.comparison.frontier import frontier
from qifldp.comparison.plane import CURVE_POINTS, MOST_FRONTIERS, MOST_POINTS, Plane, plane
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import build, read_subject
from qifldp.exact.budget import Budget

N = 1_000


def drawn(size: int, *specs: str) -> Plane:
    subjects, budget = [read_subject(spec) for spec in specs], Budget.read(1)
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
    asr, error = frontier(size, 1).points(N, CURVE_POINTS)
    assert len(curve) <= MOST_POINTS + 2
    assert curve[0] == pytest.approx((asr[0], error[0]), rel=1e-9)  # the tight ε is computed from the channel
    assert curve[-2:] == [(pytest.approx(asr[-1], rel=1e-9), curve[-1][1]), (1.0, pytest.approx(error[-1], rel=1e-9))]
    assert [place for place, _ in curve] == sorted(place for place, _ in curve)
