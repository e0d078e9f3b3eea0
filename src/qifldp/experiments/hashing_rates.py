"""Fig. 7: attacks on local hashing, and two formulas for their success."""

from __future__ import annotations

import math

from qifldp.experiments.attacks import simulate_attack
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
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.local_hashing import LH

BUDGETS = (3, 5)
PEOPLE = 1_000
RUNS, QUICK_RUNS = 200, 10
SIZES = tuple(range(2, 201))
QUICK_SIZES = (*range(2, 20), *range(20, 201, 12))

ATTACKS = Series("attacks", "light")
RIGHT = Series("equation (26)", "third")
WRONG = Series("equation (25), Gursoy et al.", "wrong", key="equation (25)")

APART = 1.25
"""Marks beside the line stand at sizes that are farther apart than this factor: the strip below has all."""


def apart(sizes: tuple[int, ...]) -> frozenset[float]:
    """Return sizes that are far enough apart for their marks to be told apart."""
    kept = [sizes[0]]
    for size in sizes:
        if size >= APART * kept[-1]:
            kept.append(size)
    return frozenset(map(float, kept))


def buckets(epsilon: float) -> int:
    """Return g = round(e^ε) + 1, as the authors' notebook has it."""
    return round(math.exp(epsilon)) + 1


def equation_25(domain_size: int, buckets: int, epsilon: float) -> float:
    """Return the success rate of earlier work: p/max(k/g, 1), which takes 1/E|S| for E 1/|S| and forgets empty S."""
    p = 1 / (1 + (buckets - 1) * math.exp(-epsilon))
    return p / max(domain_size / buckets, 1.0)


def figure_7(settings: Settings, progress: Progress) -> Figure:
    """Attack reports of people whose values are uniform; equation (26) is the profile's vulnerability."""
    rng, runs = settings.rng(7), settings.runs(RUNS, QUICK_RUNS)
    sizes = QUICK_SIZES if settings.quick else SIZES
    pieces = len(BUDGETS) * len(sizes)
    confidence, points = each_of(pieces, CONFIDENCE), []
    work, done = len(BUDGETS) * sum(sizes), 0
    panels = []
    for epsilon in BUDGETS:
        g = buckets(epsilon)
        panels.append(Panel(f"ε = {epsilon}, g = {g}", {"epsilon": epsilon, "g": g}))
        panel = panels[-1].name
        for k in SIZES:
            points.append(Point(panel, RIGHT.name, "theory", k, float(asr(LH(k, epsilon, g=g)))))
            points.append(Point(panel, WRONG.name, "theory", k, equation_25(k, g, epsilon)))
        for k in sizes:
            found = simulate_attack(LH(k, epsilon, g=g), n=PEOPLE * runs, rng=rng, confidence=confidence)
            points.append(Point(panel, ATTACKS.name, "simulation", k, found.rate, found.low, found.high))
            done += k
            progress(done / work)
    notes = (
        (
            f"One guess without prior knowledge; {PEOPLE:,} people with uniform values, real hash functions; "
            f"{settings.how_many(runs, RUNS)}. The paper says 1000 runs, its notebook 200."
        ),
        f"{reading(pieces)} The strips below have all of them, as a band; above, some are marked.",
    )
    return Figure(
        "fig7",
        "Attacks on local hashing (Fig. 7)",
        Axis("k", "number of values k", scale="log", room=(1.9, 210)),
        Axis("asr", "attack success rate", better="more private", zero=True),
        tuple(panels),
        (RIGHT, WRONG, ATTACKS),
        tuple(points),
        notes,
        {
            "sizes": sizes, "people": PEOPLE, "runs": runs, "epsilon": BUDGETS,
            "buckets": tuple(map(buckets, BUDGETS)), "confidence": CONFIDENCE,
            "interval": "Clopper-Pearson, Bonferroni",
        },
        simulated=True,
        strip=Strip(("difference", "from (26)"), reference=RIGHT.name, band=True),
        shown=apart(sizes),
    )  # fmt: skip
