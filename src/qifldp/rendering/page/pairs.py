"""The refinement order at one budget: diagram, grid of pairs, and the place for a pair's proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qifldp.rendering.page.figures import behind, shown, table
from qifldp.rendering.page.hasse import hasse_svg
from qifldp.rendering.page.markup import Markup, join, tag

Document = Mapping[str, Any]

VERDICTS = {"refines": "⊑", "does_not_refine": "⋢", "undecided": "?"}


def order(document: Document, place: int, names: Mapping[str, str]) -> Markup:
    """Return the diagram of the order, the grid of pairs, and the place for the proof of a pair."""
    diagram = document["diagrams"][place]
    if not diagram["classes"]:
        return tag("p", "There is no protocol to order.")
    entries = [entry for entry in document["order"] if entry["epsilon"] == diagram["epsilon"]]
    specs = [spec for members in diagram["classes"] for spec in members]
    count = len(diagram["classes"])
    alone = [c for c in range(count) if sum(c in pair for pair in diagram["incomparable"]) == count - 1]
    labels = [" = ".join(names[spec] for spec in members) for members in diagram["classes"]]
    free = f"Incomparable with all others: {', '.join(labels[c] for c in alone)}." if alone and len(labels) > 1 else ""
    by_pair = {(entry["original"], entry["refined"]): entry for entry in entries}
    rows = [
        [names[first], *(_pair(by_pair.get((first, second)), names, first, second, place) for second in specs)]
        for first in specs
    ]
    grid = table(
        ["original", *(names[spec] for spec in specs)], rows, caption="Is the row's protocol refined to the column's?"
    )
    detail = tag(
        "div",
        tag("p", "Choose an arrow, two boxes, or a cell of the grid to see what is proved about that pair."),
        class_="detail",
        aria_live="polite",
        data_place=place,
    )
    return join(
        tag(
            "div",
            tag(
                "figure",
                tag("p", "safer for everybody →", class_="direction"),
                tag(
                    "div",
                    hasse_svg(diagram["classes"], diagram["hasse"], names),
                    class_="scroll",
                    tabindex=0,
                    role="region",
                    aria_label="Diagram of the refinement order",
                ),
                class_="diagram",
                data_place=place,
            ),
            tag(
                "div",
                grid,
                tag(
                    "p",
                    "⊑ the column's is at least as safe for everybody, proved; ⋢ somebody learns more from it, proved; "
                    "? not decided.",
                    class_="note",
                ),
            ),
            class_="pair",
        ),
        tag("p", free) if free else "",
        detail,
        behind("All pairs as a table", _pairs(document, entries, names), printed=True),
    )


def _pair(entry: Mapping[str, Any] | None, names: Mapping[str, str], first: str, second: str, place: int) -> Markup:
    if entry is None:
        return Markup("·")
    words = {"refines": "refined to", "does_not_refine": "not refined to", "undecided": "not decided against"}
    verdict = entry["verdict"]
    return tag(
        "button",
        VERDICTS[verdict],
        type="button",
        class_=f"verdict {verdict}",
        data_original=first,
        data_refined=second,
        data_place=place,
        aria_label=f"{names[first]} {words[verdict]} {names[second]}: show the proof",
    )


def _pairs(document: Document, entries: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Markup:
    proofs = {(one["epsilon"], one["original"], one["refined"]): one["words"] for one in document["proofs"]}
    rows = [
        [
            f"{names[entry['original']]} → {names[entry['refined']]}",
            entry["verdict"].replace("_", " "),
            proofs.get((entry["epsilon"], entry["original"], entry["refined"])) or "",
            shown(entry["margin"], "strength"),
            shown(entry["deficiency"], "number"),
            shown(entry["deficiency_reverse"], "number"),
        ]
        for entry in entries
    ]
    heads = ["original → refined", "verdict", "the adversary", "margin", "deficiency", "… reverse"]
    return table(heads, rows, caption="What is proved about every pair", text_columns=3)
