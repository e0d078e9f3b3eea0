"""Protocols in plain words."""

from __future__ import annotations

import pytest

from qifldp.protocols.specs import PROTOCOLS, parse_spec
from qifldp.protocols.wording import WORDS, described


def test_every_protocol_has_words() -> None:
    assert list(WORDS) == list(PROTOCOLS)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("grr:epsilon=1", "generalised randomised response (GRR): a report is one value: "),
        ("ss:epsilon=1,omega=59", "subset selection (SS): a report is a set of 59 of the 156 values, which holds "),
        (
            "blh:epsilon=1",
            "binary local hashing (BLH): a report is a rule that puts every value into one of two groups",
        ),
        (
            "olh:epsilon=2",
            "optimised local hashing (OLH): a report is a rule that puts every value into one of 8 groups",
        ),
        (
            "lh:epsilon=1,g=1000",
            "local hashing (LH): a report is a rule that puts every value into one of 1,000 groups",
        ),
        ("sue:epsilon=1", "symmetric unary encoding (SUE): a report is a yes or no for every value, "),
        (
            "mix:epsilon=1,parts=0.25*ss@2+0.7*oue",
            "a public mixture (MIX): a coin that everybody sees makes a report a set of 2 of the 156 values (25 %), ",
        ),
        (
            "mix:epsilon=1,parts=1*grr",
            "a public mixture (MIX): a coin that everybody sees makes a report a set of 1 of the 156 values (100 %)",
        ),
    ],
)
def test_words_have_the_protocols_own_numbers(spec: str, words: str) -> None:
    assert described(parse_spec(spec).build(156)).startswith(words)
    assert "one of g groups" not in described(parse_spec(spec).build(156))


def test_a_mixture_says_how_often_it_says_nothing() -> None:
    words = described(parse_spec("mix:epsilon=1,parts=0.25*ss@2+0.7*oue").build(156))
    assert words.endswith("makes a report a set of 2 of the 156 values (25 %), one of OUE (70 %) or empty (5 %)")
