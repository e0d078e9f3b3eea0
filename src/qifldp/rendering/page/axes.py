"""The quantities that charts are drawn against: title, format, and which end is the better one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Quantity:
    """One quantity on an axis.

    Attributes:
        key: Its key in the result.
        title: Its name on an axis.
        heading: Its name over a chart.
        number: How its values are written, a format of D3.
        better: What its better end is, such as ``more private``.
        end: Which end that is.
        words: What the adversary does, or what the figure says, in a sentence.
    """

    key: str
    title: str
    heading: str
    number: str
    better: str
    end: Literal["low", "high"]
    words: str


PRIVATE = "more private"

QUANTITIES: dict[str, Quantity] = {
    one.key: one
    for one in (
        Quantity("epsilon", "ε claimed", "ε", "~g", PRIVATE, "low", "The budget that the protocol claims."),
        Quantity(
            "tight_epsilon",
            "tight ε",
            "The worst single report",
            "~g",
            PRIVATE,
            "low",
            "How much the luckiest report can tell: the ε that the protocol really has.",
        ),
        Quantity(
            "asr_uniform",
            "a blind guess is right",
            "One guess, no prior knowledge",
            ".3~p",
            PRIVATE,
            "low",
            "Someone who knows nothing about a person but the report guesses the value. "
            "The Bayes capacity, the most that anybody gains on average, is k times this chance.",
        ),
        Quantity(
            "asr_prior",
            "an informed guess is right",
            "One guess, knowing how common each value is",
            ".3~p",
            PRIVATE,
            "low",
            "Someone who knows the frequencies of the data guesses the value.",
        ),
        Quantity(
            "shannon_capacity_bits",
            "bits in a report",
            "Bits that a report carries",
            "~g",
            PRIVATE,
            "low",
            "The most bits about the value that a report carries on average (Shannon capacity).",
        ),
        Quantity(
            "pairwise_advantage",
            "advantage over a coin",
            "Telling two values apart (membership)",
            ".3~p",
            PRIVATE,
            "low",
            "Someone who knows that the value is one of two: 0 % is tossing a coin, 100 % is certainty.",
        ),
        Quantity(
            "guessing_entropy",
            "guesses needed",
            "Guesses until the value is found",
            "~s",
            PRIVATE,
            "high",
            "How many guesses someone without prior knowledge needs on average.",
        ),
        Quantity(
            "standard_error_weighted",
            "standard error",
            "What it costs: the error of a frequency",
            ".3~p",
            "more accurate",
            "low",
            "The standard error of one estimated frequency, reports weighed by their size (the default estimator).",
        ),
        Quantity(
            "tries_asr",
            "found within the guesses allowed",
            "Several guesses, no prior knowledge",
            ".3~p",
            PRIVATE,
            "low",
            "Someone who knows nothing about a person but the report guesses the value, several times.",
        ),
        Quantity(
            "membership_asr",
            "membership is told rightly",
            "Whether the value is in a set, no prior knowledge",
            ".3~p",
            PRIVATE,
            "low",
            "Someone who knows nothing about a person but the report says whether the value is one of some.",
        ),
        Quantity("alpha", "false alarms (type I)", "", ".0%", "", "low", ""),
        Quantity("beta", "misses (type II)", "", ".0%", PRIVATE, "high", ""),
        Quantity("delta", "δ", "", "~g", PRIVATE, "low", ""),
    )
}
"""By their keys."""
