"""Fig. 4: how often one blind guess is right, for THE, OUE and SUE."""

from __future__ import annotations

import numpy as np

from qifldp.experiments.attacks import simulate_attack
from qifldp.experiments.clicks import most_frequent
from qifldp.experiments.figure import CONFIDENCE, Axis, Figure, Point, Progress, Series, Settings, reading
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

THRESHOLD = Series("Lemma 10: OUE refined to THE from here on", "threshold")
SERIES = (Series("SUE", "SUE"), Series("OUE", "OUE"), Series("THE", "THE"), THRESHOLD)


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
    for epsilon in BUDGETS:
        panel = f"ε = {epsilon}"
        points.append(Point(panel, THRESHOLD.name, "threshold", the_threshold(epsilon)))
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
    )
    return Figure(
        "fig4",
        "Attacks on THE, OUE and SUE (Fig. 4)",
        Axis("theta", "threshold θ of THE"),
        Axis("asr", "attack success rate", better="more private"),
        "epsilon",
        SERIES,
        tuple(points),
        notes,
        {
            "values": VALUES, "people": PEOPLE, "runs": runs, "epsilon": BUDGETS, "theta": THETAS, "data": words,
            "confidence": CONFIDENCE, "interval": "Clopper-Pearson, Bonferroni",
        },
        simulated=True,
    )  # fmt: skip
