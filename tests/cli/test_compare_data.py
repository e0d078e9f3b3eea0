"""``compare`` on a user's own column: how its domain, its size and its frequencies are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import qifldp as ql
from cli.terminal import Terminal

LEAK = (
    "The domain was read from the data: publishing which values occur is itself a leak. "
    "Declare a domain that is known without the data (qifldp compare --domain FILE)."
)
ANSWERS = ["yes", "no", "yes", "yes", "perhaps", "no", "yes"]


def written(kind: str) -> str:
    """Write the answers, with a column of numbers beside them, and return the file's name."""
    numbers = list(range(len(ANSWERS)))
    if kind == "csv":
        lines = [f"{number},{answer}" for number, answer in zip(numbers, ANSWERS, strict=True)]
        Path("survey.csv").write_text("\n".join(["id,answer", *lines]) + "\n")
    else:
        parquet.write_table(pa.table({"id": numbers, "answer": ANSWERS}), "survey.parquet")
    return f"survey.{kind}"


def asked(terminal: Terminal, file: str, *arguments: str) -> dict[str, Any]:
    """Return the comparison of two protocols on the answers."""
    question = ("compare", file, "--column", "answer", "--epsilon", "1", "--protocols", "grr,oue", "--json")
    return terminal(*question, *arguments).document()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_domain_read_from_the_data_is_a_leak_of_its_own(terminal: Terminal, kind: str) -> None:
    document = asked(terminal, written(kind))
    assert (document["domain_size"], document["n"]) == (3, 7)
    assert document["prior"] == {"kind": "data", "title": f"survey.{kind}, column answer", "n": 7, "largest": 4 / 7}
    assert document["notes"] == [LEAK]
    assert document["rows"][0]["asr_prior"] == ql.asr(ql.GRR(3, 1), ql.Prior.from_counts([4, 2, 1]))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_declared_domain_is_no_leak(terminal: Terminal, kind: str) -> None:
    Path("answers.txt").write_text("no\nperhaps\nyes\nnever\n\n")
    document = asked(terminal, written(kind), "--domain", "answers.txt")
    assert (document["domain_size"], document["n"], document["notes"]) == (4, 7, [])
    assert document["rows"][1]["asr_prior"] == ql.asr(ql.OUE(4, 1), ql.Prior.from_counts([2, 1, 4, 0]))


def test_values_outside_the_domain_are_an_error_or_one_more_value(terminal: Terminal) -> None:
    Path("two.txt").write_text("no\nyes\n")
    file = written("csv")
    terminal.refuses(
        "survey.csv, column answer has 1 row outside the declared domain, such as the value 'perhaps': "
        "extend the domain, or count them as one more value (--other bucket).",
        *("compare", file, "--column", "answer", "--domain", "two.txt", "--epsilon", "1"),
    )
    document = asked(terminal, file, "--domain", "two.txt", "--other", "bucket")
    assert (document["domain_size"], document["n"]) == (3, 7)
    assert document["notes"] == ["1 row outside the declared domain is counted as (other)."]
    assert document["rows"][0]["asr_prior"] == ql.asr(ql.GRR(3, 1), ql.Prior.from_counts([2, 4, 1]))


def test_number_of_reports_can_differ_from_the_rows(terminal: Terminal) -> None:
    document = asked(terminal, written("csv"), "--n", "5000")
    assert (document["n"], document["prior"]["n"]) == (5000, 7)


def test_domain_alone_gives_the_size(terminal: Terminal) -> None:
    Path("colours.txt").write_text("red\ngreen\nblue\n")
    document = terminal("compare", "--domain", "colours.txt", "--epsilon", "1", "--json").document()
    assert (document["domain_size"], document["n"], document["prior"]) == (3, 100_000, {"kind": "uniform"})


SOURCES = "Say what is collected: one of DATA with --column, --dataset, --domain-size or --domain."

ONCE = "What is collected is said once, not by {}; several budgets are one text: --epsilon 1,2."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), SOURCES),
        (
            ("survey.csv", "--column", "answer", "--domain-size", "3"),
            ONCE.format("DATA ('survey.csv') and --domain-size"),
        ),
        (
            ("survey.csv", "--column", "answer", "--dataset", "kosarak"),
            ONCE.format("DATA ('survey.csv') and --dataset"),
        ),
        (("--dataset", "kosarak", "--domain-size", "3"), ONCE.format("--dataset and --domain-size")),
        (("--domain-size", "8", "--epsilon", "1", "2"), ONCE.format("DATA ('2') and --domain-size")),
        (("survey.csv",), "Say which column of DATA is collected: --column NAME."),
        (("--domain-size", "3", "--column", "a"), "--column names a column of DATA: give the file too."),
        (
            ("--domain-size", "3", "--domain", "d.txt"),
            "--domain declares the values of DATA: leave it out with --domain-size.",
        ),
        (
            ("--dataset", "kosarak", "--domain", "d.txt"),
            "--domain declares the values of DATA: leave it out with --dataset.",
        ),
        (("--dataset", "kosarac"), "There is no embedded data set called 'kosarac': did you mean kosarak?"),
        (("--dataset", "adult-rase"), "There is no embedded data set called 'adult-rase': did you mean adult-race?"),
        (
            ("--dataset", "zzz"),
            (
                "There is no embedded data set called 'zzz': there are kosarak, adult-workclass, adult-education, "
                "adult-marital-status, adult-occupation, adult-relationship, adult-race, adult-sex, "
                "adult-native-country, adult-income, adult-age, adult-education-num, adult-hours-per-week."
            ),
        ),
    ],
)
def test_what_is_collected_must_be_said_once(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    written("csv")
    terminal.refuses(sentence, "compare", *arguments, "--epsilon", "1")
