"""What to take and why, and the table of figures, at one budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qifldp.protocols.wording import counted
from qifldp.rendering.page.figures import shown, table
from qifldp.rendering.page.markup import Markup, breakable, join, tag
from qifldp.rendering.text import least_in_column

Document = Mapping[str, Any]

COLUMNS = (
    ("epsilon", "ε claimed", "number"),
    ("tight_epsilon", "tight ε", "number"),
    ("asr_uniform", "guess (blind)", "percent"),
    ("asr_prior", "guess (informed)", "percent"),
    ("bayes_capacity", "Bayes capacity", "factor"),
    ("shannon_capacity_bits", "Shannon bits", "number"),
    ("pairwise_advantage", "tell two apart", "percent"),
    ("standard_error_weighted", "standard error", "percent"),
    ("standard_error", "plain error", "percent"),
    ("detectable_frequency", "smallest detectable", "percent"),
    ("report_bytes", "bytes per report", "count"),
)
"""Key, heading and kind of the columns of the table of figures."""

LEAKS = 7
"""How many of them are about leakage."""


def recommendation(document: Document, place: int) -> Markup:
    """Return what to take, why, and why not the others."""
    advice = document["recommendations"][place]
    sentences = [
        tag("p", breakable(sentence), class_="lead" if at == 0 else None)
        for at, sentence in enumerate(advice["sentences"])
    ]
    others = advice.get("others") or []
    if advice["recommended"] is not None:
        reason = advice["recommended"]["reason"]
        sentences.append(tag("p", f"Why: {reason}."))
    if not others:
        return join(*sentences)
    rows = [
        [
            _protocol(other["protocol"], other["spec"]),
            other["reason"],
            shown(other["asr"], "percent"),
            shown(other["bits"], "number"),
            shown(other["standard_error"], "percent"),
        ]
        for other in others
    ]
    heads = ["protocol", "why not", "guess (blind)", "bits", "standard error"]
    rejected = table(heads, rows, caption="The protocols that are not recommended", text_columns=2)
    return join(*sentences, tag("h3", "Why not the others"), rejected)


def figures(document: Document, place: int) -> Markup:
    """Return the table of figures of one budget, the least of each column marked."""
    epsilon = document["least"][place]["asked_epsilon"]
    informed = document["prior"]["kind"] != "uniform"
    columns = [column for column in COLUMNS if informed or column[0] != "asr_prior"]
    leaks = LEAKS if informed else LEAKS - 1
    count = len(document["rows"]) // len(document["least"])
    rows, best = document["rows"][place * count :][:count], document["least"][place]
    names = document["series"][place * count :][:count]
    spans = tag(
        "tr",
        tag("td", "", class_="left"),
        tag("th", "What an adversary learns from one report (less is more private)", colspan=leaks, scope="colgroup"),
        tag(
            "th",
            f"What the collector learns from {counted(document['n'], 'report')} (less is more accurate)",
            colspan=len(columns) - leaks,
            scope="colgroup",
        ),
    )
    heads = tag(
        "tr",
        tag("th", "protocol", scope="col", class_="left"),
        *(tag("th", heading, scope="col", class_="right") for _, heading, _ in columns),
    )
    body = [
        tag(
            "tr",
            tag("th", _protocol(name, row["spec"]), scope="row", class_="left"),
            *(_cell(row, key, kind, best) for key, _, kind in columns),
            data_spec=row["spec"],
        )
        for name, row in zip(names, rows, strict=True)
    ]
    caption = "All figures" if epsilon is None else f"All figures at ε = {document['question']['epsilon'][place]}"
    whole = tag("table", tag("caption", caption), tag("thead", spans, heads), tag("tbody", *body))
    return join(
        tag("div", whole, class_="scroll", tabindex=0, role="region", aria_label=caption),
        tag("p", f"★ {least_in_column(row['asr_uniform'] for row in rows)}. ", _notes(document, rows), class_="note"),
    )


def _protocol(name: str, spec: str) -> Markup:
    return join(tag("b", name), tag("span", breakable(spec), class_="spec"))


def _cell(row: Mapping[str, Any], key: str, kind: str, best: Mapping[str, Sequence[str]]) -> Markup:
    value = row.get(key)
    won = kind != "count" and key != "epsilon" and row["spec"] in best.get(key, ())
    star = tag("span", "★", class_="star", aria_label="least") if won else Markup("")
    return tag("td", join(star, shown(value, kind)), class_="right best" if won else "right", data_key=key)


def _notes(document: Document, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return why figures are missing, what else there is to know, in sentences."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for key, why in row.get("reasons", {}).items():
            found.setdefault((row["spec"], why), []).append("ε" if key == "epsilon" else key.replace("_", " "))
    reasons = [f"{spec}: {', '.join(keys)}: {why}." for (spec, why), keys in found.items()]
    return " ".join((*reasons, *document["notes"]))
