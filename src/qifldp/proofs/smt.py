"""Theorems about polynomials, and the SMT-LIB 2 files that ask for their counterexamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from qifldp.errors import InputError
from qifldp.proofs.formulas import All, Formula, Not, Point

Answer: TypeAlias = Literal["sat", "unsat", "unknown"]

EXPECTATIONS: dict[Answer, tuple[str, ...]] = {
    "unsat": ("Expected: unsat. Unsat means that there is no counterexample: the statement holds for all values.",),
    "sat": (
        "ALTERED: this is not the statement of the ledger, but a wrong form of it, which its check must refute.",
        "Expected: sat. Unsat would mean that there is no counterexample; the model is one.",
    ),
    "unknown": ("Unsat would mean that there is no counterexample, sat that there is one: the model.",),
}


@dataclass(frozen=True, eq=False)
class Theorem:
    """assumptions ⇒ conclusion, for all real values of the variables.

    Attributes:
        name: Name of its file.
        words: What it says, one line each; variables are explained.
        names: The variables.
        assumptions: Comparisons of polynomials.
        conclusion: What follows; no denominator in it vanishes, which is shown as well.
        immediate: Whether multiplying denominators out is all of the proof: what is then left is assumed, or true
            anyway. A theorem that is so unawares may say nothing.
    """

    name: str
    words: str
    names: Sequence[str]
    assumptions: Sequence[Formula]
    conclusion: Formula
    immediate: bool = False

    def __post_init__(self) -> None:
        if any(True for part in self.assumptions for _ in part.obligations()):
            raise InputError(f"The assumptions of {self.name} must be about polynomials.")

    @cached_property
    def goal(self) -> Formula:
        """The conclusion, and that no denominator in it vanishes."""
        obligations = {part.text(): part for part in self.conclusion.obligations()}
        return All([*obligations.values(), self.conclusion])

    def text(self, *, expected: Answer = "unsat") -> str:
        """Return the file: its only query asks for a counterexample."""
        comments = [*self.words.splitlines(), *EXPECTATIONS[expected], "Exported by qifldp prove."]
        lines = [f"; {line}" for line in comments]
        lines += ["(set-logic QF_NRA)", f"(set-info :status {expected})"]
        lines += [f"(declare-fun {name} () Real)" for name in self.names]
        lines += [f"(assert {assumption.text()})" for assumption in self.assumptions]
        lines += [f"(assert (not {self.goal.text()}))", "(check-sat)", ""]
        return "\n".join(lines)

    @property
    def repeats_assumptions(self) -> bool:
        """Whether all that is concluded is assumed."""
        parts = self.conclusion.parts if isinstance(self.conclusion, All) else (self.conclusion,)
        return {part.text() for part in parts} <= {part.text() for part in self.assumptions}

    def alone(self, *, concluded: bool) -> str:
        """Return the query for a point where the assumptions are true, or for one where the goal is false."""
        declared = "".join(f"(declare-fun {name} () Real)\n" for name in self.names)
        asked = [Not(self.goal)] if concluded else list(self.assumptions)
        return f"(set-logic QF_NRA)\n{declared}{''.join(f'(assert {part.text()})' for part in asked)}\n"

    def refuted_by(self, point: Point) -> bool:
        """Whether a rational point is a counterexample, computed exactly."""
        return all(part.holds_at(point) for part in self.assumptions) and Not(self.goal).holds_at(point)
