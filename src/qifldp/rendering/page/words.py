"""What the page says in plain words: what the numbers mean, what they do not say, and what draws the charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qifldp.protocols.wording import WORDS
from qifldp.rendering.page.figures import behind, shown, table
from qifldp.rendering.page.labels import letters
from qifldp.rendering.page.markup import Markup, join, tag
from qifldp.rendering.page.resources import resource

LIMITS = (
    "They are about one report: a person who reports again leaks again.",
    "They are about the channel, not about an implementation of it.",
    "A list of values that is read from the data is a leak of its own: declare it.",
    "The error is that of an unbiased estimate; what is clipped or smoothed has another one.",
)


def meanings() -> Markup:
    """Return what the protocols are, what the numbers mean, and what they do not say."""
    rows = [line.split("\t") for line in resource("meanings.tsv").splitlines()]
    known = [(name.upper(), title, f"A report is {report}.") for name, (title, report) in WORDS.items()]
    return join(
        table(["", "protocol", "what a person's device sends"], known, caption="The protocols", text_columns=3),
        table(["figure", "better end", "what it says"], rows, caption="What the numbers mean", text_columns=3),
        tag("h3", "What they do not say"),
        tag("ul", *(tag("li", line) for line in LIMITS)),
    )


BEYOND = "Over so many values its own cap on bits does not allow this ε: the figures are of what it would refuse."


def presets(document: Mapping[str, Any]) -> Markup:
    """Return the deployed systems, each with its source."""
    found: Sequence[Mapping[str, Any]] = document["presets"]
    rows = [
        [
            letter,
            join(
                tag("b", one["name"]),
                tag("span", one["claim"], class_="spec words"),
                tag("span", BEYOND, class_="spec words") if one.get("beyond_cap") else "",
                tag(
                    "span", "Source: ", tag("a", one["source"], href=one["url"], rel="noreferrer"), class_="spec words"
                ),
            ),
            shown(one["epsilon"], "number"),
            shown(one.get("asr_uniform"), "percent"),
            shown(one.get("shannon_capacity_bits"), "number"),
            shown(one["most_bits"], "number"),
        ]
        for letter, one in zip(letters(found), found, strict=True)
    ]
    heads = ["mark", "system", "ε a report", "guess (blind)", "bits", "cap on bits"]
    return table(heads, rows, caption="Deployed systems", text_columns=2)


def colophon(version: str, libraries: str) -> Markup:
    """Return what made the page, and the licences of what is in it."""
    return join(
        tag(
            "p",
            f"Made by qifldp {version}. The page holds all its figures as the JSON document that qifldp compare --json "
            "prints, and needs no network.",
        ),
        tag("p", tag("button", "Save the JSON document", type="button", id="save-json"), class_="screen"),
        tag(
            "p",
            f"Charts are drawn by {libraries}: copyright (c) 2013–2025 University of Washington Interactive Data Lab "
            "and contributors, BSD 3-Clause licence. They hold parts of D3, copyright (c) 2010–2023 Mike Bostock, ISC "
            "licence.",
        ),
        behind("The BSD 3-Clause licence", tag("p", resource("bsd.txt"), class_="note")),
    )
