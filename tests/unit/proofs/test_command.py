"""``qifldp prove``, its JSON, its page, and what its documentation says."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from docs.snippets import ROOT
from qifldp.cli.main import run
from qifldp.proofs.claim import Finding, Result
from qifldp.proofs.ledger import CLAIMS
from qifldp.proofs.ledger.epsilon_k import thresholds
from qifldp.proofs.prove import Checked, find_claims, prove
from qifldp.rendering.claims import claims_page, claims_view, part_of

PAGE = ROOT / "docs/reference/claims.md"


def test_the_page_is_what_running_the_checks_gives(checked: tuple[Checked, ...]) -> None:
    assert PAGE.read_text(encoding="utf-8") == claims_page(checked, thresholds())


def test_the_page_shows_an_outcome_that_changes(checked: tuple[Checked, ...]) -> None:
    first = checked[0]
    broken = (Checked(first.claim, replace(first.result, outcome="false")), *checked[1:])
    assert claims_page(broken, thresholds()) != PAGE.read_text(encoding="utf-8")
    assert "| exact enumeration | false |" in claims_page(broken, thresholds())


def test_json_of_one_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "lemma-11", "--json"]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert list(document) == ["schema_version", "claims"]
    assert document["schema_version"] == 1
    (row,) = document["claims"]
    assert list(row) == ["id", "where", "statement", "method", "outcome", "detail"]
    assert (row["id"], row["method"], row["outcome"]) == ("lemma-11", "SMT", "sharpened")
    assert row["detail"].startswith("z3 and cvc5 find no counterexample to 1 statement; printed: ")


def test_one_claim_in_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["prove", "GRR-example"]) == 0
    assert capsys.readouterr().out == (
        "grr-example: holds (found true)\n"
        "where:      R^{ln 2}, V-A\n"
        "statement:  At k = 3 and ε = ln 2 the channel of GRR has 1/2 on its diagonal and 1/4 elsewhere.\n"
        "checked by: exact enumeration\n"
        "found:      1 matrix; altered (at ε = ln 3): not so at e^ε = 3\n"
    )


def test_all_claims_in_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = find_claims("lemma-9") + find_claims("ss-capacity")
    monkeypatch.setattr("qifldp.cli.prove.find_claims", lambda name: chosen)
    monkeypatch.setenv("COLUMNS", "100")
    assert run(["prove"]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0].split() == ["claim", "outcome", "checked", "by", "where"]
    assert "   1 corrected  printed form refuted, ours found true" in lines
    assert any(re.fullmatch(r"lemma-9 +holds +SMT +Lemma 9, VI-B", line) for line in lines)


def test_the_table_shows_what_claims_say() -> None:
    """Places such as C[x, y] too, whatever Rich would make of brackets."""
    console = Console(width=300, highlight=False)
    with console.capture() as capture:
        console.print(claims_view([Checked(claim, Result("holds", "")) for claim in CLAIMS]))
    lines = capture.get().splitlines()[1 : len(CLAIMS) + 1]
    wanted = [f"{claim.id} holds {claim.method} {claim.where}" for claim in CLAIMS]
    assert [" ".join(line.split()) for line in lines] == wanted
    assert any("[x, y]" in row for row in wanted)


@pytest.mark.parametrize("as_json", [True, False])
def test_exit_one_if_a_claim_is_false(
    as_json: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = find_claims("grr-example")[0]
    broken = replace(one, ours=lambda: Finding(False, "an entry is wrong"))
    monkeypatch.setattr("qifldp.cli.prove.find_claims", lambda name: (broken, one))
    assert run(["prove", *(["--json"] if as_json else [])]) == 1
    printed = capsys.readouterr().out
    if as_json:
        assert [row["outcome"] for row in json.loads(printed)["claims"]] == ["false", "holds"]
    else:
        assert "grr-example: false (a check found otherwise)" in printed
        assert "found:      an entry is wrong" in printed


def test_without_the_extra_claims_are_unchecked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find: Callable[..., Any] = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "z3" else find(name))
    assert run(["prove", "lemma-7", "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["claims"]
    assert row["outcome"] == "unchecked"
    assert row["detail"] == "z3 and cvc5 check this claim: pip install qifldp[prove]."


def test_files_are_written_without_provers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert run(["prove", "lemma-7", "--smt-out", str(tmp_path / "files"), "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["claims"][0]["outcome"] == "unchecked"
    assert printed.err == f"2 theorems are in {tmp_path / 'files'} (SMT-LIB 2).\n"
    assert sorted(file.name for file in (tmp_path / "files").iterdir()) == ["lemma-7-altered.smt2", "lemma-7.smt2"]


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("")
    for arguments, sentence in (
        (
            ["lemma-13"],
            "There is no claim 'lemma-13' (near it: lemma-3, lemma-1, lemma-12): qifldp prove all lists them.",
        ),
        (["\x1b[1m"], "There is no claim '\\x1b[1m': qifldp prove all lists them."),
        (["lemma-9", "--smt-out", ""], "The name of the folder is empty."),
        (["lemma-9", "--smt-out", "taken"], "The folder 'taken' cannot be made: File exists."),
        (
            ["figure-1", "--smt-out", "new"],
            "There is no theorem of figure-1 to write: it is checked by ball arithmetic.",
        ),
        (["lemma-9", "--json", "--markdown"], "Give either --json or --markdown, not both."),
    ):
        assert run(["prove", *arguments]) == 2
        assert capsys.readouterr().err == f"qifldp: {sentence}\n"
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_help_has_examples_and_every_option_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("qifldp prove") >= 4
    options = set(re.findall(r"(--[a-z-]+)", shown)) - {"--help"}
    assert {"--smt-out", "--json", "--markdown"} <= options
    page = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    section = page.partition("## qifldp prove")[2].partition("\n## ")[0]
    assert sorted(option for option in options if f"`{option}" not in section) == []
    assert "(claims.md)" in section


def test_progress_counts_claims() -> None:
    seen: list[int] = []
    prove(find_claims("lemma-2") + find_claims("definition-4"), seen.append)
    assert seen == [1, 2]
    assert find_claims("all") is CLAIMS


def test_parts_of_the_paper() -> None:
    places = {"Def. 1, (1), III-A": "Part III", "(28), (29), -A": "Appendix", "a, b and VII-B": "Part VII"}
    assert {place: part_of(place) for place in places} == places
    assert part_of("ε_k, beyond VI-B") == "Beyond the paper"
