"""Comparisons: rows, groups, who has the least, and what is refused."""

from __future__ import annotations

import pytest

from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.comparison.compare import EQUAL, Comparison, Row, compare, least
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import MatrixSubject, build, read_subject
from qifldp.errors import InputError
from qifldp.exact.budget import Budget


def row(spec: str, **figures: float | None) -> Row:
    return Row(spec.upper(), spec, 1.0, 1.0, dict(figures))


def compared(*specs: str, size: int = 4, epsilons: tuple[str, ...] = ("1",), n: int = 100) -> Comparison:
    question = Question(tuple(Budget.read(epsilon) for epsilon in epsilons))
    return compare([read_subject(spec) for spec in specs], domain_size=size, question=question, n=n)


def test_least_ignores_what_is_missing_and_names_ties() -> None:
    rows = [
        row("a", asr_uniform=0.5, tight_epsilon=None),
        row("b", asr_uniform=0.5 * (1 + EQUAL / 2), tight_epsilon=None),
        row("c", asr_uniform=0.5 * (1 + 3 * EQUAL), tight_epsilon=None),
    ]
    assert least(rows) == {"asr_uniform": ["a", "b"]}


def test_more_guesses_needed_is_no_leakage() -> None:
    assert least([row("a", guessing_entropy=2.0), row("b", guessing_entropy=3.0)]) == {}


def test_rows_come_budget_by_budget() -> None:
    found = compared("grr", "oue", epsilons=("2", "1", "ln(3)"))
    assert [entry.spec for entry in found.rows] == [
        f"{name}:epsilon={epsilon}" for epsilon in ("2", "1", "ln(3)") for name in ("grr", "oue")
    ]
    assert [(epsilon, len(rows)) for epsilon, rows in found.groups()] == [
        (2, 2),
        (1, 2),
        (pytest.approx(1.0986122886681098, rel=1e-15), 2),  # ln 3 rounded
    ]


def test_progress_is_told_step_by_step() -> None:
    told: list[tuple[str, int, int]] = []
    question = Question((Budget.read(1), Budget.read(2)))
    subjects = [read_subject("grr"), MatrixSubject("file:c.csv", Channel([["1", "0"], ["0", "1"]]))]
    compare(subjects, domain_size=2, question=question, progress=lambda *step: told.append(step))
    assert told == [("grr", 0, 4), ("file:c.csv", 1, 4), ("grr", 2, 4), ("file:c.csv", 3, 4), ("done", 4, 4)]


def test_repeated_notes_are_kept_once() -> None:
    found = compare([read_subject("grr")], domain_size=3, question=Question((Budget.read(1),)), notes=("b", "a", "b"))
    assert found.notes == ("b", "a")


@pytest.mark.parametrize("n", [0, -1, 10**15 + 1, True, 1.5])
def test_numbers_of_reports(n: int) -> None:
    with pytest.raises(InputError) as caught:
        compared("grr", n=n)
    assert str(caught.value) == f"n must be a whole number from 1 to 10^15, got {n}."


def test_nothing_to_compare() -> None:
    with pytest.raises(InputError) as caught:
        compared()
    assert str(caught.value) == "A comparison needs at least one protocol."


def test_prior_of_another_size() -> None:
    with pytest.raises(InputError) as caught:
        compare([read_subject("grr")], domain_size=3, question=Question((Budget.read(1),)), prior=Prior([0.5, 0.5]))
    assert str(caught.value) == "The prior must have one probability for each of the 3 secrets, got 2."


def test_matrix_of_another_size() -> None:
    with pytest.raises(InputError) as caught:
        build(MatrixSubject("file:c.csv", Channel([[1, 0], [0, 1]])), 3, None)
    assert str(caught.value) == "The channel file:c.csv has 2 rows, but the domain has 3 values."


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf"), None])
def test_limits_must_be_positive(limit: float | None) -> None:
    with pytest.raises(InputError) as caught:
        Question(limit="bits", limit_value=limit)
    assert str(caught.value) == f"--max-bits must be positive and finite, got {limit}."
