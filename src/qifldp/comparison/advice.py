"""The recommendation that goes with a comparison: what its question asks, put to ``recommend``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qifldp.comparison.candidates import ALIKE, DEFAULT_CAP, Goal
from qifldp.comparison.compare import Comparison, Row
from qifldp.comparison.recommend import Recommendation, recommend
from qifldp.comparison.subjects import Subject
from qifldp.errors import InputError
from qifldp.exact.budget import LARGEST_EPSILON, Budget
from qifldp.protocols.specs import ProtocolSpec

LARGEST = 100_000
"""Domain size up to which a comparison looks for a recommendation (seconds); ``recommend`` itself has no limit."""

FIGURES = {"tight-epsilon": "tight_epsilon", "asr": "asr_uniform", "shannon": "shannon_capacity_bits"}
"""The figure that is matched, by its name in the question."""

OF_THE_TABLE = "the largest among those compared"
"""What a comparison's cap is."""


@dataclass(frozen=True)
class Advice:
    """A recommendation at one budget asked, or why there is none.

    Attributes:
        asked_epsilon: The budget, None for a limit.
        found: The recommendation.
        reason: Why there is none.
    """

    asked_epsilon: float | None
    found: Recommendation | None
    reason: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the advice as JSON."""
        if self.found is None:
            return {"epsilon": self.asked_epsilon, "recommended": None, "sentences": [self.reason]}
        return {"epsilon": self.asked_epsilon} | self.found.to_json()


def advise(
    subjects: Sequence[Subject],
    comparison: Comparison,
    asked: float | None,
    rows: Sequence[Row],
    budget: Budget | None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Advice:
    """Return the recommendation among what is compared, under the limit that the comparison's question sets.

    A question at equal leakage sets that leakage as the limit. Beside a limit on leakage the largest tight ε is that of
    the table, where it is above the default: what is recommended is then never worse than what stands in the table.

    Args:
        subjects: What is compared.
        comparison: The comparison of them.
        asked: The budget asked, None for a limit.
        rows: Its rows.
        budget: The budget as it was given.
        progress: Called with (what is being done, steps done, steps in all).
    """
    k, n = comparison.domain_size, comparison.n
    specs = [one.text for one in subjects if isinstance(one, ProtocolSpec) and one.has_budget and one.budget is None]
    if k > LARGEST:
        return Advice(asked, None, f"Above {LARGEST:,} values no recommendation is looked for here: qifldp recommend.")
    if not specs:
        return Advice(asked, None, "None: what is compared has no budget to choose.")
    try:
        goal = _goal(comparison, rows, budget)
        if goal is None:
            return Advice(asked, None, "None: the first protocol has no figure to match.")
        return Advice(asked, recommend(domain_size=k, n=n, goal=goal, specs=specs, progress=progress))
    except InputError as error:
        return Advice(asked, None, str(error))


def _goal(comparison: Comparison, rows: Sequence[Row], budget: Budget | None) -> Goal | None:
    """Return the limit that a comparison's question sets; None if the first protocol has no figure to match."""
    question = comparison.question
    if question.limit is not None:
        assert question.limit_value is not None
        cap = None if question.limit == "error" else _cap(rows)
        return Goal(question.limit, question.limit_value, cap=cap, cap_is=OF_THE_TABLE if cap else "")
    if question.match == "epsilon":
        assert budget is not None
        return Goal("epsilon", budget)
    value = rows[0].figures[FIGURES[question.match]]
    if not value:
        return None
    if question.match == "tight-epsilon":
        if budget is not None and math.isclose(value, budget.epsilon, rel_tol=ALIKE):
            return Goal("epsilon", budget)
        return Goal("epsilon", Budget.read(value))
    cap = _cap(rows)
    return Goal("asr" if question.match == "asr" else "bits", value, cap=cap, cap_is=OF_THE_TABLE if cap else "")


def _cap(rows: Sequence[Row]) -> Budget | None:
    """Return the largest tight ε of the rows, if it is above the default of a recommendation."""
    found = [row.figures["tight_epsilon"] for row in rows if row.epsilon is not None]
    largest = max((value for value in found if value is not None), default=0.0)
    return Budget.read(min(largest, LARGEST_EPSILON)) if largest > DEFAULT_CAP.epsilon * (1 + ALIKE) else None
