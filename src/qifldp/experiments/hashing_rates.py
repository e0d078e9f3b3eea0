"""Fig. 7: attacks on local hashing, and two formulas for their success."""

from __future__ import annotations

import math

from qifldp.experiments.attacks import simulate_attack
from qifldp.experiments.figure import CONFIDENCE, Axis, Figure, Point, Progress, Series, Settings, reading
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
WRONG = Series("equation (25), Gursoy et al.", "wrong")


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
    for epsilon in BUDGETS:
        g = buckets(epsilon)
        panel = f"ε = {epsilon}, g = {g}"
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
        reading(pieces),
    )
    return Figure(
        "fig7",
        "Attacks on local hashing (Fig. 7)",
        Axis("k", "number of values k", scale="log"),
        Axis("asr", "attack success rate", better="more private", zero=True),
        "setting",
        (RIGHT, WRONG, ATTACKS),
        tuple(points),
        notes,
        {
            "sizes": sizes, "people": PEOPLE, "runs": runs, "epsilon": BUDGETS,
            "buckets": tuple(map(buckets, BUDGETS)), "confidence": CONFIDENCE,
            "interval": "Clopper-Pearson, Bonferroni",
        },
        simulated=True,
    )  # fmt: skip
