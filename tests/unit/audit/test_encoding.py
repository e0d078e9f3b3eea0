"""What reports are made of is looked at, whatever separates it, and different reports are told in different words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from qifldp.audit.auditing import audit_client
from qifldp.audit.columns import Columns, Field
from qifldp.audit.encoding import encode
from qifldp.audit.samples import Domain, Samples
from qifldp.protocols.subset_selection import GRR

Tell = Callable[[int, str], object]


def columns(reports: Sequence[object]) -> Columns:
    return encode(reports, ("a", "b"), np.arange(2), values=["a", "b"], learn=np.arange(len(reports)))


def seldom(tell: Tell, *, as_text: bool = True) -> Callable[..., list[object]]:
    """Return a client that tells the value on one report in twenty-five, beside 64 random bits; the rest is sound."""

    def client(values: list[int], rng: np.random.Generator) -> list[object]:
        answers = GRR(4, 1).perturb(values, rng=rng).supports.argmax(axis=1).tolist()
        sent: list[object] = [str(answer) for answer in answers] if as_text else list(answers)
        for place in np.flatnonzero(rng.random(len(sent)) < 0.04).tolist():
            sent[place] = tell(values[place], rng.bytes(8).hex())
        return sent

    client.batched = True  # type: ignore[attr-defined]
    return client


LEAKS: list[tuple[Tell, str]] = [
    (lambda value, noise: f"{value}:{noise}", "text like '…:…'"),
    (lambda value, noise: f"{noise}|{value}", "word 2 is "),
    (lambda value, noise: f"id_{noise}/{value}", "word 3 is "),
    (lambda value, noise: f"{value}{noise}", "character 1 is "),
    (lambda value, noise: f"{noise}{value}", "the last character is "),
    (lambda value, noise: noise + "-_.:/|+="[value], "its form is text like "),
]


@pytest.mark.parametrize(("tell", "words"), LEAKS)
def test_a_value_in_clear_in_a_few_texts_is_found(tell: Tell, words: str) -> None:
    found = audit_client(seldom(tell), domain=4, epsilon=1, samples=30_000, classifier=False)
    assert found.verdict == "violates"
    assert found.event is not None
    assert words in found.event


def test_a_value_in_clear_in_a_few_tuples_is_found() -> None:
    client = seldom(lambda value, noise: (value, noise), as_text=False)
    found = audit_client(client, domain=4, epsilon=1, samples=30_000, classifier=False)
    assert found.verdict == "violates"
    assert found.event is not None
    assert found.event.endswith(", in a tuple of 2")


def test_texts_that_tell_nothing_more_are_not_accused() -> None:
    client = seldom(lambda value, noise: f"{noise[0]}:{noise}")
    found = audit_client(client, domain=4, epsilon=1, samples=30_000, classifier=False)
    assert found.verdict == "consistent"
    assert found.covered is not None
    assert found.covered.left_out == pytest.approx(0.04, abs=0.005)


def test_texts_of_one_word_have_no_words_beside_it() -> None:
    names = [field.name for field in columns(["0", "1"] * 20).fields]
    assert names == ["its type and length", "the number of elements", "character 1", "the last character"]


def test_what_is_too_rare_to_be_looked_at_is_one() -> None:
    found = columns([f"{place}-x" for place in range(100)] + ["5-y"] * 8)
    words = [list(field.words) for field in found.fields if field.name.startswith("word")]
    assert words == [["'5'", "something rarer"], ["'x'", "'y'"]]  # all have one form


def whole(*reports: object) -> list[str]:
    found = columns([report for report in reports for _ in range(8)]).whole
    assert isinstance(found, Field)
    return list(found.words)


def test_different_reports_are_told_in_different_words() -> None:
    assert whole("x", "y", 3) == ["'x'", "'y'", "3"]
    assert whole([1, 2], (1, 2), [2, 1]) == ["list of 2, [1, 2]", "tuple of 2, (1, 2)", "(2, 1)"]
    noon = dt.datetime(2020, 1, 1, 12)  # one without a zone
    assert whole(noon, noon.replace(fold=1)) == [
        "datetime.datetime, datetime.datetime(2020, 1, 1, 12, 0)",
        "datetime.datetime, datetime.datetime(2020, 1, 1, 12, 0, fold=1)",
    ]
    assert whole(np.float32(1), np.float64(1)) == ["numpy.float32, np.float32(1.0)", "numpy.float64, 1.0"]


def test_reports_that_are_too_long_to_be_shown_are_numbered() -> None:
    texts = ["x" * 300 + end for end in "ab"]
    found = whole(*texts)
    assert len(set(found)) == 2
    assert found[1].endswith("…, number 2 of the different reports")
    numbers = [10**5000, 10**5000 + 1]  # of more digits than Python writes
    assert len(set(whole(*numbers))) == 2


def test_numbers_that_differ_are_told_in_different_words() -> None:
    found = columns([0.1, 0.1 + 1e-16, 5.0] * 8)
    numbers = next(field for field in found.fields if field.name == "the report")
    assert list(numbers.words) == ["0.10000000000000001", "0.1000000000000001", "5"]


@pytest.mark.parametrize("strange", [float("nan"), float("inf"), float("-inf")])
def test_numbers_at_the_places_of_values_are_seen_beside_what_is_none(strange: float) -> None:
    """Histograms with Laplace noise at ε = 3, some reports with one number that is none, or has no bound."""
    rng = np.random.default_rng(1)
    places = np.arange(8_000) % 8
    tables = np.eye(8)[places] + rng.laplace(scale=2 / 3, size=(8_000, 8))
    tables[rng.choice(8_000, 40, replace=False), 0] = strange
    found = audit_client(Samples(Domain.read(8), places, tables.tolist()), epsilon="0.5", classifier=False)
    assert found.verdict == "violates"
    assert found.epsilon_lower_bound > 1


def test_what_is_not_a_number_is_an_event_of_its_own() -> None:
    places = np.arange(4_000) % 2
    noise = np.random.default_rng(1).normal(size=(4_000, 2))
    noise[(places == 1) & (np.arange(4_000) % 3 == 0), 1] = np.nan
    reports = noise.tolist()
    found = audit_client(Samples(Domain.read(2), places, reports), epsilon=3, classifier=False)
    assert found.verdict == "violates"
    assert found.findings[0].words == "element 2 is nan"
