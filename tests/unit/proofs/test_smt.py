"""The exported files run without our code, say what they mean, and mean what they say."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from qifldp import THE
from qifldp.errors import InputError
from qifldp.proofs.claim import Finding, UncheckedError
from qifldp.proofs.formulas import All, Formula, Not, above, at_least, equivalent, implies, let, same
from qifldp.proofs.ledger import CLAIMS
from qifldp.proofs.lemmas import (
    MEANING,
    corollary_2,
    family,
    grr_family,
    lemma_1,
    lemma_1_any_errors,
    lemma_2,
    subset_family,
)
from qifldp.proofs.prove import export_theorems, find_claims, smt_files
from qifldp.proofs.provers import Proved, ask_cvc5, ask_z3
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import variables

FILES = smt_files(CLAIMS)


def z3_program() -> str:
    beside = Path(sys.executable).with_name("z3")
    found = str(beside) if beside.exists() else shutil.which("z3")
    assert found is not None, "z3-solver brings the program z3"
    return found


def test_the_files_are_many_and_of_both_kinds() -> None:
    altered = [name for name in FILES if name.endswith("-altered.smt2")]
    assert len(altered) >= 24
    assert len(FILES) - len(altered) >= 28
    lemmas = ("1-1-3", "1-2-3", "2", "3", "5", "7", "8", "9", "10-1", "10-2", "10-3", "11", "12")
    assert {f"lemma-{name}.smt2" for name in lemmas} <= set(FILES)


def test_the_program_z3_answers_every_file_as_it_says(tmp_path: Path) -> None:
    assert export_theorems(CLAIMS, tmp_path / "new" / "folder") == len(FILES)
    written = sorted((tmp_path / "new" / "folder").iterdir())
    assert [file.name for file in written] == sorted(FILES)
    ran = subprocess.run([z3_program(), "-T:100", *written[:1]], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() in ("sat", "unsat")
    wrong = {}
    for file in written:
        text = file.read_text(encoding="ascii")
        answer = subprocess.run(
            [z3_program(), "-T:100", file], capture_output=True, text=True, check=False
        ).stdout.strip()
        expected = "sat" if file.stem.endswith("-altered") else "unsat"
        assert f"(set-info :status {expected})" in text
        if answer != expected:
            wrong[file.name] = answer
    assert wrong == {}


def test_cvc5_answers_every_file_as_it_says() -> None:
    answers = {name: ask_cvc5(text.replace(":status sat", ":status unknown")) for name, text in FILES.items()}
    expected = {name: "sat" if name.endswith("-altered.smt2") else "unsat" for name in FILES}
    decided = {name: answer for name, answer in answers.items() if answer != "unknown"}
    assert decided == {name: expected[name] for name in decided}
    assert len(decided) >= 0.9 * len(FILES)


def test_files_say_what_they_are() -> None:
    for name, text in FILES.items():
        head, _, body = text.partition("(set-logic QF_NRA)\n")
        assert all(line.startswith("; ") for line in head.splitlines()), name
        assert re.search(r"[Uu]nsat (means|would mean) that there is no counterexample", head), name
        assert ("; ALTERED" in head) == name.endswith("-altered.smt2")
        assert len(head.splitlines()) >= 3
        used = set(re.findall(r"\b[a-z]\b", body.partition("(assert")[2]))
        declared = set(re.findall(r"\(declare-fun (\w) \(\) Real\)", body))
        assert used <= declared, name
        assert body.endswith("(check-sat)\n")


def said(text: str) -> str:
    """Return what a file says that it asserts: its words before the expected answer, less what explains variables."""
    head = text.partition("; Expected: ")[0].partition("; ALTERED: ")[0]
    return " ".join(line.removeprefix("; ") for line in head.splitlines() if line != f"; {MEANING}")


def test_files_that_assert_something_else_say_something_else() -> None:
    """The words of a wrong form are its own, and say so first; no two theorems have the same words."""
    words = {name: said(text) for name, text in FILES.items()}
    assert len({text.removeprefix("Altered: ").removeprefix("Altered ") for text in words.values()}) == len(FILES)
    assert all(text.startswith("Altered") == name.endswith("-altered.smt2") for name, text in words.items())


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("lemma-11", "bits of SUE are refined to those of THE", "bits of THE are refined to those of SUE"),
        ("lemma-3", "for all r >= t >= 1", "for all t >= r > 1"),
        ("lemma-10-1", "(B) (2 s u - s^2 - 1)^2 >=", "(B) 2 (2 s u - s^2 - 1)^2 >="),
        ("oue-least-variance", "rare values, q(1 - q)/(p - q)^2", "that everybody has, p(1 - p)/(p - q)^2"),
        ("definition-9", "at most e^epsilon,", "at most e^(epsilon/2),"),
        ("lemma-12", "in the order", "in the reverse order"),
        ("the-tight", "is below e^epsilon", "is at least e^epsilon"),
        ("epsilon-k-once", "all k >= 3", "all k >= 2"),
        ("epsilon-k-beyond", "At s = k/v - 2", "At s = k/v - 1"),
        ("lemma-9", "epsilon > 0", "epsilon >= 0"),
    ],
)
def test_words_have_the_alteration(name: str, right: str, wrong: str) -> None:
    texts = [said(FILES[f"{name}{altered}.smt2"]) for altered in ("", "-altered")]
    assert [(right in text, wrong in text) for text in texts] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("part", "goal"),
    [
        (1, "where (A) and (B) hold, bits of OUE are refined to those of THE."),
        (2, "where bits of OUE are refined to those of THE, (A) holds."),
        (3, "where bits of OUE are refined to those of THE, (B) holds."),
    ],
)
def test_each_part_of_lemma_10_says_which_it_is(part: int, goal: str) -> None:
    assert goal in said(FILES[f"lemma-10-{part}.smt2"])


def test_exporting_one_claim_and_none(tmp_path: Path) -> None:
    assert export_theorems(find_claims("lemma-9"), tmp_path) == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["lemma-9-altered.smt2", "lemma-9.smt2"]
    with pytest.raises(InputError, match=r"^There is no theorem of definition-4 to write: it is checked by exact enum"):
        export_theorems(find_claims("definition-4"), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with pytest.raises(InputError, match=r"^The name of the folder is empty\.$"):
        export_theorems(CLAIMS, "")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^The folder '.* cannot be made: File exists\.$"):
        export_theorems(CLAIMS, tmp_path / "file")


def test_all_files_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lemma-9.smt2").mkdir()
    with pytest.raises(InputError, match=r"cannot be written: it is not a regular file\.$"):
        export_theorems(find_claims("lemma-9"), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["lemma-9.smt2"]
    written: list[str] = []

    def full(self: Path, text: str, **_: object) -> int:
        if written:
            raise OSError(28, "No space left on device")
        written.append(self.name)
        return len(text)

    place = tmp_path / "new"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(InputError, match=r"^The theorems cannot be written to .*: No space left on device\.$"):
            export_theorems(find_claims("lemma-9"), place)
    assert list(place.iterdir()) == []
    assert export_theorems(find_claims("lemma-9"), place) == export_theorems(find_claims("lemma-9"), place) == 2
    assert len(list(place.iterdir())) == 2


def test_two_theorems_of_one_name_are_refused() -> None:
    (x,) = variables("x")
    first, second = (Theorem("one", "Words.", ("x",), [at_least(x, 0)], at_least(x, -n)) for n in (1, 2))
    made: Any = find_claims("lemma-9")[0]
    claims = [type(made)(**(made.__dict__ | {"ours": Proved((one,))})) for one in (first, second)]
    with pytest.raises(ValueError, match=r"two theorems are named one\.smt2"):
        smt_files(claims)


@pytest.mark.parametrize(
    "theorem", [lemma_1("1"), lemma_1("2"), lemma_2(), corollary_2(), grr_family(), family("lemma-5", THE)]
)
def test_text_and_exact_evaluation_agree(theorem: Theorem) -> None:
    """At random rational points the text is true for z3 exactly where it is true in rationals."""
    draw, seen = random.Random(1), set()
    for _ in range(25):
        point = {name: Fraction(draw.randint(0, 8), draw.choice((2, 3, 8))) for name in theorem.names}
        fixed = "".join(f"(assert (= {n} (/ {v.numerator} {v.denominator})))\n" for n, v in point.items())
        answer, _ = ask_z3(theorem.text().replace("(check-sat)", fixed), theorem.names)
        assert (answer == "sat") == theorem.refuted_by(point)
        declared = "".join(f"(declare-fun {name} () Real)\n" for name in theorem.names)
        for formula in (theorem.conclusion, *theorem.assumptions):
            answer, _ = ask_z3(f"{declared}(assert {formula.text()})\n{fixed}", theorem.names)
            assert (answer == "sat") == formula.holds_at(point)
            seen.add(answer)
    assert seen == {"sat", "unsat"}


def proved(assumption: Formula, conclusion: Formula) -> Finding:
    return Proved((Theorem("try", "Words.", ("x", "y"), [assumption], conclusion, immediate=True),))()


def test_denominators_are_not_taken_on_trust() -> None:
    x, y = variables("x", "y")
    assert proved(above(x, 1), above(1 / (x - 1), 0)).holds
    assert proved(above(x, 1), above(0 * x, 1 / (1 - x))).holds
    assert not proved(above(x, 1), above(1 / (1 - x), 0)).holds
    assert not proved(at_least(x, 1), Not(above(0 * x, 1 / (x - 1)))).holds  # at x = 1 there is no value
    assert not proved(above(x, 1), Not(above(0 * x, 1 / (1 - x)))).holds
    assert not proved(at_least(x, 0), at_least(1 / x + y * y, 0)).holds
    with pytest.raises(InputError, match="The assumptions of try must be about polynomials"):
        proved(above(1 / x, 1), above(x, 0))


def test_a_name_stands_for_a_value_that_exists() -> None:
    x, y = variables("x", "y")
    half = let(y, x / (x + 1), above(1 - y, 0))
    assert "(= (+ (* x y) (* (- 1) x) y) 0)" in half.text()
    assert proved(above(x, 0), half).holds
    assert not proved(above(x, 0), let(y, x / (x + 1), above(y, 1))).holds
    assert not proved(above(x, 0), let(y, x / (x - 1), same(y * (x - 1), x))).holds  # at x = 1 there is none
    assert proved(above(x, 1), let(y, x / (x - 1), above(y, 1))).holds
    assert half.holds_at({"x": Fraction(1), "y": Fraction(1, 2)})
    assert half.holds_at({"x": Fraction(1), "y": Fraction(5)})  # y is another number, of which nothing is said
    assert not let(y, x + 1, above(0 * y, 1)).holds_at({"x": Fraction(1), "y": Fraction(2)})


def test_connectives() -> None:
    x, _ = variables("x", "y")
    positive, small = above(x, 0), at_least(1 - x, 0)
    point = {"x": Fraction(2), "y": Fraction(0)}
    assert positive.holds_at(point)
    assert not small.holds_at(point)
    assert not All([positive, small]).holds_at(point)
    assert implies(small, positive).holds_at(point)
    assert not implies(positive, small).holds_at(point)
    assert not equivalent(positive, small).holds_at(point)
    assert same(x * x, 4).holds_at(point)
    assert not same(x, 3).holds_at(point)
    assert All([]).text() == "true"
    assert proved(positive, Not(All([Not(above(x, 1)), Not(small)]))).holds


def test_numbers_are_written_whole() -> None:
    x, y = variables("x", "y")
    assert at_least(x / 2 - y / 3, -1).text() == "(>= (+ (* 3 x) (* (- 2) y) 6) 0)"
    assert same(0 * x, 0).text() == "(= 0 0)"
    assert above(-x * y * y, 0).text() == "(> (* (- 1) x y y) 0)"


def test_counterexamples_are_checked_in_rationals() -> None:
    found = Proved((lemma_1_any_errors(),))()
    assert not found.holds
    shown = dict(part.split(" = ") for part in found.detail.partition(": ")[2].split(", "))
    assert lemma_1_any_errors().refuted_by({name: Fraction(value) for name, value in shown.items()})
    x, _ = variables("x", "y")
    irrational = proved(same(x * x, 2), above(x - x, 0))
    assert irrational == Finding(False, "try has a counterexample: one that is not rational.")


def test_a_prover_that_gives_up_leaves_the_claim_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    check = Proved((subset_family(),))
    with monkeypatch.context() as patch:
        patch.setattr("qifldp.proofs.provers.ask_z3", lambda text, names: ("unknown", {}))
        with pytest.raises(UncheckedError, match="z3 says unknown, cvc5 unsat"):
            check()
    with monkeypatch.context() as patch:
        patch.setattr("qifldp.proofs.provers.ask_cvc5", lambda text: "sat")
        with pytest.raises(UncheckedError, match="z3 says unsat, cvc5 sat"):
            check()
    with monkeypatch.context() as patch:
        patch.setattr("qifldp.proofs.provers.ask_cvc5", lambda text: "unknown")
        assert check().detail == "z3 (and cvc5 for 0) finds no counterexample to 1 statement"
    with monkeypatch.context() as patch:
        false = {name: Fraction(2) for name in "rtkow"}
        patch.setattr("qifldp.proofs.provers.ask_z3", lambda text, names: ("sat", false))
        patch.setattr("qifldp.proofs.provers.ask_cvc5", lambda text: "unknown")
        with pytest.raises(UncheckedError, match="z3's counterexample is none"):
            check()
