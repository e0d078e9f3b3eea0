"""Inverse questions: the budget at which a figure crosses a target, and which crossing is taken."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from qifldp.comparison.solve import Piece, Solution, solve

SOLVED = 1e-11
"""Relative: a solved budget has 12 digits, so it is off by up to one in the twelfth."""


def found(solution: Solution) -> float:
    assert solution.reason == ""
    assert solution.epsilon is not None
    return solution.epsilon


@pytest.mark.parametrize("target", [1e-6, 0.3, 2.0, 55.5, 699.0])
@pytest.mark.parametrize(
    ("figure", "inverse"),
    [
        (lambda e: e, lambda y: y),
        (lambda e: e * e, math.sqrt),
        (math.expm1, math.log1p),
    ],
)
def test_rising_figures(figure: Callable[[float], float], inverse: Callable[[float], float], target: float) -> None:
    epsilon = found(solve(figure, target))
    assert epsilon == pytest.approx(inverse(target), rel=SOLVED)


@pytest.mark.parametrize("target", [0.002, 0.1, 1.0, 1e5])
def test_falling_figures(target: float) -> None:
    epsilon = found(solve(lambda e: 1 / e, target, rising=False, take="first"))
    assert epsilon == pytest.approx(1 / target, rel=SOLVED)


def test_answer_never_exceeds_the_target_by_a_single_bit() -> None:
    for step in range(1, 60):
        target = 0.1 * step
        assert math.expm1(found(solve(math.expm1, target))) <= target
        assert 1 / found(solve(lambda e: 1 / e, target, rising=False, take="first")) <= target


def test_steps_are_approached_from_below() -> None:
    epsilon = found(solve(lambda e: 1.0 + math.floor(e), 3.5))
    assert epsilon < 3
    assert epsilon == pytest.approx(3, rel=SOLVED)


@pytest.mark.parametrize(("rising", "want"), [(True, 0.980829253011), (False, 0.980829253012)])
def test_noise_in_the_last_bits_does_not_move_the_answer(rising: bool, want: float) -> None:
    """ln(8/3) = 0.98082925301172…: a figure may be off by a few roundings, as it is on another processor."""
    sign = 1 if rising else -1
    for noise in (-4e-16, 0.0, 4e-16):
        figure = lambda e, noise=noise: math.exp(sign * e) * (1 + noise)  # noqa: E731
        assert found(solve(figure, (8 / 3) ** sign, rising=rising)) == want


def test_rounding_stops_at_a_jump() -> None:
    """The last answer lies just after a fall of the figure; rounded down it would lie before it."""
    jump = 1.2345678901235567
    pieces = Piece(end=jump), Piece(start=jump)
    target = jump * (1 + 1e-13) / 1.1
    solution = solve(lambda e: e if e < jump else e / 1.1, target, piece=lambda e: pieces[e >= jump])
    assert found(solution) == pytest.approx(jump, rel=2e-13)
    assert found(solution) > jump


def test_falling_steps_are_approached_from_above() -> None:
    epsilon = found(solve(lambda e: 1 / (1 + math.floor(e)), 0.3, rising=False, take="first"))
    assert epsilon >= 3
    assert epsilon == pytest.approx(3, rel=SOLVED)


def saw(epsilon: float) -> float:
    """Rise to one, fall to a tenth at ε = 1, and rise again."""
    return epsilon if epsilon < 1 else epsilon / 10


def test_first_and_last_crossing_of_a_figure_that_falls_back() -> None:
    assert found(solve(saw, 0.5, take="first")) == pytest.approx(0.5, rel=SOLVED)
    assert found(solve(saw, 0.5, take="last")) == pytest.approx(5, rel=SOLVED)
    assert found(solve(saw, 0.05, take="last")) == pytest.approx(0.05, rel=SOLVED)


def test_targets_that_are_out_of_reach() -> None:
    assert solve(lambda e: 1 - math.exp(-e) / 2, 2.0) == Solution(None, "every ε reaches it")
    assert solve(lambda e: 1 + e, 0.5) == Solution(None, "no ε reaches it")
    assert solve(lambda e: 1 + 1 / e, 0.5, rising=False) == Solution(None, "no ε reaches it")


def test_largest_budget_itself() -> None:
    epsilon = found(solve(lambda e: e, 699.999999))
    assert epsilon < 700
