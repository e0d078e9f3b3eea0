"""The ledger is complete, and every outcome is the one that is expected."""

from __future__ import annotations

import re

import pytest

from qifldp.proofs.ledger import CLAIMS
from qifldp.proofs.prove import Checked

pytestmark = pytest.mark.xdist_group("ledger")

NUMBERED = [
    *(f"Def. {n}" for n in range(1, 12)),
    *(f"Lemma {n}" for n in range(1, 13)),
    *(f"Cor. {n}" for n in range(1, 4)),
    "Prop. 1",
    "Theorem 1",
    *(f"({n})" for n in (1, *range(4, 30), 36, 39, 40, 41)),
]
"""Every numbered statement of the paper's map; (36) to (39) are one derivation."""

FIGURES = [f"Fig. {n}" for n in range(1, 9)]

CORRECTED = {
    "equation-8",
    "gains",
    "equation-11",
    "footnote-5",
    "refinement",
    "definition-3",
    "ss-capacity",
    "ss-omega",
    "hash-family",
    "olh-buckets",
    "maximum-posterior",
    "theorem-1",
    "the-half-epsilon",
    "lemma-11-proof",
    "sue-refines-the",
    "lemma-10-limit",
    "equations-36-39",
    "breaks-at-0.8",
    "lemma-9-protocols",
    "limit-blh",
    "limit-oue-olh",
    "figure-6-olh",
    "figure-5-oue",
    "why-25-is-wrong",
}
SHARPENED = {"lemma-5", "lemma-11", "corollary-1", "corollary-3"}
OPEN = {"kosarak-size", "figure-4-levels", "figure-7-iterations"}


def test_every_numbered_statement_and_figure_has_a_row() -> None:
    places = [claim.where for claim in CLAIMS]
    for wanted in (*NUMBERED, *FIGURES):
        found = [place for place in places if re.search(rf"{re.escape(wanted)}(?!\d)", place)]
        assert found, wanted
    assert len(CLAIMS) >= 120


def test_rows_are_told_apart_and_complete() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert re.fullmatch(r"[a-z0-9.]+(-[a-z0-9.]+)*", claim.id)
        assert claim.id != "all"
        assert claim.statement.endswith(".")
        assert claim.alteration
        assert not claim.alteration.endswith(".")
        assert (claim.relation == "sharpens") == (claim.printed is not None) == (claim.stronger is not None)


def test_outcomes(checked: tuple[Checked, ...]) -> None:
    wrong = [(item.claim.id, item.result) for item in checked if not item.is_settled]
    assert wrong == []
    found = {outcome: {item.claim.id for item in checked if item.result.outcome == outcome} for outcome in OUTCOMES}
    assert found["corrected"] == CORRECTED
    assert found["sharpened"] == SHARPENED
    assert found["open"] == OPEN
    assert sum(map(len, found.values())) == len(CLAIMS)


OUTCOMES = ("holds", "corrected", "sharpened", "open")


def test_evidence_is_in_words(checked: tuple[Checked, ...]) -> None:
    for item in checked:
        assert "Fraction(" not in item.result.detail, item.claim.id
        assert "0x" not in item.result.detail
        assert "lambda" not in item.result.detail
    shown = {item.claim.id: item.result.detail for item in checked}
    assert "ε_3 = [1.95587546462197729258121764987 +/- " in shown["epsilon-k"]
    assert "ε_20 = [6.61645425698100530721937" in shown["epsilon-k"]
    assert "lemma-2-altered has a counterexample: a = " in shown["lemma-2"]
