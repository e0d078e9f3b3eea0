"""Two provers: z3, and cvc5 as a second opinion where it is installed and decides.

They read the SMT-LIB text that is exported, and nothing else: what is proved is what the file says.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

from qifldp.proofs.claim import Finding, UncheckedError
from qifldp.proofs.smt import Answer, Theorem

Z3_SECONDS = 60
"""Each theorem of the ledger takes z3 less than two seconds."""

CVC5_SECONDS = 10
"""A second opinion is worth waiting for, but not for long."""

EXTRA = "z3 and cvc5 check this claim: pip install qifldp[prove]"


@dataclass(frozen=True, eq=False)
class Proved:
    """The check that theorems hold: z3 decides, and cvc5 must not contradict.

    Attributes:
        theorems: All must hold.
    """

    theorems: tuple[Theorem, ...]

    def __call__(self) -> Finding:
        both, second_prover = 0, is_installed("cvc5")
        for theorem in self.theorems:
            text = theorem.text(expected="unknown")
            answer, model = ask_z3(text, theorem.names)
            second = ask_cvc5(text) if second_prover else "unknown"
            if answer == "unknown" or "unknown" != second != answer:
                raise UncheckedError(f"{theorem.name}: z3 says {answer}, cvc5 {second}.")
            if answer == "unsat":
                _check_content(theorem)
            if answer == "sat":
                return Finding(False, f"{theorem.name} has a counterexample: {_shown(theorem, model)}")
            both += second == answer
        count = len(self.theorems)
        provers = "z3 and cvc5 find" if both == count else f"z3 (and cvc5 for {both}) finds"
        if not second_prover:
            provers = "z3 finds"
        alone = "" if second_prover else " (no second opinion: cvc5 is not installed)"
        return Finding(True, f"{provers} no counterexample to {count} statement{'s' * (count > 1)}{alone}")


def _check_content(theorem: Theorem) -> None:
    """Raise UncheckedError unless a theorem says something: it concludes more than it assumes, about some point.

    Raises:
        UncheckedError: If it is vacuous, or z3 cannot tell.
    """
    if ask_z3(theorem.alone(concluded=False), theorem.names)[0] != "sat":
        raise UncheckedError(f"{theorem.name} is about nothing: its assumptions contradict one another.")
    if theorem.immediate:
        return
    if theorem.repeats_assumptions:
        raise UncheckedError(f"{theorem.name} concludes what it assumes.")
    if ask_z3(theorem.alone(concluded=True), theorem.names)[0] != "sat":
        raise UncheckedError(f"{theorem.name} holds whatever is assumed: it says nothing.")


def ask_z3(text: str, names: Sequence[str]) -> tuple[Answer, dict[str, Fraction | None]]:
    """Return z3's answer to an SMT-LIB text, and its model, with None for values that are not rational.

    Raises:
        UncheckedError: If z3 is not installed, or does not load.
    """
    z3 = _prover("z3")
    context = z3.Context()  # of its own: how fast it answers depends on everything that a context was asked before
    solver = z3.SolverFor("QF_NRA", ctx=context)
    solver.set("timeout", Z3_SECONDS * 1000)
    solver.from_string(text)
    verdict = solver.check()
    if verdict == z3.unsat:
        return "unsat", {}
    if verdict != z3.sat:
        return "unknown", {}
    model = solver.model()
    values = {name: model.eval(z3.Real(name, ctx=context), model_completion=True) for name in names}
    return "sat", {n: Fraction(str(v)) if z3.is_rational_value(v) else None for n, v in values.items()}


def ask_cvc5(text: str) -> Answer:
    """Return cvc5's answer to an SMT-LIB text.

    Raises:
        UncheckedError: If cvc5 is not installed, or does not load.
    """
    cvc5 = _prover("cvc5")
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(CVC5_SECONDS * 1000))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "theorem")
    symbols, last = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        last = command.invoke(solver, symbols).strip()
    return "sat" if last == "sat" else "unsat" if last == "unsat" else "unknown"


def is_installed(name: str) -> bool:
    """Whether a prover is there, be it that it does not load."""
    return importlib.util.find_spec(name) is not None


def _prover(name: str) -> Any:
    """Return a prover's module.

    Raises:
        UncheckedError: If it is not installed, or does not load.
    """
    if not is_installed(name):
        raise UncheckedError(f"{EXTRA}.")
    try:
        return import_module(name)
    except Exception as error:  # noqa: BLE001  # a broken library may raise anything while it loads
        raise UncheckedError(f"{name} is installed and does not load: {' '.join(str(error).split())}.") from None


def _shown(theorem: Theorem, model: dict[str, Fraction | None]) -> str:
    """Return a counterexample in words, checked in rationals where it is rational."""
    point = {name: value for name, value in model.items() if value is not None}
    if len(point) < len(model):
        return "one that is not rational."
    if not theorem.refuted_by(point):
        raise UncheckedError(f"{theorem.name}: z3's counterexample is none.")
    return ", ".join(f"{name} = {value}" for name, value in point.items())
