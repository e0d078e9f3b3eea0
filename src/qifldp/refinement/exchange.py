"""Exchange rates: the budgets at which one protocol is refined to another, with proofs at both sides of every end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from qifldp.errors import InputError
from qifldp.exact.budget import LARGEST_EPSILON, SMALLEST_EPSILON, Budget
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Decision, DoesNotRefine, Refines

RESOLUTION = 1e-6
"""Relative width at which a bracket is narrow enough. The solver is exact to about 1e-7; below, verdicts get rare."""

NUDGE = 1e-9
"""Relative distance from a jump at which its two sides are asked: the jump itself is known to about 1e-13."""

NARROW = 0.02
"""Relative width below which pieces are not told apart any more: they are scanned in steps of this width."""

SMOOTH = 0.1
"""Relative step of the scan where a parameter moves with ε without jumps (THE with its default θ)."""

LEAST_SECONDS = 1e-3
"""What a budget is given that is asked at the last moment."""

MOST_CELLS = 10_000
"""Cells that a range is cut into at most: some hours of work."""

Jumps: TypeAlias = Callable[[float], tuple[float | None, float | None]]
"""The start and the end of the piece around an ε on which rounded parameters stay as they are; None for no end."""

Bracket: TypeAlias = tuple[float | None, float | None]
"""A budget at which the answer is proved to be no, and one at which it is proved to be yes."""


@dataclass(frozen=True)
class ExchangeRate:
    """The budgets ε of a range at which original(ε) ⊑ refined holds.

    Attributes:
        low: Start of the range.
        high: End of the range.
        intervals: Maximal ranges [a, b] of budgets; at a and at b themselves the answer is proved to be yes.
        brackets: For each interval the brackets (no, yes) of its start and of its end; no is None where the range
            ends, or where nothing is proved between this interval and the next.
        undecided: Ranges wider than RESOLUTION between whose ends no answer was proved.
        scanned: Ranges on which only points were asked, and what lies between two of them was taken to be alike.
        decisions: The decision, with its certificate, at each ε that was asked.
    """

    low: float
    high: float
    intervals: tuple[tuple[float, float], ...]
    brackets: tuple[tuple[Bracket, Bracket], ...]
    undecided: tuple[tuple[float, float], ...]
    scanned: tuple[tuple[float, float], ...]
    decisions: dict[float, Decision]

    @property
    def refined_from(self) -> float | None:
        """The ε from which the original is refined up to the range's end (in ``scanned``: wherever it was asked)."""
        holds = self.intervals and self.intervals[-1][1] == self.high
        return self.intervals[-1][0] if holds else None

    @property
    def bracket(self) -> Bracket:
        """The last proved no before ``refined_from``, and ``refined_from``; the last proved no if there is none."""
        if self.refined_from is not None:
            return self.brackets[-1][0]
        noes = [epsilon for epsilon, decision in self.decisions.items() if isinstance(decision, DoesNotRefine)]
        return max(noes, default=None), None


@dataclass(frozen=True)
class _Cell:
    """A range of budgets whose ends are asked; within it the answer is taken to change at most once."""

    start: float
    end: float
    scanned: bool = False


def exchange_rate(
    *,
    original: Callable[[Budget], Protocol],
    refined: Protocol,
    low: float,
    high: float,
    jumps: Jumps | None = None,
    progress: Callable[[int, int], None] | None = None,
    time_limit: float | None = None,
) -> ExchangeRate:
    """Find the budgets ε in [low, high] at which original(ε) ⊑ refined, that is original(ε)·W = refined.

    Between two jumps of a rounded parameter (ω of SS, g of OLH) the protocols are a refinement family: the more
    budget, the leakier. So there the answer turns from no to yes once, and bisection finds where. The same holds
    on the whole range for GRR, SUE, OUE, BLH, for SS, LH and THE with a fixed ω, g or θ, and for mixtures of these.

    Two kinds of ranges are only scanned (and named in the result): where θ follows ε (THE by default), and where
    pieces between jumps are narrower than NARROW (OLH at a large ε, SS over a large domain at a small one). There
    the answer is assumed to change at most once between two neighbouring points; each end that is found is proved
    all the same.

    Args:
        original: Builds A at a budget.
        refined: B, at its own budget.
        low: Start of the range, above 0.
        high: End of the range, at most 700.
        jumps: The piece around an ε on which rounded parameters stay as they are; None if nothing is rounded.
        progress: Called with the cells of the range that are done, and with all of them.
        time_limit: Seconds after which no more budgets are asked.

    Raises:
        InputError: If the range is none, or the domains differ.
    """
    if not SMALLEST_EPSILON <= low < high <= LARGEST_EPSILON:
        raise InputError(
            f"The range of budgets must be from a smaller to a larger ε, at most {LARGEST_EPSILON}, "
            f"got {low:g} to {high:g}."
        )
    asked = _Asked(original, refined, None if time_limit is None else time.monotonic() + time_limit)
    cells = list(_at_mark(_scan(_pieces(low, high, jumps), original), refined))
    for done, cell in enumerate(cells):
        if progress is not None:
            progress(done, len(cells))
        asked.settle(cell.start, cell.end)
    if progress is not None:
        progress(len(cells), len(cells))
    answers = asked.answers
    intervals, brackets = _runs(answers)
    scanned = _joined([(cell.start, cell.end) for cell in cells if cell.scanned])
    return ExchangeRate(low, high, intervals, brackets, _gaps(answers), scanned, asked.decisions)


