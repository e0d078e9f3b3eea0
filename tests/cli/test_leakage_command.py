"""``leakage``: every measure of one channel, under every kind of prior and gain."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import qifldp as ql
from cli.terminal import Terminal
from qifldp.leakage.measures import MEASURES

SUMMED = 1e-14
"""Relative: closed forms against sums over the eight columns of a written-out channel, in doubles."""

OUE = ("leakage", "oue", "--domain-size", "3", "--epsilon", "1")


def adversary(terminal: Terminal, *arguments: str) -> dict[str, Any]:
    """Return what the adversary of the arguments gains from OUE over three values."""
    found: dict[str, Any] = terminal(*OUE, *arguments, "--json").document()["adversary"]
    return found


def expected(prior: ql.Prior, gain: ql.gains.Gain) -> dict[str, float]:
    """Return the same from the library, on the written-out channel."""
    channel = ql.OUE(3, 1).channel()
    return {
        "prior_vulnerability": float(ql.prior_vulnerability(prior, gain)),
        "posterior_vulnerability": float(ql.posterior_vulnerability(channel, prior, gain)),
        "additive_leakage": float(ql.additive_leakage(channel, prior, gain)),
        "multiplicative_leakage": float(ql.multiplicative_leakage(channel, prior, gain)),
        "max_case_prior_vulnerability": float(ql.max_case_prior_vulnerability(prior, gain)),
        "max_case_posterior_vulnerability": float(ql.max_case_posterior_vulnerability(channel, prior, gain)),
        "max_case_leakage": float(ql.max_case_leakage(channel, prior, gain)),
    }


def test_document_has_every_measure(terminal: Terminal) -> None:
    document = terminal(*OUE, "--json").document()
    assert document["schema_version"] == 1
    assert (document["spec"], document["domain_size"], document["epsilon"]) == ("oue:epsilon=1", 3, 1)
    assert "reasons" not in document
    for measure in MEASURES:
        assert document[measure.key] == float(measure.compute(ql.OUE(3, 1)))


def test_keys_are_named_as_in_compare(terminal: Terminal) -> None:
    row = terminal("compare", "--domain-size", "3", "--epsilon", "1", "--protocols", "oue", "--json").document()[
        "rows"
    ][0]
    document = terminal(*OUE, "--json").document()
    for key in ("tight_epsilon", "bayes_capacity", "asr_uniform", "shannon_capacity_bits", "pairwise_advantage"):
        assert document[key] == row[key]


PRIORS = {
    "uniform": ([1 / 3] * 3, {"kind": "uniform"}),
    "UNIFORM": ([1 / 3] * 3, {"kind": "uniform"}),
    "zipf:1": ([6 / 11, 3 / 11, 2 / 11], {"kind": "zipf", "exponent": 1}),
    "zipf:1/2": ([1, 2**-0.5, 3**-0.5], {"kind": "zipf", "exponent": 0.5}),
    "zipf": ([6 / 11, 3 / 11, 2 / 11], {"kind": "zipf", "exponent": 1}),
    "shares.txt": ([0.5, 0.25, 0.25], {"kind": "file", "path": "shares.txt"}),
    "counts.txt": ([0.6, 0.1, 0.3], {"kind": "file", "path": "counts.txt"}),
    "thirds.txt": ([1 / 3] * 3, {"kind": "file", "path": "thirds.txt"}),
}


@pytest.mark.parametrize("text", PRIORS)
def test_priors(terminal: Terminal, text: str) -> None:
    Path("shares.txt").write_text("0.5\n0.25\n\n0.25\n")
    Path("counts.txt").write_text("12\n2\n6\n")
    Path("thirds.txt").write_text("1/3\n1/3\n1/3\n")
    weights, description = PRIORS[text]
    found = adversary(terminal, "--prior", text)
    assert found["prior"] == description
    assert found["method"] == "exact"
    prior = ql.Prior([weight / sum(weights) for weight in weights])
    for key, value in expected(prior, ql.gains.bayes()).items():
        assert found[key] == pytest.approx(value, rel=SUMMED)


GAINS = {
    "bayes": ql.gains.bayes(),
    "Guesses:2": ql.gains.guesses(2),
    "member:sensitive.txt": ql.gains.membership([0, 2]),
    "distance": ql.gains.distance(),
    "gain.csv": ql.gains.from_matrix([["1", "0", "1/2"], ["0", "1", "1"]]),
    "gain.json": ql.gains.from_matrix([["1", "0", "1/2"], ["0", "1", "1"]]),
}


@pytest.mark.parametrize("prior", ["uniform", "zipf:2"])
@pytest.mark.parametrize("text", GAINS)
def test_gains(terminal: Terminal, text: str, prior: str) -> None:
    Path("sensitive.txt").write_text("0\n2\n2\n")
    Path("gain.csv").write_text("1,0,0.5\n0,1,1\n")
    Path("gain.json").write_text(json.dumps({"kind": "gain", "matrix": [[1, 0, "1/2"], [0, 1, 1]]}))
    gain = GAINS[text]
    known = ql.Prior.uniform(3) if prior == "uniform" else ql.Prior.zipf(3, 2)
    found = adversary(terminal, "--gain", text, "--prior", prior)
    assert found["gain"] == gain.describe()
    for key, value in expected(known, gain).items():
        # A leakage of nothing is nothing up to the rounding of vulnerabilities of at most one.
        assert found[key] == pytest.approx(value, rel=SUMMED, abs=1e-15)


def test_more_guesses_than_values_gain_everything(terminal: Terminal) -> None:
    found = adversary(terminal, "--gain", "guesses:7")
    assert found["prior_vulnerability"] == found["posterior_vulnerability"] == 1


def test_nothing_before_and_nothing_after_has_no_ratio(terminal: Terminal) -> None:
    Path("nothing.csv").write_text("0,0,0\n")
    document = terminal(*OUE, "--gain", "nothing.csv", "--json").document()
    found = document["adversary"]
    assert found["prior_vulnerability"] == found["posterior_vulnerability"] == 0
    why = "the adversary gains nothing before the report, so there is no ratio"
    for key in ("multiplicative_leakage", "max_case_leakage"):
        assert found[key] is None
        assert document["reasons"][key] == why


def test_channel_with_zeros(terminal: Terminal) -> None:
    Path("z.csv").write_text("input,a,b\nsick,1,0\nwell,1/2,1/2\n")
    Path("s.txt").write_text("sick\n")
    document = terminal("leakage", "file:z.csv", "--gain", "member:s.txt", "--json").document()
    assert (document["spec"], document["domain_size"]) == ("file:z.csv", 2)
    assert document["tight_epsilon"] is document["max_case_capacity"] is document["epsilon"] is None
    infinite = "infinite: some output is possible under one value and impossible under another"
    assert document["reasons"] == {
        "epsilon": "a bare channel claims no budget",
        "tight_epsilon": infinite,
        "max_case_capacity": infinite,
    }
    assert document["bayes_capacity"] == 1.5
    assert document["adversary"]["posterior_vulnerability"] == 0.75
    text = terminal("leakage", "file:z.csv").out
    assert f"Note: tight epsilon: {infinite}." in " ".join(text.split())
    assert "infinite" in text


SIMULATED = ("leakage", "oue", "--domain-size", "40", "--epsilon", "1", "--gain", "distance", "--samples", "4000")


def test_simulation_reports_its_interval(terminal: Terminal) -> None:
    found = terminal(*SIMULATED, "--confidence", "0.95", "--json").document()["adversary"]
    assert (found["method"], found["samples"], found["confidence"]) == ("simulation", 4000, 0.95)
    assert (
        found["posterior_vulnerability_low"] < found["posterior_vulnerability"] < found["posterior_vulnerability_high"]
    )
    assert found["additive_leakage"] == found["posterior_vulnerability"] - found["prior_vulnerability"]
    assert found["multiplicative_leakage"] == found["posterior_vulnerability"] / found["prior_vulnerability"]
    wider = terminal(*SIMULATED, "--confidence", "0.9999", "--json").document()["adversary"]
    assert wider["posterior_vulnerability_high"] > found["posterior_vulnerability_high"]


def test_simulation_is_reproducible(terminal: Terminal) -> None:
    first, again, other = (
        terminal(*SIMULATED, "--seed", seed, "--json").document()["adversary"]["posterior_vulnerability"]
        for seed in ("7", "7", "8")
    )
    assert first == again
    assert first != other


def test_simulation_says_so_to_people(terminal: Terminal) -> None:
    assert "at 99 % confidence)" in " ".join(terminal(*SIMULATED).out.split())


def test_budget_of_an_exact_logarithm(terminal: Terminal) -> None:
    document = terminal("leakage", "grr", "--domain-size", "4", "--epsilon", "2*ln(3)", "--json").document()
    assert document["epsilon"] == 2 * math.log(3)
    assert document["asr_uniform"] == pytest.approx(9 / 12, rel=1e-15)  # rounded once or twice


@pytest.mark.parametrize(
    ("prior", "content", "sentence"),
    [
        ("p.txt", "0.5\n0.5\n", "The prior must have one probability for each of the 3 secrets, got 2."),
        ("p.txt", "-0.5\n1\n0.5\n", "A prior must have probabilities only, but entry 0 is -0.5."),
        ("p.txt", "0.5\n0.1\n0.1\n", "The probabilities of a prior must sum to one, but they sum to 0.7."),
        ("p.txt", "0\n0\n0\n", "The probabilities of a prior must sum to one, but they sum to 0.0."),
        ("p.txt", "5\n-1\n2\n", "Counts must be non-negative numbers that are not all zero."),
        ("p.txt", "0.5\nx\n", "a line of the prior file must be a finite number such as 0.75 or 3/4, got 'x'."),
        (
            "p.txt",
            "\x1b[31m\n",
            r"a line of the prior file must be a finite number such as 0.75 or 3/4, got '\x1b[31m'.",
        ),
        ("p.txt", "\n\n", "The file 'p.txt' has no lines."),
        ("p.txt", "", "The file 'p.txt' is empty."),
        ("nope.txt", None, "--prior must be uniform, zipf:S or the name of a file, got 'nope.txt'."),
        ("zipf:-1", None, "Zipf exponent must be finite and not negative, got -1.0."),
        ("zipf:x", None, "the exponent of zipf must be a finite number such as 0.75 or 3/4, got 'x'."),
    ],
)
def test_priors_that_are_none(terminal: Terminal, prior: str, content: str | None, sentence: str) -> None:
    if content is not None:
        Path(prior).write_text(content)
    terminal.refuses(sentence, *OUE, "--prior", prior)


@pytest.mark.parametrize(
    ("gain", "content", "sentence"),
    [
        ("guesses:0", None, "number of guesses must be a positive whole number, got 0."),
        ("guesses:1.5", None, "the number of guesses must be a positive whole number, got '1.5'."),
        ("guesses:", None, "the number of guesses must be a positive whole number, got ''."),
        ("member:s.txt", "0\n7\n", "a line of the sensitive set must be a value from 0 to 2, got '7'."),
        ("member:s.txt", "", "The file 's.txt' is empty."),
        ("member:nope.txt", None, "There is no file 'nope.txt'."),
        ("g.csv", "1,0\n0,1\n", "The gain matrix must have one column for each of the 3 secrets, got 2."),
        ("g.csv", "1,-1,0\n", "A gain must not be negative, got -1 in row 0: add a constant to all."),
        ("g.csv", "1,0,0\n1\n", "Each row of a gain function must have the same number of entries."),
        (
            "g.csv",
            "1,0,0\nnan,0,0\n",
            "an entry of the gain file must be a finite number such as 0.75 or 3/4, got 'nan'.",
        ),
        ("g.json", "[[1,null,0.5]]", "a gain must be a finite number such as 0.75 or 3/4, got None."),
        (
            "g.json",
            '{"kind":"channel","matrix":[[1,0,0]]}',
            'A JSON gain must be a table, or have "kind": "gain" and a "matrix".',
        ),
        ("nope.csv", None, "There is no file 'nope.csv'."),
        ("xyz", None, "--gain must be bayes, guesses:T, member:FILE, distance or the name of a file, got 'xyz'."),
    ],
)
def test_gains_that_are_none(terminal: Terminal, gain: str, content: str | None, sentence: str) -> None:
    if content is not None:
        Path(gain.removeprefix("member:")).write_text(content)
    terminal.refuses(sentence, *OUE, "--gain", gain)


def test_sensitive_values_are_labels_of_the_channel(terminal: Terminal) -> None:
    Path("z.csv").write_text("input,a,b\nsick,1,0\nwell,1/2,1/2\n")
    Path("s.txt").write_text("0\n")
    terminal.refuses(
        "a line of the sensitive set must be a value of the domain, got '0'.",
        *("leakage", "file:z.csv", "--gain", "member:s.txt"),
    )


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--samples", "99", "samples must be a whole number from 100 to 100,000,000, got 99."),
        ("--confidence", "0", "confidence must be between 0 and 1, got 0.0."),
        ("--confidence", "1", "confidence must be between 0 and 1, got 1.0."),
        ("--confidence", "nan", "confidence must be between 0 and 1, got nan."),
    ],
)
@pytest.mark.parametrize("question", [SIMULATED, OUE], ids=["simulated", "exact"])
def test_settings_of_the_simulation(
    terminal: Terminal, question: tuple[str, ...], option: str, value: str, sentence: str
) -> None:
    terminal.refuses(sentence, *question, option, value)
