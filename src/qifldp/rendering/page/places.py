"""Where words stand on a chart, in pixels, and whether they meet lines, points or one another there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HEIGHT = 380
"""Pixels up a chart."""

LETTER, SMALL_LETTER, LINE, MARK = 6.5, 5.4, 7, 6
"""Pixels of a letter of a name at most, of one of a note on average, of half a line of text, of half a point."""

Place = tuple[float, float]
"""Across and up a chart, as shares of its width and height."""

Line = NDArray[np.float64]
"""Corners of a line from left to right, as places, shape (m, 2)."""


@dataclass(frozen=True)
class Axes:
    """The ends of the axes of a chart of leakage (linear) against error (logarithmic).

    Attributes:
        across: The ends of the horizontal axis.
        up: The ends of the vertical axis.
    """

    across: tuple[float, float]
    up: tuple[float, float]

    def place(self, x: object, y: object) -> Place:
        """Return the place of two figures."""
        return (
            (float(str(x)) - self.across[0]) / (self.across[1] - self.across[0]),
            math.log(float(str(y)) / self.up[0]) / math.log(self.up[1] / self.up[0]),
        )

    def line(self, corners: Sequence[tuple[float, float]]) -> Line:
        """Return the places of the corners of a line."""
        return np.array([self.place(x, y) for x, y in corners])

    def figures(self, place: Place) -> tuple[float, float]:
        """Return the two figures at a place."""
        across, up = place
        (left, right), (low, high) = self.across, self.up
        return left + across * (right - left), low * (high / low) ** up


@dataclass(frozen=True)
class Word:
    """Lines of text beside a place.

    Attributes:
        text: The text, with a line break between two lines.
        at: The place.
        right: Pixels from the place to where the text begins, if it is on the right of the place; where it ends
            otherwise, as a negative number.
        above: Pixels from the place up to the middle of the text.
        letter: Pixels of a letter.
    """

    text: str
    at: Place
    right: float
    above: float
    letter: float = LETTER

    @property
    def rows(self) -> list[tuple[str, float]]:
        """Its lines, each with the pixels from the place up to its middle."""
        lines = self.text.split("\n")
        return [(line, self.above + LINE * (len(lines) - 1 - 2 * i)) for i, line in enumerate(lines)]

    def box(self, width: float) -> tuple[float, float, float, float]:
        """Return its left, right, lower and upper end on a chart so many pixels wide."""
        near = self.at[0] * width + self.right
        lines = self.text.split("\n")
        far = near + math.copysign(self.letter * max(map(len, lines)), self.right)
        middle, half = self.at[1] * HEIGHT + self.above, LINE * len(lines)
        return min(near, far), max(near, far), middle - half, middle + half


def is_clear(
    word: Word,
    width: float,
    *,
    lines: Sequence[Line] = (),
    points: Sequence[Place] = (),
    words: Sequence[Word] = (),
) -> bool:
    """Return whether a word is on a chart and meets nothing there.

    Args:
        word: The word.
        width: Of the chart in pixels.
        lines: Lines.
        points: Points of the chart, but for the one that the word is beside.
        words: Other words.
    """
    left, right, bottom, top = word.box(width)
    if left < 0 or right > width or bottom < 0 or top > HEIGHT:
        return False
    for line in lines:
        across, up = line.T * ((width,), (HEIGHT,))
        if across[0] > right or across[-1] < left:
            continue
        ends = np.interp((left, right), across, up)  # beyond its ends a line is taken to be level
        heights = np.concatenate((ends, up[(across > left) & (across < right)]))
        if heights.min() < top and heights.max() > bottom:
            return False
    for x, y in points:
        if left - MARK < x * width < right + MARK and bottom - MARK < y * HEIGHT < top + MARK:
            return False
    boxes = [other.box(width) for other in words]
    return not any(a < right and left < b and c < top and bottom < d for a, b, c, d in boxes)