class _Asked:
    """The budgets asked so far."""

    def __init__(self, original: Callable[[Budget], Protocol], refined: Protocol, deadline: float | None) -> None:
        self._original, self._refined, self._deadline = original, refined, deadline
        self._unasked: set[float] = set()
        self.decisions: dict[float, Decision] = {}

    @property
    def answers(self) -> list[tuple[float, bool | None]]:
        """Each budget in order: whether A is refined there; None if that is not known."""
        every = sorted(self.decisions.keys() | self._unasked)
        return [(epsilon, _answer(self.decisions.get(epsilon))) for epsilon in every]

    def settle(self, start: float, end: float) -> None:
        """Ask at both ends, and between two that answer differently, until they are near each other."""
        if self._ask(start) == self._ask(end) or end - start <= RESOLUTION * end or self._late():
            return
        middle = math.sqrt(start) * math.sqrt(end)
        self.settle(start, middle)
        self.settle(middle, end)

    def _ask(self, epsilon: float) -> bool | None:
        if epsilon not in self.decisions:
            if self._late():
                self._unasked.add(epsilon)
                return None
            left = None if self._deadline is None else max(self._deadline - time.monotonic(), LEAST_SECONDS)
            protocol = self._original(Budget.read(epsilon))
            decision = decide_refinement(original=protocol, refined=self._refined, time_limit=left)
            self.decisions[epsilon] = decision
        return _answer(self.decisions[epsilon])

    def _late(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline


def _answer(decision: Decision | None) -> bool | None:
    return True if isinstance(decision, Refines) else False if isinstance(decision, DoesNotRefine) else None


def _pieces(low: float, high: float, jumps: Jumps | None) -> Iterator[_Cell]:
    """Cut a range at the jumps, and where those are too dense into steps that are scanned."""
    at, count = low, 0
    while at < high:
        start, end = jumps(at) if jumps is not None else (None, None)
        if end is not None and end - (start or 0.0) < NARROW * at:
            stop = min(at * (1 + NARROW), high)
            yield _Cell(at, stop, scanned=True)
            at = stop
        elif end is None or end * (1 + NUDGE) >= high:
            yield _Cell(at, high)
            return
        else:
            yield _Cell(at, max(at, end * (1 - NUDGE)))
            at = max(end, at) * (1 + NUDGE)
        count += 1
        if count > MOST_CELLS:
            raise InputError(f"The range of budgets has more than {MOST_CELLS:,} pieces: choose a shorter one.")


def _scan(cells: Iterator[_Cell], original: Callable[[Budget], Protocol]) -> Iterator[_Cell]:
    """Cut the cells on which a parameter moves with ε into steps."""
    for cell in cells:
        settings = [_settings(original(Budget.read(epsilon))) for epsilon in (cell.start, cell.end)]
        if cell.scanned or settings[0] == settings[1]:
            yield cell
            continue
        count = math.ceil(math.log(cell.end / cell.start) / math.log1p(SMOOTH))
        inner = [cell.start * math.exp(math.log(cell.end / cell.start) * i / count) for i in range(1, count)]
        edges = [cell.start, *inner, cell.end]
        yield from (_Cell(start, end, scanned=True) for start, end in pairwise(edges))


def _settings(protocol: Protocol) -> dict[str, str]:
    return {key: value for key, value in protocol.parameters.items() if key != "epsilon"}


def _at_mark(cells: Iterator[_Cell], refined: Protocol) -> Iterator[_Cell]:
    """Cut at the ε of the refined protocol, if it is one number: that is where the same protocol is identical."""
    mark = refined.epsilon
    if not math.isfinite(mark) or refined.tight_budget != Budget.read(mark):
        mark = 0.0
    for cell in cells:
        if cell.start < mark < cell.end:
            yield _Cell(cell.start, mark, cell.scanned)
            yield _Cell(mark, cell.end, cell.scanned)
        else:
            yield cell


def _runs(
    answers: list[tuple[float, bool | None]],
) -> tuple[tuple[tuple[float, float], ...], tuple[tuple[Bracket, Bracket], ...]]:
    """Return the maximal runs of yes, and the nearest proved no before and after each."""
    intervals, brackets = [], []
    first = 0
    for place, (_, answer) in enumerate(answers):
        if answer and not (place and answers[place - 1][1]):
            first = place
        if answer and not (place + 1 < len(answers) and answers[place + 1][1]):
            start, end = answers[first][0], answers[place][0]
            intervals.append((start, end))
            before, after = _nearest_no(answers[:first][::-1]), _nearest_no(answers[place + 1 :])
            brackets.append(((before, start), (after, end)))
    return tuple(intervals), tuple(brackets)


def _nearest_no(answers: list[tuple[float, bool | None]]) -> float | None:
    """Return the first budget with a no, unless a yes comes before it."""
    decided = next(((epsilon, answer) for epsilon, answer in answers if answer is not None), None)
    return decided[0] if decided is not None and not decided[1] else None


def _gaps(answers: list[tuple[float, bool | None]]) -> tuple[tuple[float, float], ...]:
    """Return the ranges around budgets without an answer, where they are wider than the resolution."""
    unknown = [
        (answers[max(place - 1, 0)][0], answers[min(place + 1, len(answers) - 1)][0])
        for place, (_, answer) in enumerate(answers)
        if answer is None
    ]
    return tuple((start, end) for start, end in _joined(unknown) if end - start > 2 * RESOLUTION * end)


def _joined(ranges: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Join ranges that overlap or touch, in order."""
    joined: list[tuple[float, float]] = []
    for start, end in ranges:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return tuple(joined)
