"""``qifldp protocol``: a client that is written from its document alone agrees with this package."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

from cli.terminal import Terminal
from qifldp.collection.client import SecureClient
from qifldp.collection.mixture import MixMechanism
from qifldp.collection.reports import fingerprint
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import SEVEN
from unit.engines.samples import build

MIX = "mix:parts=0.3*ss@2+0.4*oue+0.2*lh@300"
SPECS = (*SEVEN, "lh:g=300", "ss:omega=2", "ue:p=0.2,q=0.7")


def described(terminal: Terminal, spec: str, domain_size: int) -> tuple[dict[str, Any], Protocol]:
    budget = () if spec.startswith("ue") else ("--epsilon", "1")
    document = terminal("protocol", spec, "--domain-size", str(domain_size), *budget, "--json").document()
    return document, build(spec, domain_size)


@pytest.mark.parametrize("domain_size", [2, 3, 8, 37, 1000])
@pytest.mark.parametrize("spec", SEVEN)
def test_figures(terminal: Terminal, spec: str, domain_size: int) -> None:
    document, protocol = described(terminal, spec, domain_size)
    p, q = protocol.mechanism.support_chances
    assert Fraction(int(document["p"]["words"]), 2**64) == p == Fraction(document["p"]["fraction"])
    assert Fraction(document["q"]["fraction"]) == q
    assert document["q"]["words"] is None or Fraction(int(document["q"]["words"]), 2**64) == q
    assert (document["q"]["words"] is not None) == (spec in ("sue", "oue", "the"))
    assert document["fingerprint"] == fingerprint(protocol)
    assert document["report_bytes"] == protocol.mechanism.width
    assert document["epsilon"] == protocol.epsilon
    assert document["tight_epsilon"] == protocol.tight_epsilon
    assert document["epsilon_given"] == SecureClient(protocol).epsilon
    assert math.isclose(document["epsilon_given"], protocol.tight_epsilon, rel_tol=1e-12)


@pytest.mark.parametrize("domain_size", [5, 8, 37, 1000])
@pytest.mark.parametrize("spec", [spec for spec in SPECS if "lh" not in spec])
def test_sets_are_packed_as_the_server_reads_them(terminal: Terminal, spec: str, domain_size: int) -> None:
    document, protocol = described(terminal, spec, domain_size)
    assert len(document["test_vectors"]) >= 2
    for vector in document["test_vectors"]:
        report = np.frombuffer(bytes.fromhex(vector["report"]), np.uint8)[None, :]
        assert protocol.mechanism.faults(report).tolist() == [0]
        assert np.flatnonzero(protocol.mechanism.supports(report)[0]).tolist() == vector["members"]


def bucket(a: int, b: int, x: int, g: int, start: int, first: int, second: int) -> int:
    """The hash, from the document's words."""
    x = (x + start) % 2**32
    x ^= x >> 16
    x = x * first % 2**32
    x ^= x >> 15
    x = x * second % 2**32
    x ^= x >> 16
    return g * ((a * x + b) % 2**64 // 2**32) // 2**32


@pytest.mark.parametrize("domain_size", [5, 37, 1000])
def test_reports_of_a_mixture_can_be_written_from_its_document(terminal: Terminal, domain_size: int) -> None:
    """Each part as on its own, behind its place and before zeros."""
    document, protocol = described(terminal, MIX, domain_size)
    mechanism = protocol.mechanism
    assert isinstance(mechanism, MixMechanism)
    assert document["p"]["words"] is document["q"]["words"] is None
    assert [Fraction(document[name]["fraction"]) for name in ("p", "q")] == list(mechanism.support_chances)
    assert [int(part["chance"]["words"]) for part in document["parts"]] == list(mechanism.chances)
    assert [int(part["chance"]["below"]) for part in document["parts"]] == list(accumulate(mechanism.chances))
    assert int(document["silence"]["words"]) == mechanism.silence > 0
    width = document["report_bytes"]
    for place, (spec, part) in enumerate(zip(("ss:omega=2", "oue", "lh:g=300"), document["parts"], strict=True)):
        alone, _ = described(terminal, spec, domain_size)
        assert part["part"] == place
        assert part["spec"] == alone["spec"]
        for key in ("p", "q", "report_bytes", "layout", "layout_words", "draw", "hash", "test_vectors"):
            assert part[key] == alone[key]
        for key in ("report", "report_of_first"):
            reports = [vector[key] for vector in part["test_vectors"] if key in vector]
            placed = [vector[key] for vector in document["test_vectors"] if key in vector and vector["part"] == place]
            assert placed == [f"{place:02x}{report}".ljust(2 * width, "0") for report in reports]
    for vector in document["test_vectors"]:
        report = np.frombuffer(bytes.fromhex(vector.get("report", vector.get("report_of_first"))), np.uint8)[None, :]
        assert mechanism.faults(report).tolist() == [0]
        supported = np.flatnonzero(mechanism.supports(report)[0]).tolist()
        if "members" in vector:
            assert supported == vector["members"]
        else:
            assert vector["buckets"][0]["value"] in supported
    assert document["test_vectors"][-1] == {"part": 3, "members": [], "report": "03".ljust(2 * width, "0")}


def test_text_of_a_mixture(terminal: Terminal) -> None:
    outcome = terminal("protocol", MIX, "--domain-size", "1000", "--epsilon", "1")
    document, _ = described(terminal, MIX, 1000)
    assert (outcome.code, outcome.err) == (0, "")
    for part in document["parts"]:
        assert part["chance"]["below"] in outcome.out
        assert part["p"]["words"] in outcome.out
        assert part["spec"] in outcome.out
    assert "h(x) = floor(g * w / 2^32)" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


@pytest.mark.parametrize("domain_size", [2, 37, 100_000])
@pytest.mark.parametrize("spec", ["blh", "olh", "lh:g=300", "lh:g=2147483648"])
def test_hash_is_what_its_words_say(terminal: Terminal, spec: str, domain_size: int) -> None:
    document, protocol = described(terminal, spec, domain_size)
    g = document["hash"]["buckets"]
    start, first, second = (int(document["hash"]["pi"][step].split()[4]) for step in (0, 2, 4))
    for pair in document["hash"]["pi_of"]:
        assert bucket(2**32, 0, pair["value"], 2**32, start, first, second) == pair["pi"]
    found = set()
    for vector in document["test_vectors"]:
        a, b = int(vector["a"]), int(vector["b"])
        for pair in vector["buckets"]:
            assert pair["bucket"] == bucket(a, b, pair["value"], g, start, first, second)
            found.add(pair["bucket"])
        report = bytes.fromhex(vector["report_of_first"])
        assert report == a.to_bytes(8, "little") + b.to_bytes(8, "little") + vector["buckets"][0]["bucket"].to_bytes(
            document["report_bytes"] - 16, "little"
        )
        supported = protocol.mechanism.supports(np.frombuffer(report, np.uint8)[None, :])[0]
        assert supported[vector["buckets"][0]["value"]]
    assert len(found) > 1


@pytest.mark.parametrize("spec", SPECS)
def test_text(terminal: Terminal, spec: str) -> None:
    budget = () if spec.startswith("ue") else ("--epsilon", "1")
    outcome = terminal("protocol", spec, "--domain-size", "1000", *budget)
    document, _ = described(terminal, spec, 1000)
    assert (outcome.code, outcome.err) == (0, "")
    assert document["p"]["words"] in outcome.out
    assert document["fingerprint"] in outcome.out
    assert "Test vectors" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_reports_too_long_for_vectors(terminal: Terminal) -> None:
    arguments = ("protocol", "oue", "--domain-size", "1000000", "--epsilon", "1")
    assert terminal(*arguments, "--json").document()["test_vectors"] == []
    assert "Reports are too long for test vectors: take those of a smaller domain." in terminal(*arguments).out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("oue", "--domain-size", "5"), "The protocol oue needs a budget: give epsilon."),
        (("oeu", "--domain-size", "5", "--epsilon", "1"), "There is no protocol called 'oeu': did you mean oue?"),
        (
            ("mix:parts=0.5*grr+0.6*oue", "--domain-size", "5", "--epsilon", "1"),
            "The sum of the weights of a mixture must be at most 1, got '1.1'.",
        ),
        (
            ("mix:parts=0.5*grr,0.5*oue", "--domain-size", "5", "--epsilon", "1"),
            "a parameter of mix must be written key=value, got '0.5*oue'.",
        ),
        (("oue", "--domain-size", "1", "--epsilon", "1"), "domain size must be from 2 to 10,000,000, got 1."),
        (
            ("ue:p=0.5,q=0.1", "--domain-size", "5", "--epsilon", "1"),
            "The parameters of ue are p and q, not a budget: leave --epsilon out.",
        ),
        (
            ("grr", "--domain-size", "5", "--epsilon", "1e-30"),
            "This protocol cannot be run: its probabilities are within 2^-64 of 0, of 1 or of each other.",
        ),
        (
            ("lh:g=4294967296", "--domain-size", "5", "--epsilon", "1"),
            "The number of buckets of a hash that is run must be at most 2^31, got 4294967296.",
        ),
    ],
)
def test_refused_arguments(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    terminal.refuses(sentence, "protocol", *arguments)
