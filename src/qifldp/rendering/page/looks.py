"""Which colour, dash and shape each protocol of a comparison has, in every chart and legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from qifldp.rendering.charts import LOOKS, Look

COLORS = ("#555555", "#7a4a00", "#3b3b8f")

STROKES = (
    ((14, 3), "triangle-down"),
    ((6, 2), "diamond"),
    ((2, 2), "cross"),
    ((8, 3), "square"),
    ((1, 3), "triangle-right"),
    ((10, 2, 2, 2), "triangle-left"),
)

OTHERS = tuple(
    Look(COLORS[(place // 2 + turn) % len(COLORS)], dash, shape)
    for turn in range(len(COLORS))
    for place, (dash, shape) in enumerate(STROKES)
)
"""For matrices, protocols with parameters of their own, and second ones of a kind; in turn.

No two of the eighteen are alike as lines, by colour and dash, or as points, by colour and shape.
"""


def series_of(records: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Return the protocol of each series, in the order in which they first occur."""
    return {str(record["series"]): str(record["protocol"]) for record in records}


def looks_of(series: Mapping[str, str]) -> dict[str, Look]:
    """Return a look for each series: its protocol's own, unless another series has it already.

    Args:
        series: The protocol of each series.
    """
    looks: dict[str, Look] = {}
    others = 0
    for name, protocol in series.items():
        own = LOOKS.get(protocol)
        if own is None or own in looks.values():
            own = OTHERS[others % len(OTHERS)]
            others += 1
        looks[name] = own
    return looks
