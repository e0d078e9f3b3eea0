"""Outcomes are earned: each way in which a claim can fail is seen, for each kind of check."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest
from flint import arb

from qifldp import GRR, SUE
from qifldp.errors import InputError
from qifldp.proofs.checks import Decided, Question, Together, Within, enclosed, rounds_to
from qifldp.proofs.claim import Check, Claim, Finding, Method, Relation, Result, UncheckedError, every
from qifldp.proofs.ledger import CLAIMS
from qifldp.proofs.prove import find_claims


def yes() -> Finding:
    return Finding(True, "so")


def no() -> Finding:
    return Finding(False, "not so")


def undecided() -> Finding:
    raise UncheckedError("no way to tell")


def claim(relation: Relation, **checks: Any) -> Claim:
    made = {"ours": yes, "altered": no} | checks
    return Claim("some", "here", "It is so.", "symbolic", alteration="it is not", relation=relation, **made)


@pytest.mark.parametrize(
    ("relation", "outcome"), [("as printed", "holds"), ("corrects", "corrected"), ("leaves open", "open")]
)
def test_outcomes_that_need_two_checks(relation: Relation, outcome: str) -> None:
    assert claim(relation).run().outcome == outcome
    assert claim(relation, ours=no).run() == Result("false", "not so")
    assert claim(relation, altered=yes).run() == Result(
        "false", "the check cannot tell it from what is wrong: it is not: so"
    )
    assert claim(relation, ours=undecided).run() == Result("unchecked", "no way to tell")
    assert claim(relation, altered=undecided).run() == Result("unchecked", "no way to tell")


def test_sharpened_needs_four() -> None:
    four = {"printed": yes, "stronger": yes}
    assert claim("sharpens", **four).run() == Result(
        "sharpened", "so; printed: so; more than printed: so; altered (it is not): not so"
    )
    assert claim("sharpens", **four | {"printed": no}).run() == Result("false", "printed: not so")
    assert claim("sharpens", **four | {"stronger": no}).run() == Result("false", "more than printed: not so")
    assert claim("sharpens", **four | {"ours": no}).run().outcome == "false"
    assert claim("sharpens", **four | {"altered": yes}).run().outcome == "false"
    assert claim("sharpens").run().outcome == "unchecked"
    assert claim("sharpens", printed=yes).run().outcome == "unchecked"


@pytest.mark.parametrize("error", [ZeroDivisionError, InputError, IndexError, AttributeError, OSError, ImportError])
def test_a_check_that_does_not_run_never_holds(error: type[Exception]) -> None:
    def breaks() -> Finding:
        raise error("as it happens")

    assert claim("as printed", ours=breaks).run() == Result("unchecked", "as it happens")
    assert claim("as printed", altered=breaks).run().outcome == "unchecked"


def test_no_case_is_no_evidence() -> None:
    checks: list[Check] = [lambda: every([]), Decided(list), Within([])]
    for check in checks:
        with pytest.raises(UncheckedError, match="there is no case to check"):
            check()
    assert every([("a", True), ("b", 0), ("c", True)]) == Finding(False, "not so at b")


def test_every_claim_with_its_wrong_form_is_false() -> None:
    """A ledger in which every statement is replaced by its wrong form, each checked by the same means."""
    outcomes = {one.id: replace(one, ours=one.altered).run().outcome for one in CLAIMS}
    assert {name for name, outcome in outcomes.items() if outcome != "false"} == set()
    assert {one.method for one in CLAIMS} == set(get_args(Method))


def test_every_correction_turned_round_is_false() -> None:
    corrections = [one for one in CLAIMS if one.relation == "corrects"]
    assert len(corrections) > 20
    for one in corrections:
        assert replace(one, ours=one.altered, altered=one.ours).run().outcome == "false", one.id


@pytest.mark.parametrize("method", get_args(Method))
def test_a_check_that_cannot_fail_is_seen(method: str) -> None:
    one = next(one for one in CLAIMS if one.method == method)
    found = replace(one, altered=one.ours).run()
    assert found.outcome == "false"
    assert found.detail.startswith("the check cannot tell it from what is wrong: ")


def test_without_z3_its_claims_are_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    find: Callable[..., Any] = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "z3" else find(name))
    for one in CLAIMS:
        if one.method == "SMT":
            sentence = "z3 and cvc5 check this claim: pip install qifldp[prove]."
            assert one.run() == Result("unchecked", sentence), one.id


def test_without_cvc5_there_is_no_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    find: Callable[..., Any] = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "cvc5" else find(name))
    (one,) = find_claims("lemma-7")
    found = one.run()
    assert found.outcome == "holds"
    assert found.detail.startswith(
        "z3 finds no counterexample to 1 statement (no second opinion: cvc5 is not installed); altered"
    )


@pytest.mark.parametrize("prover", ["z3", "cvc5"])
@pytest.mark.parametrize("error", [ImportError, AttributeError, OSError, RuntimeError])
def test_a_prover_that_does_not_load_leaves_the_claim_unchecked(
    prover: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> Any:
        if name == prover:
            raise error("libm.so.7 is\nmissing")
        return importlib.import_module(name)

    monkeypatch.setattr("qifldp.proofs.provers.import_module", load)
    (one,) = find_claims("lemma-7")
    assert one.run() == Result("unchecked", f"{prover} is installed and does not load: libm.so.7 is missing.")


def test_certified_refinement_says_what_is_proved_otherwise() -> None:
    one = Decided(lambda: [Question(GRR(3, 1), GRR(3, 2))])()
    assert one == Finding(False, "proved otherwise: grr:epsilon=1 ⋢ grr:epsilon=2, over 3 values")
    other = Decided(lambda: [Question(GRR(3, 2), GRR(3, 1), holds=False)])()
    assert other == Finding(False, "proved otherwise: grr:epsilon=2 ⊑ grr:epsilon=1, over 3 values")
    worst = Decided(lambda: [Question(GRR(3, 1), GRR(3, 2), order="max")])()
    assert worst == Finding(False, "proved otherwise: grr:epsilon=1 ⋢MAX grr:epsilon=2, over 3 values")
    assert (
        Decided(lambda: [Question(GRR(3, 2), GRR(3, 1)), Question(SUE(2, 1), GRR(2, 1), holds=True)])().holds is False
    )


def test_balls_say_on_which_side() -> None:
    def root() -> arb:
        return arb(2).sqrt()

    assert enclosed(root, "1.41421356237309504", "1.41421356237309505")[1]
    assert not enclosed(root, "1.41421356237309505", None)[1]
    assert not enclosed(root, None, "1.41421356237309504")[1]
    assert Within([("√2", root, "1.5", None)])() == Finding(False, "√2 = 1.4142136")
    assert [str(bound) for bound in rounds_to("37.59")] == ["7517/200", "7519/200"]
    with pytest.raises(UncheckedError, match="not told from its bounds"):
        enclosed(lambda: arb(2).sqrt() ** 2, "2", None)


def test_together_stops_at_the_first_that_fails() -> None:
    assert Together(yes, yes)() == Finding(True, "so; so")
    assert Together(yes, no, undecided)() == Finding(False, "not so")
    with pytest.raises(UncheckedError):
        Together(yes, undecided, no)()
