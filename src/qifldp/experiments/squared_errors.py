"""Fig. 5: how far estimated frequencies are off, for THE, OUE and SUE."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.counts_only import sample_counts
from qifldp.experiments.attack_rates import (
    BUDGETS,
    OWN_RANGE,
    SERIES,
    THETA,
    THRESHOLD,
    WHOLE_REPORTS,
    budget_panel,
    three_protocols,
)
from qifldp.experiments.clicks import Counts, sample
from qifldp.experiments.figure import CONFIDENCE, Axis, Figure, Point, Progress, Settings, Strip, reading
from qifldp.experiments.intervals import each_of, mean_square_interval
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.unary_encoding import OUE, SUE

PEOPLE = 10_000
THETAS = tuple(f"{theta:.12g}" for theta in np.linspace(0.5, 1, 20))
RUNS, QUICK_RUNS = 100, 10


def mean_squared_error(protocol: Protocol, people: int) -> float:
    """Return the mean squared error of the plain estimates, averaged over the values, about the data.

        MSE = [q(1 − q) + (p − q)(1 − p − q)/k] / (n(p − q)²)

    whatever the data are: variances are linear in the frequency, of which the average is 1/k.
    """
    return protocol.variance(1 / protocol.domain_size, people)


def variances(protocol: Protocol, counts: Counts) -> NDArray[np.float64]:
    """Return the variance of each value's plain estimate, about the data, shape (k,): linear in the frequency."""
    people, truth = int(counts.sum()), counts / counts.sum()
    everybody, nobody = (protocol.variance(frequency, people) for frequency in (1, 0))
    return truth * everybody + (1 - truth) * nobody


def least_domain(epsilon: int) -> int:
    """Return the number of values from which on OUE has a smaller error than SUE."""
    k = 2
    while mean_squared_error(OUE(k, epsilon), 1) >= mean_squared_error(SUE(k, epsilon), 1):
        k += 1
    return k


def squared_errors(protocol: Protocol, counts: Counts, runs: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the mean squared error over the values of each of some collections from the same people."""
    truth = counts / counts.sum()
    found = np.empty(runs)
    for run in range(runs):
        estimates = sample_counts(protocol, counts, rng=rng).as_plain().frequencies()
        found[run] = np.mean((estimates - truth) ** 2)
    return found


def figure_5(settings: Settings, progress: Progress) -> Figure:
    """Estimate the histogram of 10,000 clicks."""
    rng, runs = settings.rng(5), settings.runs(RUNS, QUICK_RUNS)
    counts, words = sample(settings.clicks, PEOPLE, rng)
    k, pieces = len(counts), len(BUDGETS) * len(THETAS) * 3
    confidence, points = each_of(pieces, CONFIDENCE), []
    panels = tuple(budget_panel(epsilon, k) for epsilon in BUDGETS)
    for epsilon, panel in zip(BUDGETS, (panel.name for panel in panels), strict=True):
        for theta in THETAS:
            for name, protocol in three_protocols(k, epsilon, theta).items():
                errors = squared_errors(protocol, counts, runs, rng)
                mean = float(errors.mean())
                low, high = mean_square_interval(mean, variances(protocol, counts), runs, confidence)
                points.append(Point(panel, name, "theory", float(theta), mean_squared_error(protocol, PEOPLE)))
                points.append(Point(panel, name, "simulation", float(theta), mean, low, high))
            progress(len(points) / (2 * pieces))
    least = ", ".join(str(least_domain(epsilon)) for epsilon in BUDGETS)
    notes = (
        f"Plain estimates from {words}; {settings.how_many(runs, RUNS)}.",
        (
            f"{reading(pieces)} They are Chernoff's for sums of squares of independent normal errors. The values' "
            "errors are independent, and not all nearly normal: in simulations (ten values, ε = 16) the intervals hold "
            "often enough."
        ),
        f"{OWN_RANGE} {WHOLE_REPORTS}",
        f"OUE beats SUE only from k = {least} values on (ε = {', '.join(map(str, BUDGETS))}); here k = {k:,}.",
    )
    return Figure(
        "fig5",
        "Errors of THE, OUE and SUE (Fig. 5)",
        THETA,
        Axis("mse", "mean squared error", better="more useful", scale="log", unit=(1e-6, "millionths")),
        panels,
        SERIES,
        tuple(points),
        notes,
        {
            "values": k, "people": PEOPLE, "runs": runs, "epsilon": BUDGETS, "theta": THETAS, "data": words,
            "stand_in": settings.clicks is None, "confidence": CONFIDENCE, "interval": "Chernoff, Bonferroni",
        },
        simulated=True,
        strip=Strip(("simulated", "/ theory"), ratio=True),
        mark=THRESHOLD,
    )  # fmt: skip
