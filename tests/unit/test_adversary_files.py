"""Priors, sensitive sets and gain functions from files."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from qifldp.adversaries.files import read_gain, read_prior, read_sensitive_set
from qifldp.adversaries.gain import membership
from qifldp.errors import InputError


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("lines.txt")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0.5\n0.25\n0.25\n", [0.5, 0.25, 0.25]),
        ("\ufeff 1/2 \r\n\r\n1/2\r\n", [0.5, 0.5]),
        ("3\n1\n0\n", [0.75, 0.25, 0]),
        ("1\n0\n", [1, 0]),
        ("1e0\n0\n", [1, 0]),
        ("1\n1\n1\n", [1 / 3] * 3),
        ("1000000000000000000000\n1000000000000000000000\n", [0.5, 0.5]),
    ],
)
def test_priors_are_probabilities_or_counts(file: Path, content: str, expected: list[float]) -> None:
    file.write_text(content, encoding="utf-8", newline="")
    assert read_prior(file).probabilities.tolist() == expected


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("0.5\n0.6\n", "The probabilities of a prior must sum to one, but they sum to 1.1."),
        ("1.5\n2.5\n", "The probabilities of a prior must sum to one, but they sum to 4.0."),
        ("0\n0\n", "The probabilities of a prior must sum to one, but they sum to 0.0."),
        ("nan\n1\n", "a line of the prior file must be a finite number such as 0.75 or 3/4, got 'nan'."),
        ("0.5,0.5\n", "a line of the prior file must be a finite number such as 0.75 or 3/4, got '0.5,0.5'."),
        (" \n", "The file 'lines.txt' has no lines."),
    ],
)
def test_priors_that_are_neither(file: Path, content: str, sentence: str) -> None:
    file.write_text(content)
    with pytest.raises(InputError) as caught:
        read_prior(file)
    assert str(caught.value) == sentence


def test_sensitive_sets_by_number_and_by_label(file: Path) -> None:
    file.write_text("2\n\n 0 \n2\n")
    assert read_sensitive_set(file, None, 4) == membership([0, 2])
    assert read_sensitive_set(file, ["1", "2", "0"], 3) == membership([1, 2])


@pytest.mark.parametrize(
    ("labels", "line", "sentence"),
    [
        (None, "4", "a line of the sensitive set must be a value from 0 to 3, got '4'."),
        (None, "-1", "a line of the sensitive set must be a value from 0 to 3, got '-1'."),
        (None, "01", "a line of the sensitive set must be a value from 0 to 3, got '01'."),
        (["p", "q", "r", "s"], "0", "a line of the sensitive set must be a value of the domain, got '0'."),
        (["p", "q", "r", "s"], "P", "a line of the sensitive set must be a value of the domain, got 'P'."),
    ],
)
def test_strangers_in_a_sensitive_set(file: Path, labels: list[str] | None, line: str, sentence: str) -> None:
    file.write_text(line)
    with pytest.raises(InputError) as caught:
        read_sensitive_set(file, labels, 4)
    assert str(caught.value) == sentence


def test_gains_of_every_format(file: Path) -> None:
    Path("g.csv").write_text("1,0\n1/2,2\n")
    Path("g.json").write_text('[[1, 0], ["1/2", 2]]')
    np.save("g.npy", np.array([[1, 0], [0.5, 2]]))
    for name in ("g.csv", "g.json", "g.npy"):
        gain = read_gain(name)
        assert gain.matrix(2).tolist() == [[1, 0], [0.5, 2]]
        assert gain.best(np.array([[0.25, 0.75]])).tolist() == [1.625]
    assert read_gain("g.csv").matrix(2)[1, 0] == Fraction(1, 2)
    assert read_gain("g.csv").matrix(2).dtype == object


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("g.csv", "1,0\n0,-0.5\n", "A gain must not be negative, got -0.5 in row 1: add a constant to all."),
        ("g.csv", "1,0\n1\n", "Each row of a gain function must have the same number of entries."),
        ("g.csv", "1,0\ninf,1\n", "an entry of the gain file must be a finite number such as 0.75 or 3/4, got 'inf'."),
        ("g.json", "[[1e999]]", "a gain must be a finite number such as 0.75 or 3/4, got inf."),
        ("g.json", "[[true, 0]]", "a gain must be a finite number such as 0.75 or 3/4, got True."),
    ],
)
def test_gains_that_are_none(file: Path, name: str, content: str, sentence: str) -> None:
    Path(name).write_text(content)
    with pytest.raises(InputError) as caught:
        read_gain(name)
    assert str(caught.value) == sentence
