"""The page of new results: every proof that it links is one, of what the line says."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from qifldp import Certificate, DeficiencyCertificate, Protocol, verify_certificate, verify_deficiency
from qifldp.cli.main import run
from qifldp.proofs.prove import find_claims, smt_files
from qifldp.proofs.provers import ask_cvc5, ask_z3

PAGE = Path(__file__).parents[2] / "docs/explanation/new-results.md"
LINE = re.compile(
    r"\| `(?P<original>[^`]+)` (?P<sign>[⊑⋢]) `(?P<refined>[^`]+)`, k = (?P<k>[\d,]+)(?P<order>, max-case)?"
    r" \| \[(?P<kind>\w+)\]\((?P<file>results/[\w-]+\.json)\) \|$",
    re.MULTILINE,
)
BRACKET = re.compile(
    r"\| `(?P<original>[^`]+)` → `(?P<refined>[^`]+)`, k = (?P<k>\d+): (?P<least>[\d.]+) < δ < (?P<most>[\d.]+)"
    r" \| \[deficiency\]\((?P<file>results/[\w-]+\.json)\) \|$",
    re.MULTILINE,
)
THEOREM = re.compile(
    r"\(claim `(?P<claim>[\w-]+)`\)[^|]*\|[^|]+\| \[SMT-LIB\]\((?P<file>results/[\w-]+\.smt2)\) \|$", re.MULTILINE
)
TEXT = PAGE.read_text(encoding="utf-8")
LINES = list(LINE.finditer(TEXT))
BRACKETS = list(BRACKET.finditer(TEXT))
THEOREMS = list(THEOREM.finditer(TEXT))


def test_every_proof_is_linked_once() -> None:
    linked = [line["file"] for line in (*LINES, *BRACKETS, *THEOREMS)]
    assert sorted(linked) == sorted(f"results/{file.name}" for file in (PAGE.parent / "results").iterdir())
    assert len(linked) >= 15


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["file"])
def test_the_proof_is_of_what_the_line_says(line: re.Match[str]) -> None:
    certificate = Certificate.load(PAGE.parent / line["file"])
    original, refined = certificate.original, certificate.refined
    assert isinstance(original, Protocol)
    assert isinstance(refined, Protocol)
    assert (original.spec, refined.spec) == (line["original"], line["refined"])
    assert original.domain_size == int(line["k"].replace(",", ""))
    assert certificate.verdict == {"⊑": "refines", "⋢": "does_not_refine"}[line["sign"]]
    assert certificate.order == ("max" if line["order"] else "average")
    assert certificate.proof.kind == line["kind"]
    verify_certificate(certificate)


@pytest.mark.parametrize("line", BRACKETS, ids=lambda line: line["file"])
def test_the_bracket_is_of_what_the_line_says(line: re.Match[str]) -> None:
    certificate = DeficiencyCertificate.load(PAGE.parent / line["file"])
    assert (certificate.original.spec, certificate.refined.spec) == (line["original"], line["refined"])
    assert certificate.original.domain_size == int(line["k"])
    assert Fraction(line["least"]) <= certificate.least < certificate.most <= Fraction(line["most"])
    verify_deficiency(certificate)


@pytest.mark.parametrize("line", THEOREMS, ids=lambda line: line["file"])
def test_the_theorem_is_what_the_product_exports_now_and_two_provers_agree(line: re.Match[str]) -> None:
    text = (PAGE.parent / line["file"]).read_text(encoding="utf-8")
    assert text == smt_files(find_claims(line["claim"]))[Path(line["file"]).name]
    names = re.findall(r"\(declare-fun (\w+) \(\) Real\)", text)
    assert ask_z3(text, names) == ("unsat", {})
    assert ask_cvc5(text) == "unsat"


@pytest.mark.parametrize("line", THEOREMS, ids=lambda line: line["file"])
def test_questions_to_provers_are_not_said_to_be_verified(
    line: re.Match[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """They are no certificates: the page says so of all files of their kind."""
    assert run(["verify", str(PAGE.parent / line["file"])]) == 2
    assert capsys.readouterr().err.startswith("qifldp: The certificate is not JSON")
    head = " ".join(TEXT.partition("\n| what |")[0].split())
    assert "A certificate (`.json`) is a proof, which `qifldp verify` checks without solver or search" in head
    assert "questions (`.smt2`) to any SMT prover, such as z3 and cvc5, which `qifldp verify` does not read" in head


def test_the_families_are_proved_for_all_budgets() -> None:
    assert {line["claim"] for line in THEOREMS} == {"ss-family", "lh-family"}
