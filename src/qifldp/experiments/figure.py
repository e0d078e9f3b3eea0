"""A figure as data: what is drawn, before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from qifldp.experiments.clicks import Clicks

Kind = Literal["theory", "simulation"]
"""A point of a line; a simulated point with its interval."""

Values: TypeAlias = Mapping[str, float | str]
"""Parameters by name: numbers, or the name of a protocol."""

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
        unit: What the numbers at the axis are in, and its name.
        room: The ends of the axis, if it is not to end where the data do.
    """

    key: str
    title: str
    better: str = ""
    end: Literal["low", "high"] = "low"
    scale: Literal["linear", "log"] = "linear"
    zero: bool = False
    unit: tuple[float, str] = (1.0, "")
    room: tuple[float, float] | None = None

    @property
    def remark(self) -> str:
        """What the numbers are in, and what is unusual about their scale."""
        return ", ".join(filter(None, (self.unit[1], "logarithmic" if self.scale == "log" else "")))


@dataclass(frozen=True)
class Series:
    """A curve and the points that belong to it.

    Attributes:
        name: As the legend has it.
        look: What it looks like: the name of a protocol, or another key of ``rendering.charts.LOOKS``.
        key: What the data call it, if numbers in its name are columns there.
        values: Its parameters, columns of the data.
    """

    name: str
    look: str
    key: str = ""
    values: Values = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Panel:
    """A panel, and what all of it is about.

    Attributes:
        name: Its heading.
        values: Its parameters, columns of the data.
        mark: The name of a parameter that is a place on the horizontal axis, where a vertical line stands.
    """

    name: str
    values: Values = field(default_factory=dict, hash=False)
    mark: str = ""


@dataclass(frozen=True)
class Strip:
    """A strip below every panel, in which what is simulated is held against a theory, on a scale that shows intervals.

    Attributes:
        title: Of its vertical axis, a line each.
        ratio: Whether quotients are shown; else differences.
        reference: The series whose theory is in the middle; if none is named, each one's own.
        band: Whether intervals are joined to a band.
    """

    title: tuple[str, ...]
    ratio: bool = False
    reference: str = ""
    band: bool = False

    @property
    def middle(self) -> float:
        """Where simulation and theory are one."""
        return 1.0 if self.ratio else 0.0


@dataclass(frozen=True)
class Point:
    """A point of a figure. Simulated points have the ends of their intervals, the others None."""

    panel: str
    series: str
    kind: Kind
    x: float
    y: float
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
        panels: In order.
        series: In the order of the legend.
        points: Everything that is drawn.
        notes: Sentences below the title, and in the manifest.
        parameters: Everything that the figure depends on, but the seed.
        simulated: Whether anything is.
        square: Whether both axes are chances.
        strip: What is shown below every panel.
        mark: What the vertical lines are called.
        shown: The places of simulated points that have a mark beside the line, if not all: the strip has all.
    """

    name: str
    title: str
    x: Axis
    y: Axis
    panels: tuple[Panel, ...]
    series: tuple[Series, ...]
    points: tuple[Point, ...]
    notes: tuple[str, ...]
    parameters: dict[str, object] = field(default_factory=dict)
    simulated: bool = False
    square: bool = False
    strip: Strip | None = None
    mark: str = ""
    shown: frozenset[float] | None = None

    def compared(self, point: Point) -> Point | None:
        """Return a point as the strip shows it; None if it is what the strip compares with."""
        strip = self.strip
        reference = (strip and strip.reference) or point.series
        if strip is None or (point.kind == "theory" and (not strip.reference or point.series == strip.reference)):
            return None
        base = self._theory[point.panel, reference, point.x]

        def moved(height: float) -> float:
            return height / base if strip.ratio else height - base

        low, high = (None if end is None else moved(end) for end in (point.low, point.high))
        return replace(point, y=moved(point.y), low=low, high=high)

    @cached_property
    def _theory(self) -> dict[tuple[str, str, float], float]:
        return {(p.panel, p.series, p.x): p.y for p in self.points if p.kind == "theory"}

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
