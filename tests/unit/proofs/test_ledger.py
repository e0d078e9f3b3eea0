"""The ledger is complete, and every outcome is the one that is expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb

from qifldp.errors import InputError
from qifldp.exact.fields import RATIONALS
from qifldp.proofs.checks import Decided, Together, Within
from qifldp.proofs.ledger import CLAIMS, thresholds
from qifldp.proofs.ledger.one_hot import JUST_ABOVE
from qifldp.proofs.prove import Checked, find_claims, prove, smt_files
from qifldp.proofs.provers import Proved
from qifldp.protocols.local_hashing import OLH
from qifldp.protocols.subset_selection import SS
from unit.proofs.conftest import Looked

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


SIZE = r"\d+(?:\.\.\d+)?"
SIZES = rf"\bk = ({SIZE}(?:(?:, | and ){SIZE}(?!\.?\d))*)"


def sizes_in(listed: str) -> set[int]:
    ends = re.findall(r"(\d+)(?:\.\.(\d+))?", listed)
    return {k for first, last in ends for k in range(int(first), int(last or first) + 1)}


def sizes_said(statement: str) -> set[int]:
    """Return the domain sizes that a statement names, as ``k = 2, 3 and 50`` or ``k = 3..20``."""
    return {k for listed in re.findall(SIZES, statement) for k in sizes_in(listed)}


def sizes_said_of(statement: str) -> dict[str, set[int]]:
    """Return the domain sizes that a statement names for each protocol: the next ones, or the last if none follow."""
    words = re.split(SIZES, statement)  # what is said, its sizes, what is said next, …
    said: dict[str, set[int]] = {}
    for place in range(0, len(words), 2):
        for name in names_said(words[place]):
            said.setdefault(name, set()).update(sizes_in(words[min(place + 1, len(words) - 2)]))
    return said


def test_rows_name_the_domain_sizes_that_are_checked(checked_settings: tuple[tuple[Checked, ...], Looked]) -> None:
    """A row that names any says all of them and no other; the checks of some look at one that has no label."""
    checked, looked = checked_settings
    compared = 0
    for item in checked:
        said, looked_at = sizes_said(item.claim.statement), looked[item.claim.id].sizes
        if said and (looked_at or len(said) > 1):
            assert looked_at == with_those_beside(item, said), item.claim.id
            compared += 1
    assert compared > 25


def test_rows_name_the_domain_sizes_of_each_protocol(checked_settings: tuple[tuple[Checked, ...], Looked]) -> None:
    """A size at which one protocol was looked at is not said of another."""
    checked, looked = checked_settings
    compared = 0
    for item in checked:
        found = looked[item.claim.id]
        if not found.protocols or not sizes_said(item.claim.statement):
            continue
        for name, said in sizes_said_of(item.claim.statement).items():
            assert found.sizes_of(name) == with_those_beside(item, said), (item.claim.id, name)
            compared += 1
    assert compared > 50


def with_those_beside(item: Checked, said: set[int]) -> set[int]:
    return said | {k + BESIDE.get(item.claim.id, 0) for k in said}


def test_domain_sizes_of_a_statement_are_read() -> None:
    assert sizes_said("At k = 2, 10 and 40; k = 3..5, ε = 1.5, k = 7.") == {2, 3, 4, 5, 7, 10, 40}
    words = "SUE and GRR at k = 2 and 3, OLH at k = 5..7; GRR at k = 9, not OUE (nor SS)."
    assert sizes_said_of(words) == {"SUE": {2, 3}, "GRR": {2, 3, 9}, "OLH": {5, 6, 7}, "OUE": {9}, "SS": {9}}


def test_all_jumps_of_rounded_parameters_are_looked_at() -> None:
    """From just above ε = 0, where ω is largest: there are none at k = 2 and 3."""
    (claim,) = find_claims("rounded-parameters")
    assert isinstance(claim.ours, Decided)
    asked: dict[type[object], set[tuple[int, int, int]]] = {SS: set(), OLH: set()}
    for question in claim.ours.questions():
        above, below = question.original, question.refined
        assert not question.holds
        assert isinstance(above, SS | OLH)
        assert isinstance(below, SS | OLH)
        assert above.exp_epsilon(RATIONALS) - below.exp_epsilon(RATIONALS) == Fraction(2, 1000)
        first, second = (p.omega if isinstance(p, SS) else p.buckets for p in (above, below))
        asked[type(above)].add((above.domain_size, first, second))
    largest = {k: SS(k, exp_epsilon=1 + Fraction(1, 10**6)).omega for k in range(2, 41)}
    assert asked[SS] == {(k, omega, omega + 1) for k in largest for omega in range(1, largest[k])}
    assert {k for k, *_ in asked[SS]} == set(range(4, 41))
    assert asked[OLH] == {(k, g + 1, g) for k in (2, 3, 5, 20) for g in (2, 3, 4, 5)}


def test_the_rounded_size_of_sets_is_held_against_two_on_either_side(
    checked_settings: tuple[tuple[Checked, ...], Looked],
) -> None:
    tried: dict[tuple[int, float], set[int]] = {}
    for made in checked_settings[1]["ss-omega"].protocols:
        assert isinstance(made, SS)
        tried.setdefault((made.domain_size, made.epsilon), set()).add(made.omega)
    assert {k for k, _ in tried} == set(range(2, 121))
    assert len(tried) == 119 * 25
    for (k, epsilon), sizes in tried.items():
        rounded = SS(k, epsilon).omega
        assert sizes == {omega for omega in range(rounded - 2, rounded + 3) if 1 <= omega < k}


NUMBER = r"\d+(?:\.\d+)?(?:/\d+)?"
LIST = rf"{NUMBER}(?:(?:, | and | to |\.\.|, …, |\({NUMBER}\)){NUMBER}(?!e?-))*"


def numbers_in(listed: str) -> set[Fraction]:
    """Return the numbers of a list such as ``1, 2 and 5``, ``3 to 1``, ``3..20``, ``1, 2, …, 30`` or ``1(0.2)5``."""
    found = set()
    for first, step, last in re.findall(rf"({NUMBER})(?:(?:\.\.|, …, |\(({NUMBER})\))({NUMBER}))?", listed):
        low, high, by = Fraction(first), Fraction(last or first), Fraction(step or 1)
        found |= {low + by * i for i in range(int((high - low) / by) + 1)}
    return found


def budgets_said(statement: str) -> set[float]:
    """Return the ε that a statement names, as ``ε = 1, 2`` or ``e^ε = 3/2``, to nine digits."""
    named = re.findall(rf"(e\^)?ε = ({LIST})", statement)
    return {round(math.log(x) if power else float(x), 9) for power, text in named for x in numbers_in(text) if x > 0}


def thetas_said(statement: str) -> set[Fraction]:
    return {x for listed in re.findall(rf"θ = ({LIST})", statement) for x in numbers_in(listed)}


def names_said(statement: str) -> set[str]:
    return set(re.findall(r"\b(GRR|SS|SUE|OUE|THE|BLH|OLH|LH)\b", statement))


OTHER_BUDGETS = {"crossing-at-7"}
"""The row names a place, and is checked on both sides of it."""

OTHER_THETAS = {"corollary-1"}
"""The row names edges, too, and is checked on both sides of them; that it looks at what it lists is checked below."""


def test_rows_name_the_budgets_thetas_and_protocols_that_are_checked(
    checked_settings: tuple[tuple[Checked, ...], Looked],
) -> None:
    """A row that names a budget or a θ, and makes protocols, says all of them and no other."""
    checked, looked = checked_settings
    compared = []
    for item in checked:
        name, words, found = item.claim.id, item.claim.statement, looked[item.claim.id]
        if not found.protocols:
            continue
        budgets, thetas = budgets_said(words), thetas_said(words)
        if budgets and name not in OTHER_BUDGETS:
            assert found.budgets == budgets, name
            compared.append(name)
        if thetas and name not in OTHER_THETAS:
            assert found.thetas == thetas, name
        if budgets and (names := names_said(words)):
            parts = {"LH"} if found.names & {"BLH", "OLH"} else set()
            assert names <= found.names <= names | parts, name
    assert set(compared) >= {"definition-10", "theorem-1", "corollary-1", "corollary-3", "blh-small", "sue-above-the"}
    assert len(compared) > 20
    assert {Fraction(theta) for _, theta in JUST_ABOVE} <= thetas_said(words_of("corollary-1"))
    assert {Fraction(theta) for _, theta in JUST_ABOVE} <= looked["corollary-1"].thetas


def words_of(name: str) -> str:
    (claim,) = find_claims(name)
    return claim.statement


def test_numbers_of_a_statement_are_read() -> None:
    words = "At e^ε = 3/2, 4 and 20, ε = 0.2(0.2)0.6, ε = 26..28 and θ = 0.5, 3/4, 1; from ε = 3 to 1, ε = 1, 2, …, 4."
    logarithms = {round(math.log(x), 9) for x in (1.5, 4, 20)}
    assert budgets_said(words) == {*logarithms, 0.2, 0.4, 0.6, 26.0, 27.0, 28.0, 3.0, 1.0, 2.0, 4.0}
    assert thetas_said(words) == {Fraction(1, 2), Fraction(3, 4), Fraction(1)}


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
