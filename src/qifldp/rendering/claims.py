"""The ledger of claims: as JSON, as a table in a terminal, as a page of the documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from qifldp.proofs.claim import Outcome, Relation
from qifldp.proofs.prove import Checked
from qifldp.proofs.roots import Threshold
from qifldp.rendering.text import plain

SCHEMA_VERSION = 1

OUTCOMES: dict[Outcome, str] = {
    "holds": "found true",
    "corrected": "printed form refuted, ours found true",
    "sharpened": "true as printed, and more is true",
    "open": "not decided",
    "false": "a check found otherwise",
    "unchecked": "a check did not run to its end",
}

STYLES: dict[Outcome, str] = {"corrected": "yellow", "sharpened": "cyan", "false": "bold red", "unchecked": "bold red"}

HEAD = """# The paper, statement by statement

What *Beyond Epsilon: A Principled QIF Framework for Local Differential Privacy* (arXiv:2605.26465) states, in the
form that we hold to be right, and what checking it gave. This page is what `qifldp prove all --markdown` prints: every
outcome comes from running the check, and `qifldp prove CLAIM` shows the evidence.

How to read it:

- **holds**: the statement was found true. **corrected**: the printed form was refuted, and ours found true.
  **sharpened**: the printed form was found true, ours too, and ours says more. **open**: what is known was checked,
  the question is not decided. **false** and **unchecked** do not occur here: they are what a check that finds
  otherwise, or does not run, would give.
- **the check refutes**: the same check, run on this wrong form of the statement, comes out false: so it can fail.
  Where a statement is corrected, the wrong form is the printed one.
- **exact enumeration** goes through all outputs, hash functions, or choices of the cases at hand in exact rationals:
  a proof for these cases, evidence for others. **symbolic** compares rational functions of e^{ε/2} or of p and q, or
  isolates roots: for all ε, at each k named. **SMT** is for all ε, θ and other variables named: z3 finds no
  counterexample, nor does cvc5 where it is installed and decides (`qifldp prove all --smt-out DIR` writes files that
  any prover reads).
  **certified refinement** is decided by `decide_refinement`, and each answer's certificate verified: a proof at the
  instances named, evidence for others. **ball arithmetic** encloses real numbers: a proof at the numbers named.
  **simulation** compares frequencies, within the standard errors named: evidence.
- A ⊑ B means A·W = B for a channel W: B is the safer one. *On bits* means the channel of one bit of a unary encoding;
  *one-hot* the whole protocol. The [errata](errata.md) list what is wrong in print, with a test for each.
"""

EPSILON_K = """## From which ε on SUE ⊑ OUE

ε_k = 2 ln s_k, and s_k is the only root above 1 of 2(s² + 1)^{k−1} − s^{k−2}(s + 1)^k (claims `epsilon-k`,
`one-condition` and `epsilon-k-once`; at k = 2 SUE ⊑ OUE for every ε). Forty digits, from balls:
"""

PARTS = ("Part III", "Part IV", "Part V", "Part VI", "Part VII", "Appendix", "Beyond the paper")

FALSE_FORMS: dict[Relation, str] = {"corrects": "printed: "}


def claims_document(checked: Sequence[Checked]) -> dict[str, object]:
    """Return claims as JSON."""
    return {
        "schema_version": SCHEMA_VERSION,
        "claims": [
            {
                "id": item.claim.id,
                "where": item.claim.where,
                "statement": item.claim.statement,
                "method": item.claim.method,
                "outcome": item.result.outcome,
                "detail": item.result.detail,
            }
            for item in checked
        ],
    }


def claims_view(checked: Sequence[Checked]) -> RenderableType:
    """Return one claim in full, or many as a table with what is wrong in full."""
    if len(checked) == 1:
        return Group(*_in_full(checked[0]))
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False)
    for title in ("claim", "outcome", "checked by", "where"):
        table.add_column(title, overflow="fold")
    for item in checked:
        claim, outcome = item.claim, item.result.outcome
        table.add_row(claim.id, Text(outcome, style=STYLES.get(outcome, "")), claim.method, Text(plain(claim.where)))
    wrong = [line for item in checked if not item.is_settled for line in (Text(), *_in_full(item))]
    return Group(table, *wrong, Text(), *map(Text, _totals(checked)))


def _in_full(item: Checked) -> Iterator[Text]:
    claim, outcome = item.claim, item.result.outcome
    yield Text(f"{claim.id}: {outcome} ({OUTCOMES[outcome]})", style=STYLES.get(outcome, "bold"))
    for label, text in (
        ("where", claim.where),
        ("statement", claim.statement),
        ("checked by", claim.method),
        ("found", item.result.detail),
    ):
        yield Text(plain(f"{label + ':':<12}{text}"))


def _totals(checked: Sequence[Checked]) -> Iterator[str]:
    counts = Counter(item.result.outcome for item in checked)
    for outcome, words in OUTCOMES.items():
        if counts[outcome]:
            yield f"{counts[outcome]:>4} {outcome:<10} {words}"


def claims_page(checked: Sequence[Checked], thresholds: Sequence[Threshold] = ()) -> str:
    """Return claims as a page of the documentation: what is the same on every machine, so no models.

    Args:
        checked: The claims.
        thresholds: The ε_k that are shown.
    """
    lines = [HEAD]
    parts = sorted({part_of(item.claim.where) for item in checked}, key=PARTS.index)
    for part in parts:
        items = [item for item in checked if part_of(item.claim.where) == part]
        lines += [f"## {part}", "", "| claim | where | statement | checked by | outcome | the check refutes |"]
        lines += ["|---|---|---|---|---|---|"]
        lines += ["| " + " | ".join(map(_cell, _cells(item))) + " |" for item in items]
        lines += [""]
    if thresholds:
        lines += [EPSILON_K, "| k | ε_k |", "|---|---|"]
        lines += [f"| {one.domain_size} | {one.decimals(40)} |" for one in thresholds]
        lines += [""]
    totals = Counter((item.claim.method, item.result.outcome) for item in checked)
    methods = list(dict.fromkeys(item.claim.method for item in checked))
    outcomes = [outcome for outcome in OUTCOMES if any(totals[method, outcome] for method in methods)]
    lines += ["## Totals", "", f"| checked by | {' | '.join(outcomes)} |", "|---" * (len(outcomes) + 1) + "|"]
    lines += [
        f"| {method} | {' | '.join(str(totals[method, outcome]) for outcome in outcomes)} |" for method in methods
    ]
    return "\n".join(lines) + "\n"


def part_of(where: str) -> str:
    """Return the part of the paper that the last words of a place name."""
    section = where.rpartition(", ")[2].rpartition(" and ")[2]
    if section.startswith("-"):
        return "Appendix"
    return "Beyond the paper" if section.startswith("beyond") else f"Part {section.partition('-')[0]}"


def _cells(item: Checked) -> tuple[str, ...]:
    claim = item.claim
    refuted = FALSE_FORMS.get(claim.relation, "") + claim.alteration
    return f"`{claim.id}`", claim.where, claim.statement, claim.method, item.result.outcome, refuted


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
