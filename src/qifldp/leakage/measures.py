"""The table of measures: each with its name, unit, meaning, and which end is private.

Every command, table and page reads this list: a new measure is one function and one line here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from qifldp.errors import ConvergenceError
from qifldp.leakage.capacity import bayes_capacity, max_case_capacity, min_entropy_capacity, tight_epsilon
from qifldp.leakage.information import shannon_capacity, sibson_information
from qifldp.leakage.source import Real, Source
from qifldp.leakage.tradeoff import pairwise_advantage
from qifldp.leakage.vulnerability import asr, guessing_entropy


@dataclass(frozen=True)
class Measure:
    """One figure of a channel.

    Attributes:
        key: Name in JSON.
        title: Name for people.
        unit: Unit, or empty for a plain number.
        private_end: Which end of the scale is the private one.
        formula: Definition, in the symbols of the documentation.
        meaning: What it says, in one plain sentence.
        compute: The function that measures a protocol, profile or channel.
    """

    key: str
    title: str
    unit: str
    private_end: Literal["low", "high"]
    formula: str
    meaning: str
    compute: Callable[[Source], Real]


def _renyi_two(source: Source) -> Real:
    return sibson_information(source, 2)


MEASURES: tuple[Measure, ...] = (
    Measure(
        "tight_epsilon",
        "tight ε",
        "nats",
        "low",
        "max ln C[x,y]/C[x′,y]",
        "The ε that the protocol really has: the worst case over single reports.",
        tight_epsilon,
    ),
    Measure(
        "max_case_capacity",
        "max-case capacity",
        "×",
        "low",
        "e^(tight ε)",
        "No single report makes any adversary's best bet more than this many times better.",
        max_case_capacity,
    ),
    Measure(
        "bayes_capacity",
        "Bayes capacity",
        "×",
        "low",
        "Σ_y max_x C[x,y]",
        "On average over reports, no adversary, with whatever prior and aim, does better by more than this factor.",
        bayes_capacity,
    ),
    Measure(
        "asr_uniform",
        "guess right (no prior knowledge)",
        "probability",
        "low",
        "(1/k) Σ_y max_x C[x,y]",
        "The chance that one guess at a person's value is right, all values being equally likely at first.",
        asr,
    ),
    Measure(
        "min_entropy_capacity_bits",
        "min-entropy capacity",
        "bits",
        "low",
        "log2 of the Bayes capacity",
        "The Bayes capacity on a logarithmic scale.",
        min_entropy_capacity,
    ),
    Measure(
        "renyi_2_capacity_bits",
        "Rényi information of order 2",
        "bits",
        "low",
        "2 log2 Σ_y √(Σ_x C[x,y]²/k)",
        "Between Shannon and min-entropy: the average report, with lucky reports counting more.",
        _renyi_two,
    ),
    Measure(
        "shannon_capacity_bits",
        "Shannon capacity",
        "bits",
        "low",
        "max_π I(X;Y)",
        "The most bits about the value that a report carries on average; deployed systems cap this number.",
        shannon_capacity,
    ),
    Measure(
        "pairwise_advantage",
        "tell two values apart",
        "0 to 1",
        "low",
        "max_{x,x′} ½ Σ_y |C[x,y] − C[x′,y]|",
        "How far an adversary who knows that it is one of two values gets from coin tossing (0) to certainty (1).",
        pairwise_advantage,
    ),
    Measure(
        "guessing_entropy",
        "guesses needed",
        "guesses",
        "high",
        "E_y Σ_i i·p_(i)(y)",
        "How many guesses an adversary with no prior knowledge needs on average.",
        guessing_entropy,
    ),
)


def figure(measure: Measure, source: Source) -> tuple[float | None, str]:
    """Return a measure of a source, or None and the reason why there is no finite figure."""
    try:
        value = finite(measure.compute(source))
    except ConvergenceError as error:
        return None, str(error).rstrip(".")
    if value is not None:
        return value, ""
    if math.isfinite(tight := tight_epsilon(source)):
        return None, f"beyond floats, which end at 1.8e308: it is e^{tight:.4f}"
    return None, "infinite: some output is possible under one value and impossible under another"


def finite(value: Real) -> float | None:
    """Return a figure as a float, None if it is infinite."""
    try:
        number = float(value)
    except OverflowError:  # of a Fraction
        return None
    return number if math.isfinite(number) else None
