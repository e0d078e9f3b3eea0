"""``qifldp recommend``: one protocol, why, and why not the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.terminal import Terminal

QUESTION = ("recommend", "--domain-size", "20", "--n", "100000")

KEYS = {
    "schema_version", "domain_size", "n", "goal", "max_epsilon", "max_report_bytes", "recommended", "others",
    "sentences",
}  # fmt: skip

FIGURES = {
    "protocol", "spec", "epsilon", "tight_epsilon", "asr", "bits", "standard_error", "report_bytes", "outcome",
    "reason", "safer",
}  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "goal"),
    [
        (("--epsilon", "ln(3)"), {"epsilon": "ln(3)"}),
        (("--max-asr", "0.1"), {"asr": 0.1}),
        (("--max-bits", "0.2"), {"bits": 0.2}),
        (("--max-error", "0.005"), {"error": 0.005}),
    ],
)
def test_document(terminal: Terminal, limit: tuple[str, str], goal: dict[str, object]) -> None:
    document = terminal(*QUESTION, *limit, "--json").document()
    assert set(document) == KEYS
    assert document["goal"] == goal
    assert document["max_epsilon"] == ("4" if "asr" in goal or "bits" in goal else None)
    for protocol in (document["recommended"], *document["others"]):
        assert set(protocol) == FIGURES
    assert document["recommended"]["outcome"] == "recommended"
    assert document["recommended"]["spec"] in document["sentences"][0]


def test_people_see_it_in_eighty_columns(terminal: Terminal) -> None:
    outcome = terminal(*QUESTION, "--max-asr", "0.12", "--epsilon", "2")
    assert (outcome.code, outcome.err) == (0, "")
    words = " ".join(outcome.out.split())
    assert words.startswith(
        "Take a public mixture (MIX): a coin that everybody sees makes a report a set of 6 of the 20"
    )
    assert "(mix:epsilon=2,parts=0.466771*ss@6+0.533229*ss@7)." in words
    assert "and the tight ε (what is really spent) to at most 2, it estimates best." in words
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert "Why not the others" in outcome.out


def test_the_recommended_protocol_runs(terminal: Terminal, tmp_path: Path) -> None:
    """What is recommended can be put into the other commands as it stands."""
    spec = terminal(*QUESTION, "--max-asr", "0.12", "--epsilon", "2", "--json").document()["recommended"]["spec"]
    assert terminal("leakage", spec, "--domain-size", "20", "--json").document()["asr_uniform"] <= 0.12
    data, domain, reports = tmp_path / "data.csv", tmp_path / "domain.txt", tmp_path / "reports.parquet"
    data.write_text("answer\n" + "\n".join(str(i % 20) for i in range(500)) + "\n", encoding="utf-8")
    domain.write_text("\n".join(map(str, range(20))) + "\n", encoding="utf-8")
    question = ("perturb", str(data), "--column", "answer", "--domain", str(domain), "--protocol", spec)
    assert terminal(*question, "--out", str(reports)).code == 0
    assert terminal("estimate", str(reports), "--json").document()["n"] == 500


def test_nothing_keeps_the_limit(terminal: Terminal) -> None:
    outcome = terminal("recommend", "--domain-size", "4", "--n", "100", "--max-asr", "0.2")
    assert outcome.code == 0
    assert "No protocol keeps the chance of a right guess to at most 20 %" in outcome.out


@pytest.mark.parametrize(
    "question",
    [
        ("--domain-size", "50", "--n", "100000", "--max-bits", "6.5"),
        ("--domain-size", "10", "--n", "1000", "--max-asr", "1"),
        ("--domain-size", "10", "--n", "1000", "--max-error", "1e300"),
        ("--domain-size", "10", "--n", "1000", "--epsilon", "500", "--protocols", "the"),
        ("--domain-size", "10", "--n", "1000", "--epsilon", "700"),
    ],
)
def test_a_limit_that_everything_keeps_has_an_answer(terminal: Terminal, question: tuple[str, ...]) -> None:
    document = terminal("recommend", *question, "--json").document()
    assert document["recommended"] is not None
    reasons = {other["reason"] for other in document["others"] if other["outcome"] == "infeasible"}
    assert reasons <= {"at ε = 700 no hash function has its many buckets (2^31 at most); a smaller ε would do"}


def test_the_default_of_epsilon_is_said_and_can_be_overridden(terminal: Terminal) -> None:
    words = " ".join(terminal(*QUESTION, "--max-asr", "0.12").out.split())
    assert "to at most 4 (the default of qifldp recommend --epsilon), it estimates best." in words
    more = terminal(*QUESTION, "--max-asr", "0.12", "--epsilon", "10", "--json").document()
    assert more["max_epsilon"] == "10"
    assert "default" not in str(more["sentences"])
    assert more["recommended"]["epsilon"] == 10


def test_result_in_a_file(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "choice.json"
    assert terminal(*QUESTION, "--epsilon", "1", "--out", str(file)).code == 0
    assert set(json.loads(file.read_text(encoding="utf-8"))) == KEYS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Give one limit: --epsilon, --max-asr, --max-bits or --max-error (and --epsilon beside it)."),
        (
            ("--max-asr", "0.1", "--max-bits", "1"),
            "Give one limit: --epsilon, --max-asr, --max-bits or --max-error (and --epsilon beside it).",
        ),
        (("--max-asr", "nan"), "--max-asr must be above 0 and at most 1, got nan."),
        (("--max-error", "0"), "--max-error must be positive and finite, got 0.0."),
        (
            ("--epsilon", "1", "--protocols", "file:x.csv"),
            "There is no protocol called 'file': there are grr, ss, blh, olh, lh, sue, oue, ue, the, mix.",
        ),
        (
            ("--epsilon", "1", "--protocols", "oue:epsilon=2"),
            "The budget of oue:epsilon=2 is what is looked for: leave it out of the spec.",
        ),
        (
            ("--epsilon", "1", "--protocols", "mix:parts="),
            "The parameter parts of mix has no value: write it after the equals sign.",
        ),
        (("--epsilon", "1e-9", "--max-asr", "0.1"), "--epsilon beside another limit must be above 1e-09, got '1e-9'."),
    ],
)
def test_refused(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    outcome = terminal(*QUESTION, *arguments)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"qifldp: {sentence}\n")
