"""Inverse questions: the budget at which a figure crosses a target, and which crossing is taken."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Literal

import pytest

from qifldp import InputError
from qifldp.comparison.solve import SCAN_POINTS, Piece, Solution, _crossing, solve

SOLVED = 1e-11
"""Relative: a solved budget has 12 digits, so it is off by up to one in the twelfth."""


class Counted:
    """A figure that keeps the budgets that it was asked at."""

    def __init__(self, figure: Callable[[float], float]) -> None:
        self.figure = figure
        self.asked: set[float] = set()

    def __call__(self, epsilon: float) -> float:
        self.asked.add(epsilon)
        return self.figure(epsilon)


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
    pieces = lambda epsilon: Piece(end=1) if epsilon < 1 else Piece(start=1)  # noqa: E731
    assert found(solve(saw, 0.5, take="first", piece=pieces)) == pytest.approx(0.5, rel=SOLVED)
    assert found(solve(saw, 0.5, take="last", piece=pieces)) == pytest.approx(5, rel=SOLVED)
    assert found(solve(saw, 0.05, take="last", piece=pieces)) == pytest.approx(0.05, rel=SOLVED)


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize("take", ["first", "last"])
def test_the_crossing_is_that_of_a_scan_of_all_points(rising: bool, take: Literal["first", "last"]) -> None:
    """Signs that change at most once in a piece, in all ways that four pieces of four points can have."""
    runs = [range(start, start + 4) for start in (0, 4, 8, 12)]
    for cuts in itertools.product(range(5), repeat=4):
        signs = [(place % 4 < cuts[place // 4]) == rising for place in range(16)]
        changes = [i for i in range(15) if signs[i] == rising and signs[i + 1] != rising]
        wanted = None if not changes else changes[0 if take == "first" else -1]
        assert _crossing(runs, signs.__getitem__, before=rising, last=take == "last") == wanted


def test_a_figure_of_one_piece_is_not_asked_at_every_point_of_the_scan() -> None:
    """Figures over a million values take a second."""
    figure = Counted(lambda e: 1 - math.exp(-e))
    solve(figure, 0.3)
    assert len(figure.asked) < SCAN_POINTS / 2


def test_no_budget_above_the_largest_is_looked_at() -> None:
    figure = Counted(lambda e: e)
    assert solve(figure, 5.0, largest=3.0) == Solution(None, "every ε reaches it")
    assert max(figure.asked) <= 3
    assert found(solve(lambda e: e, 2.0, largest=3.0)) == 2
    with pytest.raises(InputError, match=r"^The largest ε to look at must be above 1e-09, got 1e-10\.$"):
        solve(lambda e: e, 2.0, largest=1e-10)


@pytest.mark.parametrize("off", [1 - 1e-13, 1 + 1e-13])
def test_a_draft_finds_the_crossing_and_the_figure_decides(off: float) -> None:
    figure = Counted(math.expm1)
    answer = found(solve(figure, 0.7, draft=lambda e: math.expm1(e) * off))
    assert math.expm1(answer) <= 0.7
    assert answer == pytest.approx(math.log1p(0.7), rel=SOLVED)
    assert len(figure.asked) < 12


def test_targets_that_are_out_of_reach() -> None:
    assert solve(lambda e: 1 - math.exp(-e) / 2, 2.0) == Solution(None, "every ε reaches it")
    assert solve(lambda e: 1 + e, 0.5) == Solution(None, "no ε reaches it")
    assert solve(lambda e: 1 + 1 / e, 0.5, rising=False) == Solution(None, "no ε reaches it")


def test_largest_budget_itself() -> None:
    epsilon = found(solve(lambda e: e, 699.999999))
    assert epsilon < 700
