"""``qifldp refine`` and ``qifldp verify``: verdicts, proofs that go from file to file, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.terminal import Terminal, read_strictly
from qifldp.errors import ConvergenceError, TooLargeError

YES = ("refine", "--original", "sue", "--refined", "the", "--domain-size", "40", "--epsilon", "1")
NO = ("refine", "--original", "oue:epsilon=1", "--refined", "the:epsilon=1,theta=0.75", "--domain-size", "20")
TRANSPORT = ("refine", "--original", "oue", "--refined", "the:theta=0.7", "--domain-size", "3", "--epsilon", "0.8")

KEYS = {
    "order",
    "schema_version",
    "original",
    "refined",
    "domain_size",
    "verdict",
    "margin",
    "deficiency",
    "deficiency_reverse",
    "vulnerability_ratio",
    "method",
    "counterexample",
    "certificate",
}


def test_yes(terminal: Terminal) -> None:
    document = terminal(*YES, "--json").document()
    assert set(document) == KEYS
    assert (document["schema_version"], document["verdict"], document["method"]) == (1, "refines", "bitwise")
    assert document["margin"] > 1
    assert (document["deficiency"], document["vulnerability_ratio"]) == (0, 1)
    assert document["deficiency_reverse"] > 0
    assert document["counterexample"] is document["certificate"] is None


def test_no(terminal: Terminal) -> None:
    document = terminal(*NO, "--json").document()
    assert (document["verdict"], document["original"]) == ("does_not_refine", "oue:epsilon=1")
    assert document["margin"] < 1
    assert 0 < document["deficiency"] < document["deficiency_reverse"]
    assert 0 < document["vulnerability_ratio"] < 1
    found = document["counterexample"]
    assert found["vulnerability_refined"] > found["vulnerability_original"]
    assert f"{found['vulnerability_refined']:.6g}" in found["words"]


def test_people_see_verdict_and_figures_in_eighty_columns(terminal: Terminal) -> None:
    for question, sign in ((YES, "⊑"), (NO, "⋢")):
        outcome = terminal(*question)
        assert (outcome.code, outcome.err) == (0, "")
        assert f" {sign} " in outcome.out
        assert "proved" in outcome.out
        assert max(map(len, outcome.out.splitlines())) <= 80


@pytest.mark.parametrize("question", [YES, NO, TRANSPORT])
def test_certificates_go_through_files(terminal: Terminal, question: tuple[str, ...]) -> None:
    document = terminal(*question, "--certificate", "proof.json", "--json").document()
    assert document["certificate"] == "proof.json"
    outcome = terminal("verify", "proof.json")
    assert (outcome.code, outcome.err) == (0, "")
    sign = "⊑" if document["verdict"] == "refines" else "⋢"
    assert outcome.out.startswith("Proved ")
    assert f"{document['original']} {sign} {document['refined']}" in outcome.out


def test_an_older_certificate_is_not_taken_for_a_new_one(terminal: Terminal) -> None:
    terminal(*YES, "--certificate", "proof.json")
    before = Path("proof.json").read_bytes()
    Path("a.csv").write_text("0.5,0.3,0.2\n0.2,0.5,0.3\n0.3,0.2,0.5\n", encoding="utf-8")
    Path("b.csv").write_text("0.5,0.5\n0.2,0.8\n0.3,0.7\n", encoding="utf-8")
    asked = terminal("refine", "--original", "file:a.csv", "--refined", "file:b.csv", "--certificate", "proof.json")
    assert "undecided" in asked.out
    assert "'proof.json' was there before, and is left as it was" in asked.err
    assert Path("proof.json").read_bytes() == before


def test_a_forged_certificate_fails_with_its_reason(terminal: Terminal) -> None:
    terminal(*NO, "--certificate", "proof.json")
    document = json.loads(Path("proof.json").read_text())
    document["original"], document["refined"] = document["refined"], document["original"]
    Path("forged.json").write_text(json.dumps(document))
    outcome = terminal("verify", "forged.json")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == "Not proved: The adversary does not gain more from B than from A.\n"


def test_what_is_no_certificate_is_bad_input(terminal: Terminal) -> None:
    terminal.refuses("There is no file 'proof.json'.", "verify", "proof.json")
    Path("proof.json").write_text("{}")
    keys = "kind, order, original, proof, refined, schema_version, verdict"
    terminal.refuses(f"A certificate must have exactly: {keys}.", "verify", "proof.json")
    Path("proof.json").write_text("[" * 100_000)
    terminal.refuses_with("The certificate is not JSON of whole numbers and text: ", "verify", "proof.json")


def test_the_max_case_order_is_weaker(terminal: Terminal) -> None:
    pair = ("refine", "--original", "oue", "--refined", "sue", "--domain-size", "9", "--epsilon", "1", "--json")
    assert terminal(*pair).document()["verdict"] == "does_not_refine"
    assert terminal(*pair, "--order", "max", "--certificate", "p.json").document()["verdict"] == "refines"
    assert terminal("verify", "p.json").code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--domain-size", "1", "--epsilon", "1"), "domain size must be from 2 to 10,000,000, got 1."),
        (("--domain-size", "5"), "The protocol oue needs a budget: give epsilon."),
        (("--domain-size", "5", "--epsilon", "nan"), "epsilon must be a positive number, ln(3) or 2*ln(3), got 'nan'."),
        (
            ("--domain-size", "5", "--epsilon", "1", "--time-limit", "0"),
            "--time-limit must be a positive number of seconds, got 0.0.",
        ),
    ],
)
def test_bad_input(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    terminal.refuses(sentence, "refine", "--original", "oue", "--refined", "grr", *arguments)


def test_the_solver_is_silent() -> None:
    done = subprocess.run([sys.executable, "-m", "qifldp", *TRANSPORT, "--json"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert read_strictly(done.stdout.decode())["method"] == "transport"


def test_the_certificate_never_replaces_an_input(terminal: Terminal) -> None:
    Path("c.csv").write_text("3/4,1/4\n1/4,3/4\n", encoding="utf-8")
    terminal.refuses(
        "The result would overwrite 'c.csv', which it is made from: choose another file.",
        *("refine", "--original", "file:c.csv", "--refined", "grr:exp_epsilon=2", "--domain-size", "2"),
        *("--certificate", "c.csv"),
    )
    assert Path("c.csv").read_text(encoding="utf-8").startswith("3/4")


def test_the_max_case_order_is_named(terminal: Terminal) -> None:
    pair = ("--original", "sue", "--refined", "oue", "--domain-size", "4", "--epsilon", "1", "--order", "max")
    shown = terminal("refine", *pair, "--certificate", "m.json").out
    assert "in the max-case order" in shown
    assert "No adversary gains more from their luckiest report" in shown
    assert "in the max-case order" in terminal("verify", "m.json").out
    document = terminal("refine", *pair, "--json").document()
    assert document["order"] == "max"
    assert document["deficiency"] > 0.01


def test_rows_that_are_rounded_are_divided_by_their_sums_on_request(terminal: Terminal) -> None:
    Path("r.csv").write_text("0.667,0.334\n0.333,0.666\n", encoding="utf-8")
    pair = ("refine", "--original", "file:r.csv", "--refined", "file:r.csv", "--json")
    assert terminal(*pair).code == 2
    assert terminal(*pair, "--normalize").document()["verdict"] == "refines"


def test_a_deficiency_goes_from_file_to_file(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "how-far.json"
    question = ("refine", "--original", "grr", "--refined", "oue", "--domain-size", "20", "--epsilon", "1")
    document = terminal(*question, "--deficiency", str(file), "--json").document()
    assert set(document) == KEYS | {"deficiency_bracket", "deficiency_certificate"}
    least, most = document["deficiency_bracket"]
    assert least < most
    assert least <= document["deficiency"] <= most
    outcome = terminal("verify", str(file))
    assert outcome.code == 0
    assert f"is between {least:.12f} and {most:.12f}, over 20 values." in outcome.out
    seen = terminal(*question, "--deficiency", str(file))
    assert f"The deficiency is between {least:.12f} and {most:.12f}: proved." in seen.out
    forged = json.loads(file.read_text(encoding="utf-8")) | {"most": f"{least}"}
    file.write_text(json.dumps(forged), encoding="utf-8")
    refused = terminal("verify", str(file))
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == "Not proved: The garbling of the flow is not as near as that.\n"


@pytest.mark.parametrize(
    ("error", "reason"),
    [(ConvergenceError("The time is up."), "The time is up."), (TooLargeError("It is too large."), "It is too large.")],
)
def test_a_verdict_is_shown_without_its_bracket(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    def bracket(**_: object) -> None:
        raise error

    monkeypatch.setattr("qifldp.cli.refine.bracket_deficiency", bracket)
    proof, file = tmp_path / "proof.json", tmp_path / "how-far.json"
    question = (*NO, "--certificate", str(proof), "--deficiency", str(file))
    complaint = f"qifldp: The deficiency could not be bracketed: {reason}\n"
    seen = terminal(*question)
    assert (seen.code, seen.err) == (2, complaint)
    assert "⋢" in seen.out
    assert "The deficiency is between" not in seen.out
    assert terminal("verify", str(proof)).code == 0
    assert not file.exists()
    file.write_text("{}", encoding="utf-8")
    asked = terminal(*question, "--json")
    left = f"Nothing is proved: {str(file)!r} was there before, and is left as it was.\n"
    assert (asked.code, asked.err) == (2, left + complaint)
    document = read_strictly(asked.out)
    assert set(document) == KEYS | {"deficiency_bracket", "deficiency_certificate", "reasons"}
    assert document["verdict"] == "does_not_refine"
    assert document["certificate"] == str(proof)
    assert document["deficiency_bracket"] is document["deficiency_certificate"] is None
    assert document["reasons"] == {"deficiency_bracket": reason}
    assert file.read_text(encoding="utf-8") == "{}"


def test_a_deficiency_that_is_not_found_in_time(terminal: Terminal, tmp_path: Path) -> None:
    question = ("refine", "--original", "sue", "--refined", "oue", "--domain-size", "450", "--epsilon", "2")
    late = terminal(*question, "--time-limit", "0.001", "--deficiency", str(tmp_path / "how-far.json"))
    assert late.code == 2
    assert "⋢" in late.out
    assert late.err.startswith("qifldp: The deficiency could not be bracketed: ")


def test_where_no_deficiency_can_be_proved(terminal: Terminal, tmp_path: Path) -> None:
    file = str(tmp_path / "how-far.json")
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("0.5,0.5\n0.25,0.75\n", encoding="utf-8")
    mixed = terminal("refine", "--original", f"file:{matrix}", "--refined", f"file:{matrix}", "--deficiency", file)
    assert (mixed.code, mixed.err) == (
        2,
        "qifldp: --deficiency proves the deficiency between two protocols; a side here is a matrix.\n",
    )
    one = terminal(*YES, "--deficiency", file, "--certificate", file)
    assert (one.code, one.err) == (2, "qifldp: --certificate and --deficiency need a file each.\n")
    assert not Path(file).exists()
