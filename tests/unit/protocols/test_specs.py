"""Protocols written as text and as JSON, and what is said about typing errors."""

from __future__ import annotations

import pytest

from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import PROTOCOLS, SEVEN, parse_spec, protocol_from_json, split_specs
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import UE


def assert_refused(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_spec(text).build(4)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("gr", "There is no protocol called 'gr': did you mean grr?"),
        ("OEU", "There is no protocol called 'oeu': did you mean oue?"),
        (
            "xyzzy",
            "There is no protocol called 'xyzzy': there are grr, ss, blh, olh, lh, sue, oue, ue, the, mix.",
        ),
        ("", "There is no protocol called '': there are grr, ss, blh, olh, lh, sue, oue, ue, the, mix."),
        ("the:thata=1", "There is no parameter of the called 'thata': did you mean theta?"),
        ("the:epsilno=1", "There is no parameter of the called 'epsilno': did you mean epsilon?"),
        ("grr:omega=2", "There is no parameter of grr called 'omega': there are epsilon, exp_epsilon."),
        ("ue:p=.5,q=.1,zz=1", "There is no parameter of ue called 'zz': there are p, q."),
        ("ss:omega=1,OMEGA=2", "The parameter omega of ss is given twice."),
        ("lh:epsilon=1", "The protocol lh needs g: write lh:g=…."),
        ("ue", "The protocol ue needs p and q: write ue:p=…."),
        ("ue:p=.5", "The protocol ue needs q: write ue:q=…."),
        ("grr:epsilon", "a parameter of grr must be written key=value, got 'epsilon'."),
        ("grr:epsilon=", "The parameter epsilon of grr has no value: write it after the equals sign."),
        ("grr", "The protocol grr needs a budget: give epsilon."),
        ("ss:epsilon=1,omega=4", "omega must be a whole number from 1 to 3, got '4'."),
        (
            "grr:epsilon=1,exp_epsilon=3",
            "Give a budget: either epsilon or exp_epsilon (that is e^epsilon), not both.",
        ),
    ],
)
def test_typing_errors(text: str, sentence: str) -> None:
    assert_refused(text, sentence)


def test_names_are_read_in_any_case_and_spacing() -> None:
    assert parse_spec(" The : Theta = 0.9 , EPSILON = 2*ln(3) ").build(5) == THE(5, "ln(9)", theta=0.9)
    assert parse_spec("ss:omega=2").build(5, Budget.read(1)) == SS(5, 1, omega=2)
    assert parse_spec("ue:p=3/4,q=0.25").build(5) == UE(5, p="3/4", q="1/4")


def test_a_budget_inside_a_spec_goes_before_the_argument() -> None:
    assert parse_spec("grr:exp_epsilon=9/4").build(5, Budget.read(7)) == GRR(5, exp_epsilon="9/4")
    assert parse_spec("grr").build(5, Budget.read(7)) == GRR(5, 7)
    assert parse_spec("ue:p=.5,q=.1").build(5, Budget.read(7)) == UE(5, p=".5", q=".1")
    assert not parse_spec("ue:p=.5,q=.1").has_budget


def test_lists_of_specs() -> None:
    assert split_specs("grr,the:theta=0.9,ue:p=0.5,q=0.1, ss") == ["grr", "the:theta=0.9", "ue:p=0.5,q=0.1", "ss"]
    assert split_specs("grr,mix:parts=0.5*ss@2+0.5*ss@3,oue") == ["grr", "mix:parts=0.5*ss@2+0.5*ss@3", "oue"]
    assert split_specs("mix:epsilon=1,parts=1/3*grr,oue") == ["mix:epsilon=1,parts=1/3*grr", "oue"]
    assert split_specs("lh:g=3,epsilon=1,the:theta=1") == ["lh:g=3,epsilon=1", "the:theta=1"]
    for text in ("grr,,ss", "", "grr,"):
        with pytest.raises(InputError) as caught:
            split_specs(text)
        assert str(caught.value) == (
            f"protocols must be specs separated by commas, such as grr,the:theta=0.9, got {text!r}."
        )


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ([], "A protocol's description must have exactly: protocol, domain_size, parameters."),
        ({"protocol": "GRR"}, "A protocol's description must have exactly: protocol, domain_size, parameters."),
        (
            {"protocol": 1, "domain_size": 2, "parameters": {}},
            "A protocol's description must name the protocol and list its parameters.",
        ),
        (
            {"protocol": "GRR", "domain_size": 2, "parameters": {"epsilon": 1}},
            'A protocol\'s parameters must be exact text, such as {"epsilon": "0.5"}.',
        ),
        (
            {"protocol": "GRR", "domain_size": "2", "parameters": {"epsilon": "1"}},
            "domain size must be a whole number, got '2'.",
        ),
        (
            {"protocol": "GRR", "domain_size": 2, "parameters": {"epsilon": "1", "exp_epsilon": "3"}},
            "Give a budget: either epsilon or exp_epsilon (that is e^epsilon), not both.",
        ),
        (
            {"protocol": "GRR", "domain_size": 2, "parameters": {"epsilon": "1,exp_epsilon=3"}},
            "A protocol's parameter must hold one value: no comma and no equals sign.",
        ),
    ],
)
def test_json_that_describes_no_protocol(document: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        protocol_from_json(document)
    assert str(caught.value) == sentence


def test_the_seven_protocols_of_the_paper_are_listed() -> None:
    assert set(SEVEN) <= set(PROTOCOLS)
    assert len(set(SEVEN)) == 7
    assert all(PROTOCOLS[name].name.lower() == name for name in PROTOCOLS)
