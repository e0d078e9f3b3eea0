"""A figure as data: what is drawn, before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from qifldp.experiments.clicks import Clicks

Kind = Literal["theory", "simulation", "threshold"]
"""A point of a line; a simulated point with its interval; a vertical line, which has no height."""

CONFIDENCE = 0.99
"""With which all intervals of a figure hold together."""

EXACT = "Computed from the channels; nothing is simulated."
"""What a figure without simulation says."""


@dataclass(frozen=True)
class Axis:
    """An axis: the name of its column, its title, and which end is the private one.

    Attributes:
        key: Name of the column in the data.
        title: What is shown, with its unit.
        better: What the better end of the axis is, such as ``more private``; empty for a mere parameter.
        end: Which end that is.
        scale: ``linear`` or ``log``.
        zero: Whether the axis begins at 0.
        number: How numbers are written, in D3's words.
    """

    key: str
    title: str
    better: str = ""
    end: Literal["low", "high"] = "low"
    scale: Literal["linear", "log"] = "linear"
    zero: bool = False
    number: str = ""


@dataclass(frozen=True)
class Series:
    """A curve and the points that belong to it.

    Attributes:
        name: As the legend has it.
        look: What it looks like: the name of a protocol, or another key of ``rendering.charts.LOOKS``.
    """

    name: str
    look: str


@dataclass(frozen=True)
class Point:
    """A point of a figure; what is None is not there. Simulated points have the ends of their intervals."""

    panel: str
    series: str
    kind: Kind
    x: float
    y: float | None = None
    low: float | None = None
    high: float | None = None
    x_low: float | None = None
    x_high: float | None = None


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, made again.

    Attributes:
        name: ``fig1`` to ``fig8``.
        title: One line.
        x: Horizontal axis.
        y: Vertical axis.
        panel: Name of the column that tells the panels apart.
        series: In the order of the legend.
        points: Everything that is drawn.
        notes: Sentences below the title, and in the manifest.
        parameters: Everything that the figure depends on, but the seed.
        simulated: Whether anything is.
        square: Whether both axes are chances.
    """

    name: str
    title: str
    x: Axis
    y: Axis
    panel: str
    series: tuple[Series, ...]
    points: tuple[Point, ...]
    notes: tuple[str, ...]
    parameters: dict[str, object] = field(default_factory=dict)
    simulated: bool = False
    square: bool = False

    @property
    def panels(self) -> tuple[str, ...]:
        """The panels, in order."""
        return tuple(dict.fromkeys(point.panel for point in self.points))

    def of(self, kind: Kind, series: str | None = None, panel: str | None = None) -> list[Point]:
        """Return the points of a kind, and of a series and panel if one is named, in order."""
        wanted = ((point, (series, panel)) for point in self.points if point.kind == kind)
        return [p for p, (s, q) in wanted if s in (None, p.series) and q in (None, p.panel)]


@dataclass(frozen=True)
class Settings:
    """How figures are made.

    Attributes:
        seed: Of everything that is drawn.
        quick: Fewer runs.
        clicks: The real clicks, if there is a file; else embedded counts and a stand-in.
    """

    seed: int = 0
    quick: bool = False
    clicks: Clicks | None = None

    def rng(self, figure: int) -> np.random.Generator:
        """Return the randomness of one figure, which does not depend on what else is made."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(figure,)))

    def runs(self, full: int, quick: int) -> int:
        """Return the number of runs."""
        return quick if self.quick else full

    def how_many(self, runs: int, full: int) -> str:
        """Return the seed and the runs in words, which say if they are fewer than usual."""
        fewer = f" (quick: the full figure has {full})" if runs != full else ""
        return f"{runs} run{'s' if runs > 1 else ''} each{fewer}, seed {self.seed}"


Progress = Callable[[float], None]
"""Is told the share of the work that is done."""


def reading(points: int) -> str:
    """Return how the intervals of a simulation are to be read."""
    return (
        f"Bars are {CONFIDENCE:.0%} intervals for all {points} simulated points together: with {CONFIDENCE:.0%} of the "
        "seeds all of them meet the line of a right theory."
    )
