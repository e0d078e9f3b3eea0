"""The ledger is complete, and every outcome is the one that is expected."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flint import arb

from qifldp.errors import InputError
from qifldp.proofs.checks import Together, Within
from qifldp.proofs.ledger import CLAIMS, thresholds
from qifldp.proofs.prove import Checked, find_claims, prove, smt_files
from qifldp.proofs.provers import Proved
from unit.proofs.conftest import Sizes

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
    "lemma-1-averaging",
    "lemma-11-proof",
    "sue-refines-the",
    "lemma-10-limit",
    "lemma-9-protocols",
    "limit-blh",
    "figure-6-olh",
    "figure-5-oue",
    "why-25-is-wrong",
}
SHARPENED = {
    "lemma-5",
    "lemma-11",
    "corollary-1",
    "corollary-3",
    "threshold-at-0.8",
    "breaks-at-0.8",
    "limit-oue-olh",
}
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


BESIDE = {"figure-5-oue": -1}
"""Rows that say from which domain size on something holds: it is checked that it does not hold one below."""


def sizes_said(statement: str) -> set[int]:
    """Return the domain sizes that a statement names, as ``k = 2, 3 and 50`` or ``k = 3..20``."""
    number = r"\d+(?:\.\.\d+)?"
    said = set()
    for listed in re.findall(rf"\bk = ({number}(?:(?:, | and ){number}(?!\.?\d))*)", statement):
        for first, last in re.findall(r"(\d+)(?:\.\.(\d+))?", listed):
            said |= set(range(int(first), int(last or first) + 1))
    return said


def test_rows_name_the_domain_sizes_that_are_checked(checked_sizes: tuple[tuple[Checked, ...], Sizes]) -> None:
    """A row that names any says all of them and no other; the checks of some look at one that has no label."""
    checked, sizes = checked_sizes
    compared = 0
    for item in checked:
        said, looked_at = sizes_said(item.claim.statement), sizes[item.claim.id]
        if said and (looked_at or len(said) > 1):
            beside = BESIDE.get(item.claim.id)
            assert looked_at == said | ({k + beside for k in said} if beside else set()), item.claim.id
            compared += 1
    assert compared > 25
    assert sizes_said("At k = 2, 10 and 40; k = 3..5, ε = 1.5, k = 7.") == {2, 3, 4, 5, 7, 10, 40}


def test_evidence_is_in_words(checked: tuple[Checked, ...]) -> None:
    for item in checked:
        assert "Fraction(" not in item.result.detail, item.claim.id
        assert "0x" not in item.result.detail
        assert "lambda" not in item.result.detail
    shown = {item.claim.id: item.result.detail for item in checked}
    assert "ε_3 = [1.95587546462197729258121764987 +/- " in shown["epsilon-k"]
    assert "ε_20 = [6.61645425698100530721937" in shown["epsilon-k"]
    assert "lemma-2-altered has a counterexample: a = " in shown["lemma-2"]
    assert "corollary-2-altered has a counterexample: a = " in shown["corollary-2"]
    assert "ML(THE) at k = 50 = 25.500000" in shown["limit-k"]
    assert "(80 values)" in shown["figure-4-below"]


@pytest.mark.parametrize("change", [lambda theta: theta + arb("1e-8"), lambda theta: theta - arb("1e-8")])
def test_lemma_10_is_about_the_formula_that_the_product_prints(
    change: Callable[[arb], arb], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = thresholds.threshold
    monkeypatch.setattr(thresholds, "threshold", lambda epsilon: change(right(epsilon)))
    (claim,) = find_claims("lemma-10")
    assert claim.run().outcome == "false"


def test_a_theorem_that_cannot_be_built_spoils_its_own_claim_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise AttributeError("no such formula")

    monkeypatch.setattr("qifldp.proofs.ledger.bits.lemma_2", breaks)
    checked = prove(find_claims("lemma-2") + find_claims("lemma-7"))
    assert [item.result.outcome for item in checked] == ["unchecked", "holds"]
    assert checked[0].result.detail == "no such formula"
    with pytest.raises(InputError, match=r"^The theorems of lemma-2 cannot be built: no such formula\.$"):
        smt_files(find_claims("lemma-2"))


def test_importing_the_ledger_builds_no_theorem() -> None:
    """Checks that could fail while they are built are built when they are run."""
    for claim in CLAIMS:
        for check in (claim.ours, claim.altered, claim.printed, claim.stronger):
            parts = check.checks if isinstance(check, Together) else (check,)
            assert not any(isinstance(part, Proved | Within) for part in parts), claim.id
