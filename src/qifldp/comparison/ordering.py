"""The refinement order of the protocols of a comparison: who is safer against everybody?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from qifldp.comparison.compare import Comparison
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec
from qifldp.refinement.decision import Decision, Refines, Undecided
from qifldp.refinement.order import RefinementOrder, order_of

LARGEST_BY_DEFAULT = 1_000
"""Domain size up to which a comparison decides the order without being asked."""

LARGEST_WITH_FIGURES = 100
"""Domain size up to which margins and deficiencies are computed without being asked (some seconds a budget)."""

OUT_OF_TIME = "too large for the time allowed"

NOT_ASKED_FOR = "over so many values only if asked for"

SECONDS = 20.0
"""Time for the verdicts and figures of all pairs, unless another limit is given."""


@dataclass(frozen=True)
class ComparedOrder:
    """The order of a comparison's protocols at one budget asked.

    Attributes:
        asked_epsilon: The budget.
        order: All ordered pairs, decided.
        entries: A JSON object for each pair.
    """

    asked_epsilon: float | None
    order: RefinementOrder
    entries: tuple[dict[str, object], ...]


def order_comparison(
    comparison: Comparison,
    *,
    figures: bool = True,
    time_limit: float | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[ComparedOrder, ...]:
    """Decide refinement between all protocols of a comparison, at every budget asked.

    Margin and deficiencies are computed for as long as the time lasts; after that they are None.

    Args:
        comparison: The comparison; rows without a protocol (channel files, no admissible ε) are left out.
        figures: Whether to compute margins and deficiencies too, which takes far longer than the verdicts.
        time_limit: Seconds for everything, twenty by default.
        progress: Called with (what is being done, steps done, steps in all).
    """
    deadline = time.monotonic() + (SECONDS if time_limit is None else time_limit)
    found = []
    for asked, rows in comparison.groups():
        specs = dict.fromkeys(row.spec for row in rows if row.protocol != "FILE" and row.figures["bayes_capacity"])
        protocols = [parse_spec(spec).build(comparison.domain_size) for spec in specs]

        def advance(done: int, total: int) -> None:
            if progress is not None:
                progress("refinement", done, 2 * total)

        order = order_of(protocols, time_limit=max(0.0, deadline - time.monotonic()), progress=advance)
        entries = []
        for index, ((i, j), decision) in enumerate(order.decisions.items()):
            if progress is not None:
                progress("deficiency", len(order.decisions) + index, 2 * len(order.decisions))
            pair = decision, order.decisions[j, i]
            entries.append(_entry(asked, protocols[i], protocols[j], pair, deadline if figures else 0.0))
        found.append(ComparedOrder(asked, order, tuple(entries)))
    return tuple(found)


def _entry(
    asked: float | None, original: Protocol, refined: Protocol, pair: tuple[Decision, Decision], deadline: float
) -> dict[str, object]:
    """Return what is decided on a pair; the deficiency in reverse is that of the decision in reverse."""
    decision, reverse = pair
    figures: dict[str, object] = {
        "epsilon": asked,
        "original": original.spec,
        "refined": refined.spec,
        "verdict": "undecided" if isinstance(decision, Undecided) else decision.certificate.verdict,
        "method": decision.method,
    }
    lacking = None
    for name, one, figure in (
        ("deficiency", decision, "deficiency"),
        ("deficiency_reverse", reverse, "deficiency"),
        ("margin", decision, "margin"),
    ):
        proved = figure == "deficiency" and isinstance(one, Refines)  # then it is 0, whatever the time
        asked_for = proved or time.monotonic() < deadline
        figures[name] = getattr(one, figure) if asked_for else None
        if figures[name] is None and figure in one.unsolved:
            lacking = one.unsolved[figure]
        elif figures[name] is None:
            lacking = lacking or (OUT_OF_TIME if deadline else NOT_ASKED_FOR)
    if lacking is not None:
        figures["reason"] = f"not computed: {lacking.rstrip('.')} (--order, or qifldp refine)"
    return figures
