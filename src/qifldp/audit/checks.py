"""One family of checks of a declared law: counts that are binomial under it, judged together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import two_sided


@dataclass(frozen=True)
class Fit:
    """One family of checks.

    Attributes:
        name: What was checked.
        checks: Their number.
        p_value: The smallest of their p-values, times their number.
        worst: The check with the smallest, in words.
        fits: Whether the p-value is above this family's share of the error.
    """

    name: str
    checks: int
    p_value: float
    worst: str
    fits: bool


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts that are binomial under the declared law, and how each is called.

    Attributes:
        name: What is checked.
        counts: What was seen.
        trials: Among how many.
        chances: With which chance, under the law.
        words: What each count is of.
        left_out: How many more were counted, each with a p-value that is not below that of one of these.
    """

    name: str
    counts: NDArray[np.int64]
    trials: NDArray[np.int64]
    chances: NDArray[np.float64]
    words: list[str]
    left_out: int = 0


def check(cells: Cells) -> Fit:
    """Return the family of these counts: its p-value is the smallest, times their number (Bonferroni)."""
    values, checks = two_sided(cells.counts, cells.trials, cells.chances), len(cells.counts) + cells.left_out
    worst = int(np.argmin(values))
    seen, trials, chance = int(cells.counts[worst]), int(cells.trials[worst]), float(cells.chances[worst])
    words = f"{cells.words[worst]}: {seen:,} of {trials:,}, where {chance * trials:,.1f} are expected"
    return Fit(cells.name, checks, min(1.0, float(values[worst]) * checks), words, fits=True)
