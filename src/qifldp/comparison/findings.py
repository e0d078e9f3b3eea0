"""All that a comparison page shows, as one result: the comparison, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.comparison.advice import Advice, advise
from qifldp.comparison.compare import Comparison, Row, row_of
from qifldp.comparison.curves import Curves, curves
from qifldp.comparison.deployed import deployed
from qifldp.comparison.naming import subject_names
from qifldp.comparison.ordering import ComparedOrder
from qifldp.comparison.plane import Plane, plane
from qifldp.comparison.subjects import MatrixSubject, Subject
from qifldp.comparison.sweep import Sweep, sweep
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec
from qifldp.refinement.decision import DoesNotRefine, Undecided

RECOMMENDED_MIXTURE = "MIX (recommended)"
"""The mixture that is recommended, in planes: it is none of the rows."""


@dataclass(frozen=True)
class Findings:
    """A comparison and what follows from it.

    Attributes:
        comparison: The figures.
        names: What each row of the comparison is called.
        orders: The refinement order at each budget asked; none where it was not decided.
        advice: The recommendation at each budget asked.
        sweep: Figures over ε.
        planes: Leakage against error at each budget asked.
        curves: Trade-off curves at each budget asked.
        presets: Deployed systems.
    """

    comparison: Comparison
    names: tuple[str, ...]
    orders: tuple[ComparedOrder, ...]
    advice: tuple[Advice, ...]
    sweep: Sweep
    planes: tuple[Plane, ...]
    curves: tuple[Curves, ...]
    presets: tuple[dict[str, object], ...]

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON: the comparison's document, with keys added."""
        entries = [entry for order in self.orders for entry in order.entries]
        return self.comparison.to_json(entries) | {
            "series": list(self.names),
            "recommendations": [advice.to_json() for advice in self.advice],
            "diagrams": [self._diagram(order) for order in self.orders],
            "proofs": [proof for order in self.orders for proof in _proofs(order)],
            "sweep": self.sweep.to_json(),
            "planes": [one.to_json() for one in self.planes],
            "trade_offs": [one.to_json() for one in self.curves],
            "presets": list(self.presets),
        }

    def _diagram(self, compared: ComparedOrder) -> dict[str, object]:
        order = compared.order
        return {
            "epsilon": compared.asked_epsilon,
            "classes": [[order.protocols[place].spec for place in places] for places in order.classes],
            "hasse": [list(edge) for edge in order.hasse],
            "incomparable": [list(pair) for pair in order.incomparable],
        }


def find(
    subjects: Sequence[Subject],
    comparison: Comparison,
    *,
    orders: Sequence[ComparedOrder] = (),
    prior: Prior | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Findings:
    """Return what follows from a comparison: recommendation, curves, planes.

    Args:
        subjects: What is compared.
        comparison: The comparison of them.
        orders: Its refinement orders, if they were decided.
        prior: What the informed adversary knows, if not nothing.
        progress: Called with (what is being done, steps done, steps in all).
    """
    names = subject_names(subjects)
    k, n = comparison.domain_size, comparison.n
    sources = _sources(subjects, comparison.rows, k)
    groups = comparison.groups()
    advice = tuple(
        advise(subjects, comparison, asked, rows, budget, progress)
        for (asked, rows), budget in zip(groups, comparison.question.budgets or (None,), strict=True)
    )
    return Findings(
        comparison,
        tuple(name for _ in groups for name in names),
        tuple(orders),
        advice,
        sweep(subjects, names, comparison, prior=prior, progress=progress),
        tuple(_plane(asked, rows, names, sources, n, one) for (asked, rows), one in zip(groups, advice, strict=True)),
        tuple(curves(asked, rows, names, sources) for asked, rows in groups),
        deployed(k, n),
    )


def _plane(
    asked: float | None,
    rows: Sequence[Row],
    names: Sequence[str],
    sources: Mapping[str, Protocol | Channel],
    n: int,
    advice: Advice,
) -> Plane:
    """Return the plane of the rows, and of the recommended protocol where that is a mixture of its own."""
    chosen = None if advice.found is None else advice.found.chosen
    if chosen is None or chosen.protocol != "MIX" or any(row.spec == chosen.spec for row in rows):
        return plane(asked, rows, names, sources, n)
    assert advice.found is not None
    k = advice.found.domain_size
    mixture = parse_spec(chosen.spec).build(k)
    row = row_of(mixture, asked, n, Prior.uniform(k))
    return plane(asked, (*rows, row), (*names, RECOMMENDED_MIXTURE), {**sources, row.spec: mixture}, n)


def _sources(subjects: Sequence[Subject], rows: Sequence[Row], domain_size: int) -> dict[str, Protocol | Channel]:
    """Return the protocol or channel of every row that has figures, by its spec."""
    found: dict[str, Protocol | Channel] = {
        subject.spec: subject.channel for subject in subjects if isinstance(subject, MatrixSubject)
    }
    for row in rows:
        if row.spec not in found and row.figures["bayes_capacity"] is not None:
            found[row.spec] = parse_spec(row.spec).build(domain_size)
    return found


def _proofs(compared: ComparedOrder) -> list[dict[str, object]]:
    """Return the adversary and the certificate of every decided pair."""
    found = []
    specs = [protocol.spec for protocol in compared.order.protocols]
    for (i, j), decision in compared.order.decisions.items():
        pair: dict[str, object] = {"epsilon": compared.asked_epsilon, "original": specs[i], "refined": specs[j]}
        if isinstance(decision, Undecided):
            found.append(pair | {"words": decision.reason, "certificate": None})
            continue
        words = decision.words if isinstance(decision, DoesNotRefine) else None
        found.append(pair | {"words": words, "certificate": decision.certificate.to_json()})
    return found
