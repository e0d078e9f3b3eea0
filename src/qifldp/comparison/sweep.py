"""Leakage and error of every protocol of a comparison as functions of ε."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from qifldp.adversaries.prior import Prior
from qifldp.comparison.accuracy import weighted_standard_error
from qifldp.comparison.compare import Comparison
from qifldp.comparison.subjects import Subject
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.leakage.measures import MEASURES, figure
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import ProtocolSpec

SWEPT = ("tight_epsilon", "asr_uniform", "shannon_capacity_bits", "pairwise_advantage", "guessing_entropy")
"""Measures of the table of measures that are followed over ε; the others are functions of these."""

MOST_VALUES, POINTS = 100_000, 41
"""Up to this domain size there are curves, through so many ε: four seconds for each protocol at most."""

LEAST_TOP, WIDER = 4.0, 1.5
"""Curves end at this ε, or at so many times the largest budget of the comparison."""


@dataclass(frozen=True)
class Sweep:
    """Figures of the protocols as functions of ε, and at the budgets that were asked for.

    Attributes:
        curves: For each protocol that has a budget, and each ε: series, protocol, epsilon and the figures by key.
        marks: The same for each row of the comparison.
        notes: What is not drawn, and why; how finely curves are computed.
    """

    curves: tuple[dict[str, object], ...]
    marks: tuple[dict[str, object], ...]
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the sweep as JSON."""
        return {"curves": list(self.curves), "marks": list(self.marks), "notes": list(self.notes)}


def sweep(
    subjects: Sequence[Subject],
    names: Sequence[str],
    comparison: Comparison,
    *,
    prior: Prior | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Sweep:
    """Follow the figures of the protocols of a comparison over ε.

    Args:
        subjects: What is compared.
        names: What each is called.
        comparison: The comparison of them.
        prior: What the informed adversary knows, if not nothing.
        progress: Called with (what is being done, steps done, steps in all).
    """
    k, n = comparison.domain_size, comparison.n
    marks = tuple(
        mark
        for _, rows in comparison.groups()
        for name, row in zip(names, rows, strict=True)
        if (mark := _mark(name, row.protocol, row.epsilon, row.figures)) is not None
    )
    if k > MOST_VALUES:
        return Sweep((), marks, (f"Above {MOST_VALUES:,} values curves over ε are left out.",))
    free = [
        (name, subject)
        for name, subject in zip(names, subjects, strict=True)
        if isinstance(subject, ProtocolSpec) and subject.has_budget and subject.budget is None
    ]
    budgets = _budgets(comparison)
    curves, steps = [], len(free) * len(budgets)
    for index, (name, subject, epsilon) in enumerate((*one, epsilon) for one in free for epsilon in budgets):
        if progress is not None:
            progress("curves over ε", index, steps)
        try:
            protocol = subject.build(k, Budget.read(epsilon))
        except InputError:
            continue  # a parameter of its spec does not go with this ε
        curves.append({"series": name, "protocol": protocol.name, "epsilon": epsilon} | _figures(protocol, n, prior))
    drawn = f"Lines are computed at {len(budgets)} budgets, {budgets[0]:.2g} apart, and straight between them."
    return Sweep(tuple(curves), marks, (drawn,) if curves else ())


def _budgets(comparison: Comparison) -> list[float]:
    largest = max((row.epsilon for row in comparison.rows if row.epsilon is not None), default=0.0)
    top = max(LEAST_TOP, WIDER * largest)
    return [float(f"{epsilon:.3g}") for epsilon in np.linspace(top / POINTS, top, POINTS)]


def _figures(protocol: Protocol, n: int, prior: Prior | None) -> dict[str, object]:
    found: dict[str, object] = {
        measure.key: figure(measure, protocol)[0] for measure in MEASURES if measure.key in SWEPT
    }
    found["asr_prior"] = found["asr_uniform"] if prior is None or prior.is_uniform else float(asr(protocol, prior))
    found["standard_error_weighted"] = weighted_standard_error(protocol.profile, n)
    return found


def _mark(
    name: str, protocol: str, epsilon: float | None, figures: dict[str, float | int | None]
) -> dict[str, object] | None:
    """Return a row as a mark; a matrix stands at its tight ε."""
    place = figures["tight_epsilon"] if epsilon is None else epsilon
    if place is None:
        return None
    keys = (*SWEPT, "asr_prior", "standard_error_weighted")
    return {"series": name, "protocol": protocol, "epsilon": place} | {key: figures[key] for key in keys}
