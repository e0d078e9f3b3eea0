"""``exchange``: the document, the text, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import qifldp.cli.exchange  # noqa: F401  # registers the command
from cli.terminal import Outcome, Terminal
from qifldp.refinement.exchange import NUDGE, RESOLUTION

SS = ("exchange", "--original", "ss", "--refined", "ss", "--domain-size", "10", "--epsilon", "1")
SUE = ("exchange", "--original", "sue", "--refined", "oue", "--domain-size", "3", "--epsilon", "2")


def test_document(terminal: Terminal) -> None:
    document = terminal(*SS, "--json").document()
    assert list(document) == [
        "schema_version",
        "original",
        "refined",
        "domain_size",
        "epsilon",
        "range",
        "intervals",
        "brackets",
        "refined_from",
        "bracket",
        "undecided",
        "scanned",
    ]
    assert (document["schema_version"], document["original"], document["refined"]) == (1, "ss", "ss:epsilon=1,omega=3")
    assert (document["domain_size"], document["epsilon"], document["range"]) == (10, 1, [0.25, 4])
    assert (document["undecided"], document["scanned"]) == ([], [])
    (a, b), (c, d), (e, f) = document["intervals"]
    assert (a, f) == (1, 4)
    assert b == pytest.approx(math.log(3), rel=2 * NUDGE)
    assert d == pytest.approx(math.log(17 / 3), rel=2 * NUDGE)
    assert b < c < d < e
    no, yes = document["bracket"]
    assert yes == document["refined_from"] == e
    assert 0 < yes - no <= RESOLUTION * yes
    assert [bracket["start"][1] for bracket in document["brackets"]] == [a, c, e]
    assert [bracket["end"][1] for bracket in document["brackets"]] == [b, d, f]
    assert document["brackets"][2]["end"][0] is None


def test_range_and_budget_inside_the_spec(terminal: Terminal) -> None:
    document = terminal(*SUE[:4], "oue:epsilon=ln(9)", *SUE[5:7], "--range", "ln(3),ln(81)", "--json").document()
    assert document["range"] == [math.log(3), math.log(81)]
    assert document["refined"] == "oue:epsilon=2*ln(3)"
    assert document["refined_from"] == pytest.approx(math.log(9), rel=RESOLUTION)


def test_never(terminal: Terminal) -> None:
    document = terminal(*SUE, "--range", "0.5,1", "--json").document()
    assert (document["intervals"], document["refined_from"], document["bracket"]) == ([], None, [1, None])
    assert "At the end of the range, ε = 1, it does not hold." in terminal(*SUE, "--range", "0.5,1").out


def test_refined_without_a_budget(terminal: Terminal) -> None:
    arguments = ("--original", "sue", "--refined", "ue:p=3/4,q=1/4", "--domain-size", "2")
    document = terminal("exchange", *arguments, "--json").document()
    assert document["epsilon"] == pytest.approx(math.log(9))
    assert document["refined_from"] == pytest.approx(math.log(9), rel=RESOLUTION)


def test_text(terminal: Terminal) -> None:
    assert terminal(*SUE) == Outcome(
        0,
        "sue that can be turned into oue:epsilon=2, 3 values\n"
        "\n"
        "ε from 2 to 8\n"
        "  start: proved; proved false at 1.999998678\n"
        "  end:   where the range ends\n"
        "\n"
        "From ε = 2 on it always holds, up to 8.\n",
        "",
    )


def test_text_says_what_is_not_known(terminal: Terminal) -> None:
    out = " ".join(terminal(*SUE, "--time-limit", "1e-9").out.split())
    assert "At no ε from 0.5 to 8 was this proved." in out
    assert "At the end of the range, ε = 8, it is undecided." in out
    assert "Note: from 0.5 to 8 it is undecided." in out
    out = " ".join(terminal("exchange", "--original", "the", *SUE[3:]).out.split())
    assert "Note: from 0.5 to 8 only points were asked, and what lies between" in out


def test_out_writes_the_document(terminal: Terminal) -> None:
    terminal(*SUE, "--out", "rate.json")
    written = json.loads(Path("rate.json").read_text())
    assert written == terminal(*SUE, "--json").document()


REFUSED = {
    "--original must be a protocol with a budget: the parameters of ue are p and q.": {"original": "ue:p=1/2,q=1/3"},
    "The budget of --original is what is looked for: leave epsilon out of its spec.": {"original": "sue:epsilon=1"},
    "The parameters of ue are p and q, not a budget: leave --epsilon out.": {"refined": "ue:p=1/2,q=1/3"},
    "There is no protocol called 'sueo': did you mean sue?": {"original": "sueo"},
    "--range must be two budgets A,B, got '1'.": {"range": "1"},
    "--range must be a smaller and a larger budget A,B, got '2,1'.": {"range": "2,1"},
    "epsilon must be a positive number, ln(3) or 2*ln(3), got 'x'.": {"range": "1,x"},
    "epsilon must be positive (1e-100 at least), got '0'.": {"range": "0,1"},
    "epsilon must be at most 700, got '701'.": {"range": "1,701"},
    "--time-limit must be a positive number of seconds, got 0.0.": {"time-limit": "0"},
    "--time-limit must be a positive number of seconds, got nan.": {"time-limit": "nan"},
    "domain size must be from 2 to 10,000,000, got 1.": {"domain-size": "1"},
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refused(terminal: Terminal, sentence: str) -> None:
    options = {"original": "sue", "refined": "oue", "domain-size": "3", "epsilon": "1"} | REFUSED[sentence]
    terminal.refuses(sentence, "exchange", *(part for key, value in options.items() for part in (f"--{key}", value)))


def test_matrices_are_refused(terminal: Terminal) -> None:
    Path("channel.csv").write_text("0.5,0.5\n0.25,0.75\n")
    for option, others in (("--original", ("--refined", "oue")), ("--refined", ("--original", "oue"))):
        terminal.refuses(
            f"{option} must be a protocol: a channel matrix has no budget to exchange.",
            *("exchange", option, "file:channel.csv", *others, "--domain-size", "2", "--epsilon", "1"),
        )


def test_a_budget_that_is_missing(terminal: Terminal) -> None:
    terminal.refuses(
        "The protocol oue needs a budget: give epsilon.",
        *("exchange", "--original", "sue", "--refined", "oue", "--domain-size", "3"),
    )


def test_help_has_examples(terminal: Terminal) -> None:
    out = terminal("exchange", "--help").out
    assert "qifldp exchange --original sue --refined oue --domain-size 3 --epsilon 1" in out
