"""The recommendation of a comparison: under the figure that its table was matched to, or limited by."""

from __future__ import annotations

import pytest

from qifldp.comparison.advice import Advice, advise
from qifldp.comparison.candidates import ALIKE, DEFAULT_CAP
from qifldp.comparison.compare import Comparison, compare
from qifldp.comparison.question import Question
from qifldp.comparison.recommend import MATERIAL
from qifldp.comparison.subjects import read_subject
from qifldp.exact.budget import Budget


def asked(question: Question, *specs: str, k: int = 10, n: int = 100_000) -> tuple[Comparison, Advice]:
    subjects = [read_subject(spec) for spec in specs]
    comparison = compare(subjects, domain_size=k, question=question, n=n)
    ((epsilon, rows),) = comparison.groups()
    return comparison, advise(subjects, comparison, epsilon, rows, next(iter(question.budgets), None))


def test_at_equal_tight_epsilon_the_limit_is_that_epsilon() -> None:
    comparison, advice = asked(Question((Budget.read(1),), "tight-epsilon"), "the", "sue", "oue")
    matched = comparison.rows[0].figures["tight_epsilon"]
    assert matched == pytest.approx(0.896, abs=1e-3)
    assert advice.found is not None
    assert advice.found.goal.kind == "epsilon"
    assert advice.found.goal.number == matched
    measured = [c for c in (advice.found.chosen, *advice.found.others) if c is not None]
    assert all((c.tight_epsilon or 0) <= matched * (1 + ALIKE) for c in measured)
    assert advice.found.chosen is not None
    if advice.found.chosen.protocol not in ("THE", "SUE", "OUE"):
        assert any("is none of the protocols asked about" in one for one in advice.found.sentences)


def test_an_exact_budget_stays_exact() -> None:
    _, advice = asked(Question((Budget.read("ln(3)"),), "tight-epsilon"), "sue", "the")
    assert advice.to_json()["goal"] == {"epsilon": "ln(3)"}


@pytest.mark.parametrize(
    ("match", "kind", "key"), [("asr", "asr", "asr_uniform"), ("shannon", "bits", "shannon_capacity_bits")]
)
def test_at_equal_leakage_the_limit_is_that_leakage(match: str, kind: str, key: str) -> None:
    question = Question((Budget.read(1),), match)  # type: ignore[arg-type]  # one of the literals
    comparison, advice = asked(question, "sue", "oue")
    assert advice.to_json()["goal"] == {kind: comparison.rows[0].figures[key]}


def test_a_limit_on_the_error_is_one_limit_in_the_table_and_the_recommendation() -> None:
    comparison, advice = asked(Question(limit="error", limit_value=0.01), "sue", "oue", "blh", k=50, n=20_000)
    assert advice.found is not None
    listed = {c.protocol: c for c in (advice.found.chosen, *advice.found.others) if c is not None}
    for row in comparison.rows:
        assert row.figures["standard_error_weighted"] == pytest.approx(0.01, rel=1e-9)
        assert listed[row.protocol].epsilon == row.epsilon


@pytest.mark.parametrize(
    "question",
    [
        Question(limit="asr", limit_value=0.5),
        Question(limit="asr", limit_value=0.15),
        Question((Budget.read(6),), "asr"),
    ],
)
def test_no_row_of_the_table_is_better(question: Question) -> None:
    comparison, advice = asked(question, "grr", "ss", "blh", "olh", "sue", "oue", "the", k=20)
    assert advice.found is not None
    chosen = advice.found.chosen
    assert chosen is not None
    assert chosen.asr is not None
    assert chosen.standard_error is not None
    assert advice.found.goal.largest is not None
    assert advice.found.goal.largest.epsilon >= DEFAULT_CAP.epsilon
    for row in comparison.rows:
        leak, error = row.figures["asr_uniform"], row.figures["standard_error_weighted"]
        if leak is not None and error is not None and leak <= advice.found.goal.number:
            assert error >= chosen.standard_error * (1 - MATERIAL)
