"""The privacy–utility planes and the trade-off curves at one budget: places for charts, and their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qifldp.rendering.page.axes import QUANTITIES
from qifldp.rendering.page.figures import figure, kind_of, shown, table
from qifldp.rendering.page.markup import Markup, join, tag

Document = Mapping[str, Any]

PLANES = (
    ("asr_uniform", "a blind guess"),
    ("shannon_capacity_bits", "bits in a report"),
    ("pairwise_advantage", "telling two values apart (membership)"),
)


FRONTIER = (
    "Down and to the left is better. Each line is exact, to 0.02 % of the error or a millionth of the leakage: of all "
    "protocols, known or not, that keep the tight ε written at its end, none is below it. (Where the protocols have "
    "many tight ε, only the largest has its line.)"
)


def planes(document: Document, place: int) -> Markup:
    """Return the three privacy–utility planes of one budget."""
    points = document["planes"][place]["points"]
    if not points:
        return tag("p", "Bare channels have no estimator, so there is no error to hold their leakage against.")
    drawn = {point["series"] for point in points}
    absent = list(dict.fromkeys(name for name in document["series"] if name not in drawn))
    words = f"Not here, for want of an error: {', '.join(absent)}." if absent else ""
    return join(tag("p", words, class_="note") if words else "", *(_plane(place, key, points) for key, _ in PLANES))


def _plane(place: int, key: str, points: Sequence[Mapping[str, Any]]) -> Markup:
    known = key == "asr_uniform"
    extra = ("frontier_share", "least_error") if known else ()
    keys = (key, "standard_error_weighted", *extra)
    titles = {"frontier_share": "share of the frontier's information", "least_error": "least error at this leakage"}
    rows = [[point["series"], *(shown(point[one], kind_of(one)) for one in keys)] for point in points]
    heads = ["protocol", *(titles.get(one) or QUANTITIES[one].title for one in keys)]
    if known:
        caption = (
            f"{FRONTIER} The nearer a protocol is to the line of its own tight ε, the less is left to gain; the table "
            "says how near."
        )
    else:
        caption = (
            "Down and to the left is better. Here the frontier of all ε-LDP protocols is not known: "
            "none is drawn, and nothing is claimed about how much better one could do."
        )
    inside = table(heads, rows, caption=f"{QUANTITIES[key].heading} against error")
    title = f"{QUANTITIES[key].heading}, against the error of a frequency"
    made = figure(f"plane-{place}-{key}", title, caption, None if known else inside)
    distance = join(tag("h3", "How far from the frontier"), inside) if known else Markup("")
    return tag("div", made, distance, class_="choice", data_choice=key)


def trade_offs(document: Document, place: int) -> Markup:
    """Return the trade-off curves of one budget, and their (ε, δ) readings."""
    found = document["trade_offs"][place]
    readings, corners = found["readings"], found["corners"]
    if not corners:
        return tag("p", "There is no pair of values to tell apart.")
    grid = sorted({reading["epsilon"] for reading in readings})
    picked = [grid[round(share * (len(grid) - 1))] for share in (0, 0.25, 0.5, 0.75, 1)]
    value = {(reading["series"], reading["epsilon"]): reading["delta"] for reading in readings}
    series = list(dict.fromkeys(reading["series"] for reading in readings))
    rows = [[name, *(shown(value[name, epsilon], "number") for epsilon in picked)] for name in series]
    heads = ["protocol", *(f"δ at ε = {epsilon:.4g}" for epsilon in picked)]
    corner_rows = [[one["series"], shown(one["alpha"], "percent"), shown(one["beta"], "percent")] for one in corners]
    full = [[shown(epsilon, "number"), *(shown(value[name, epsilon], "number") for name in series)] for epsilon in grid]
    pairs = [
        f"{name}: the two rows that are told apart best, {first} and {second}."
        for name, (first, second) in found["pairs"].items()
    ]
    return join(
        tag(
            "div",
            figure(
                f"trade-off-{place}",
                "Misses against false alarms of the best test",
                "Someone tests which of two values a person has. Up and to the right is more private: a curve on the "
                "dotted line means that the report tells nothing. Where curves cross, neither protocol is the safer "
                "one for every test.",
                table(["protocol", "false alarms", "misses"], corner_rows, caption="Corners of the trade-off curves"),
                small=True,
            ),
            figure(
                f"delta-{place}",
                "The same as (ε, δ)",
                "The least δ for which two values are (ε, δ)-indistinguishable. Lower is more private; at ε = 0 it is "
                "the advantage over a coin, and it reaches 0 at the tight ε.",
                table(["ε", *series], full, caption="The least δ at each ε"),
                small=True,
            ),
            class_="grid",
        ),
        tag("h3", "Readings"),
        table(heads, rows, caption="The least δ at five values of ε"),
        *(tag("p", line, class_="note") for line in pairs),
    )
