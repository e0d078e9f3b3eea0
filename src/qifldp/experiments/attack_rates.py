"""Fig. 4: how often one blind guess is right, for THE, OUE and SUE."""

from __future__ import annotations

import numpy as np

from qifldp.experiments.attacks import simulate_attack
from qifldp.experiments.clicks import most_frequent
from qifldp.experiments.figure import (
    CONFIDENCE,
    Axis,
    Figure,
    Panel,
    Point,
    Progress,
    Series,
    Settings,
    Strip,
    reading,
)
from qifldp.experiments.intervals import each_of
from qifldp.experiments.thresholds import the_threshold
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE

VALUES, PEOPLE = 10, 10_000
BUDGETS = (2, 4, 8, 16)
THETAS = tuple(f"{0.5 + 0.025 * step:.3f}" for step in range(20))
RUNS, QUICK_RUNS = 20, 1

PAPER_OUE = 0.44
"""Where the paper's Fig. 4 has OUE at ε = 16, read from the picture."""

SERIES = (Series("SUE", "SUE"), Series("OUE", "OUE"), Series("THE", "THE"))

THRESHOLD = "Lemma 10: bits of OUE are refined to those of THE from here on"
MARK = "lemma_10_theta"

THETA = Axis("theta", "threshold θ of THE", room=(0.48, 1.02))

OWN_RANGE = "Each panel has its own vertical ranges."
WHOLE_REPORTS = "Lemma 10 is exact for bits; whole reports are refined there too, with few values sooner (Cor. 1)."


def budget_panel(epsilon: int, values: int) -> Panel:
    """Return the panel of one ε, with the place where bits of OUE begin to be refined to those of THE."""
    least = the_threshold(epsilon)
    return Panel(f"ε = {epsilon} (Lemma 10: θ = {least:.5g})", {"k": values, "epsilon": epsilon, MARK: least}, MARK)


def three_protocols(values: int, epsilon: int, theta: str) -> dict[str, Protocol]:
    """Return the protocols that Figs. 4 and 5 compare, by their series."""
    return {"SUE": SUE(values, epsilon), "OUE": OUE(values, epsilon), "THE": THE(values, epsilon, theta=theta)}


def figure_4(settings: Settings, progress: Progress) -> Figure:
    """Attack the reports of people who clicked on the ten most frequent items."""
    rng, runs = settings.rng(4), settings.runs(RUNS, QUICK_RUNS)
    counts, words = most_frequent(settings.clicks, VALUES)
    people = rng.choice(VALUES, size=PEOPLE, p=counts / counts.sum())
    pieces = len(BUDGETS) * len(THETAS) * 3
    confidence, points = each_of(pieces, CONFIDENCE), []
    panels = tuple(budget_panel(epsilon, VALUES) for epsilon in BUDGETS)
    for epsilon, panel in zip(BUDGETS, (panel.name for panel in panels), strict=True):
        for theta in THETAS:
            for name, protocol in three_protocols(VALUES, epsilon, theta).items():
                found = simulate_attack(protocol, values=np.tile(people, runs), rng=rng, confidence=confidence)
                points.append(Point(panel, name, "theory", float(theta), float(asr(protocol))))
                points.append(Point(panel, name, "simulation", float(theta), found.rate, found.low, found.high))
            progress(len(points) / (2 * pieces))
    notes = (
        (
            f"One guess without prior knowledge at the values of {PEOPLE:,} people, drawn from {words}; "
            f"{settings.how_many(runs, RUNS)}."
        ),
        reading(pieces),
        (
            "Theory is ML/k, which by symmetry any data must give. The paper plots other levels (OUE at ε = 16 near "
            f"{PAPER_OUE}, theory {float(asr(OUE(VALUES, 16))):.2f}); the order of its curves is this one."
        ),
        f"{OWN_RANGE} {WHOLE_REPORTS}",
    )
    return Figure(
        "fig4",
        "Attacks on THE, OUE and SUE (Fig. 4)",
        THETA,
        Axis("asr", "attack success rate", better="more private"),
        panels,
        SERIES,
        tuple(points),
        notes,
        {
            "values": VALUES, "people": PEOPLE, "runs": runs, "epsilon": BUDGETS, "theta": THETAS, "data": words,
            "confidence": CONFIDENCE, "interval": "Clopper-Pearson, Bonferroni",
        },
        simulated=True,
        strip=Strip(("simulated", "− theory")),
        mark=THRESHOLD,
    )  # fmt: skip
