"""Certificates in files: round trips, strict reading, and the vectors that are kept, good and bad."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

import qifldp.errors
from qifldp.errors import InputError
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE
from qifldp.refinement import verified
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.proofs import Bets, Bitwise, Proof, SubFlow, decimal_text
from qifldp.refinement.verify import verify_certificate

VECTORS = Path(__file__).parents[2] / "vectors" / "certificates"
INDEX = json.loads((VECTORS / "index.json").read_text(encoding="utf-8"))

LEAST_BAD = 20
"""Forged certificates that are kept at least."""

CERTIFICATE = Certificate(GRR(3, 2), GRR(3, 1), "refines", SubFlow(((1, 1, Fraction(9, 10)),)))


def test_every_vector_is_listed() -> None:
    listed = {"index.json", *INDEX["good"], *INDEX["bad"]}
    assert {file.name for file in VECTORS.iterdir()} == listed
    assert len(INDEX["bad"]) >= LEAST_BAD
    kinds = {Certificate.load(VECTORS / name).proof.kind for name in INDEX["good"]}
    assert kinds == {proof.kind for proof in get_args(Proof)}


@pytest.mark.parametrize("name", INDEX["good"])
def test_good_vectors_are_accepted(name: str, tmp_path: Path) -> None:
    certificate = Certificate.load(VECTORS / name)
    assert verify_certificate(VECTORS / name).certificate == certificate
    copy = tmp_path / "copy.json"
    certificate.save(copy)
    assert copy.read_text(encoding="utf-8") == (VECTORS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", INDEX["bad"])
def test_bad_vectors_are_refused_with_the_reason(name: str) -> None:
    kind, _, reason = INDEX["bad"][name].partition(": ")
    error = getattr(verified, kind, None) or getattr(qifldp.errors, kind)
    with pytest.raises(error) as caught:
        verify_certificate(VECTORS / name)
    assert str(caught.value) == reason


@pytest.mark.parametrize("number", ["1/3", "-7", "0.25", "1e-40", "123456789/1000", "1/6"])
def test_numbers_are_written_exactly(number: str) -> None:
    assert Fraction(decimal_text(Fraction(number))) == Fraction(number)


@pytest.mark.parametrize("exponent", [1, 200, 900, 999])
def test_small_numbers_come_back(exponent: int) -> None:
    """Shares of tails are tiny: what is saved is read again."""
    share = Fraction(1, 10**exponent)
    for proof in (SubFlow(((1, 1, share),)), Bets(((1, share, share),))):
        certificate = Certificate(GRR(3, 2), GRR(3, 1), "refines", proof)
        assert Certificate.from_json(json.loads(json.dumps(certificate.to_json()))) == certificate


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "NaN", '{"a": Infinity}', "1.5", "[" * 100_000, '"' + "9" * 10, "9" * 5000, "\ufeff{"],
)
def test_what_is_no_certificate_is_an_input_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        verify_certificate(file)


@pytest.mark.parametrize("path", ["missing.json", "", "\0", "."])
def test_files_that_cannot_be_read(path: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Certificate.load(tmp_path / path if path != "\0" else path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    file.write_bytes(b"\xff\xfe\x00{")
    with pytest.raises(InputError, match=r"is not UTF-8 text\.$"):
        Certificate.load(file)


def test_a_certificate_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        CERTIFICATE.save(tmp_path / "nowhere" / "certificate.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verdict", ["maybe", True, None, ["refines"], {}])
def test_verdicts_are_two(verdict: object) -> None:
    with pytest.raises(InputError, match=r"^verdict of the certificate must be "):
        Certificate.from_json(CERTIFICATE.to_json() | {"verdict": verdict})


@pytest.mark.parametrize("version", [True, 0, 2, "1", None])
def test_versions_are_one(version: object) -> None:
    with pytest.raises(InputError, match=r"^schema_version of the certificate must be 1, got "):
        Certificate.from_json(CERTIFICATE.to_json() | {"schema_version": version})


@pytest.mark.parametrize("order", ["maximum", "", None, 1, ["average"]])
def test_unknown_orders_are_refused(order: object) -> None:
    with pytest.raises(InputError, match=r"^order of the certificate must be "):
        Certificate.from_json(CERTIFICATE.to_json() | {"order": order})


def test_a_parameter_holds_no_second_parameter() -> None:
    """A value with a comma is no way to smuggle in another setting than the one that is read."""
    document = Certificate(OUE(3, 1), OUE(3, 1), "refines", Bitwise()).to_json()
    document["refined"] = {"protocol": "SS", "domain_size": 3, "parameters": {"epsilon": "1,omega=2"}}
    with pytest.raises(InputError):
        Certificate.from_json(document)


@pytest.mark.parametrize(
    "description",
    [
        {"protocol": "THE", "domain_size": 3, "parameters": {"epsilon": "1"}},
        {"protocol": "THE", "domain_size": 3, "parameters": {"epsilon": "1.0", "theta": "0.75"}},
    ],
)
def test_a_protocol_is_written_out_in_full(description: dict[str, object]) -> None:
    """One description has one spelling: what a later version has as its default, or how it rounds, changes no claim."""
    document = Certificate(OUE(3, 1), OUE(3, 1), "refines", Bitwise()).to_json()
    for side in ("original", "refined"):
        with pytest.raises(InputError) as caught:
            Certificate.from_json(document | {side: description})
        assert str(caught.value).startswith("A protocol in a certificate must be written out in full: 'the:epsilon=1,")
