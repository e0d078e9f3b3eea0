"""Fig. 6: the Bayes capacity of the seven protocols."""

from __future__ import annotations

import numpy as np

from qifldp.exact.budget import Budget
from qifldp.experiments.figure import EXACT, Axis, Figure, Panel, Point, Progress, Series, Settings
from qifldp.leakage.capacity import bayes_capacity
from qifldp.protocols.specs import parse_spec

VALUES, THETA = 50, "0.75"
ORDER = ("grr", "ss", "oue", "olh", "sue", "the", "blh")
"""Of the legend, and of drawing: where two curves run together the dotted one is on top."""

BUDGETS = tuple(float(f"{epsilon:.12g}") for epsilon in np.linspace(0.5, 30, 100))


def capacities_at(epsilon: float) -> dict[str, float]:
    """Return the Bayes capacity of each protocol of the figure."""
    specs = [f"the:theta={THETA}" if name == "the" else name for name in ORDER]
    protocols = [parse_spec(spec).build(VALUES, Budget.read(epsilon)) for spec in specs]
    return {protocol.name: float(bayes_capacity(protocol)) for protocol in protocols}


def figure_6(settings: Settings, progress: Progress) -> Figure:  # noqa: ARG001  # exact
    """Compute the capacities from profiles, without the cancellation that the authors' code has."""
    points, panel = [], Panel(f"k = {VALUES}, THE with θ = {THETA}", {"k": VALUES})
    for done, epsilon in enumerate(BUDGETS):
        points += [Point(panel.name, name, "theory", epsilon, value) for name, value in capacities_at(epsilon).items()]
        progress((done + 1) / len(BUDGETS))
    notes = (
        f"{EXACT} OLH does not wiggle beyond ε = 26: that is rounding in the authors' code.",
        "SS runs with GRR where ω = 1, OLH with OUE nearly everywhere.",
        (f"Limits: {VALUES} for GRR, SS, SUE and THE, {(VALUES + 1) / 2:g} for OUE and OLH, just below 2 for BLH."),
    )
    about = {"the": {"theta": float(THETA)}}
    series = tuple(Series(name.upper(), name.upper(), values=about.get(name, {})) for name in ORDER)
    return Figure(
        "fig6",
        "Bayes capacity of seven protocols (Fig. 6)",
        Axis("epsilon", "budget ε (nats)"),
        Axis("capacity", "Bayes capacity (factor)", better="more private", zero=True),
        (panel,),
        series,
        tuple(points),
        notes,
        {"values": VALUES, "theta": THETA, "epsilon": BUDGETS, "protocols": ORDER},
    )
