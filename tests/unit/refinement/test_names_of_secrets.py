"""Rows are matched by their names, whatever these are: numbers in another order are names too."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from qifldp import Channel, InputError, decide_refinement, join, meet, verify_certificate
from qifldp.refinement.certificate import Certificate, Order
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.proofs import Identical, Witness
from qifldp.refinement.verified import CertificateError

TOLD = (("1", "0"), ("1/2", "1/2"))
ONE, NOTHING = Fraction(1), Fraction(0)
IDENTITY = Witness(((ONE, NOTHING), (NOTHING, ONE)))


@pytest.mark.parametrize("names", [("0", "1"), ("1", "0"), ("no", "yes")])
@pytest.mark.parametrize("order", ["average", "max"])
def test_other_secrets_in_the_same_places_are_not_the_same(names: tuple[str, str], order: Order) -> None:
    """One channel tells the first secret now and then, the other the second."""
    first, second = Channel(TOLD, inputs=names), Channel(TOLD, inputs=names[::-1])
    assert isinstance(decide_refinement(original=first, refined=second, order=order), DoesNotRefine)


@pytest.mark.parametrize("names", [("0", "1"), ("1", "0"), ("no", "yes")])
@pytest.mark.parametrize("order", ["average", "max"])
def test_one_channel_with_its_rows_in_another_order(names: tuple[str, str], order: Order) -> None:
    first, second = Channel(TOLD, inputs=names), Channel(TOLD[::-1], inputs=names[::-1])
    decision = decide_refinement(original=first, refined=second, order=order)
    assert isinstance(decision, Refines)
    verify_certificate(decision.certificate)


@pytest.mark.parametrize("names", [("0", "1", "2"), ("a", "b", "c")])
def test_three_secrets(names: tuple[str, ...]) -> None:
    rows = (("1", "0"), ("1/2", "1/2"), ("1/3", "2/3"))
    turned = Channel(rows[1:] + rows[:1], inputs=names[1:] + names[:1])
    assert isinstance(decide_refinement(original=Channel(rows, inputs=names), refined=turned), Refines)
    moved = Channel(rows, inputs=names[1:] + names[:1])
    assert isinstance(decide_refinement(original=Channel(rows, inputs=names), refined=moved), DoesNotRefine)


@pytest.mark.parametrize("names", [("0", "1"), ("no", "yes")])
def test_the_verifier_matches_names_too(names: tuple[str, str]) -> None:
    """What was accepted once: rows of one channel in another order, as if they had no names."""
    forged = Certificate(Channel(TOLD, inputs=names), Channel(TOLD, inputs=names[::-1]), "refines", IDENTITY)
    with pytest.raises(CertificateError, match="have different names, or another order"):
        verify_certificate(forged)
    with pytest.raises(CertificateError, match="not identical"):
        verify_certificate(dataclasses.replace(forged, proof=Identical()))


@pytest.mark.parametrize("bound", [meet, join])
def test_bounds_match_names(bound: object) -> None:
    assert callable(bound)
    first, turned = Channel(TOLD, inputs=["a", "b"]), Channel(TOLD[::-1], inputs=["b", "a"])
    same = bound(first, turned)
    assert same.channel.inputs == ("a", "b")
    assert isinstance(decide_refinement(original=first, refined=same.channel), Refines)
    assert isinstance(decide_refinement(original=same.channel, refined=first), Refines)
    assert bound(Channel(TOLD), turned).channel.inputs == ("b", "a")
    with pytest.raises(InputError, match="name different secrets in their rows"):
        bound(first, Channel(TOLD, inputs=["c", "d"]))
