"""The audit in Python: arguments, forms of reports, what is declared, and the result."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from qifldp.adversaries import gain as gains
from qifldp.audit.auditing import audit_client
from qifldp.audit.result import Audit, AuditViolation
from qifldp.audit.samples import Domain, Samples
from qifldp.errors import InputError
from qifldp.protocols.local_hashing import OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE

K = 6
PLACES = np.random.default_rng(3).integers(K, size=20_000)


def audited(reports: object, protocol: Protocol, places: np.ndarray[Any, Any] = PLACES, **options: Any) -> Audit:
    samples = Samples(Domain.read(K), places, reports)  # type: ignore[arg-type]
    return audit_client(samples, protocol=protocol, classifier=False, **options)


def supports_of(protocol: Protocol) -> np.ndarray[Any, Any]:
    return protocol.perturb(PLACES, rng=np.random.default_rng(5)).supports


FORMS: list[Callable[[np.ndarray[Any, Any]], object]] = [
    lambda row: row.astype(int).tolist(),
    lambda row: tuple(row.tolist()),
    lambda row: row,
    lambda row: row.astype(np.float64),
    lambda row: "".join("01"[int(bit)] for bit in row),
    lambda row: " ".join("01"[int(bit)] for bit in row),
    lambda row: set(np.flatnonzero(row).tolist()),
    lambda row: np.flatnonzero(row).tolist(),
    lambda row: ",".join(map(str, np.flatnonzero(row))) if row.any() else set(),
]


@pytest.mark.parametrize("form", FORMS)
def test_bits_in_any_form(form: Callable[[np.ndarray[Any, Any]], object]) -> None:
    result = audited([form(row) for row in supports_of(OUE(K, 1))], OUE(K, 1))
    assert (result.verdict, result.claim) == ("consistent", "distribution")
    assert result.epsilon_lower_bound > 0.8
    assert audited([form(row) for row in supports_of(OUE(K, 2))], OUE(K, 1)).verdict == "violates"


@pytest.mark.parametrize("protocol", [SS(K, "1/2"), GRR(K, 1)], ids=lambda protocol: protocol.name)
def test_sets_in_any_form(protocol: Protocol) -> None:
    rows = supports_of(protocol)
    for form in (FORMS[6], FORMS[7], FORMS[0]):
        assert audited([form(row) for row in rows], protocol).verdict == "consistent"
    if isinstance(protocol, GRR):
        assert audited(rows.argmax(axis=1).tolist(), protocol).verdict == "consistent"
        assert audited([str(place) for place in rows.argmax(axis=1)], protocol).verdict == "consistent"


def test_packed_bytes() -> None:
    for protocol in (OUE(K, 1), SS(K, 1), OLH(K, 1)):
        reports = protocol.perturb(PLACES, rng=np.random.default_rng(4))
        assert audited(reports, protocol).verdict == "consistent"
        assert audited([*reports], protocol).verdict == "consistent"


def test_reports_that_cannot_be_are_a_violation() -> None:
    reports: list[object] = [row.astype(int).tolist() for row in supports_of(OUE(K, 1))]
    reports[77] = [2, 0, 0, 0, 0, 0]
    result = audited(reports, OUE(K, 1))
    assert (result.verdict, result.claim) == ("violates", "distribution")
    assert result.reason == (
        "possible reports: not as declared (confidence 0.99): 1 not 6 bits, such as (2, 0, 0, 0, 0, 0)."
    )
    with pytest.raises(AuditViolation) as violated:
        result.check()
    assert str(violated.value) == result.reason


def test_hashing_needs_to_be_told_what_a_report_supports() -> None:
    protocol = OLH(K, 1)
    places = PLACES[:4000]
    reports = protocol.perturb(places, rng=np.random.default_rng(4))
    pairs = [(row.tobytes()[:16], row[16], held) for row, held in zip(reports.rows, reports.supports, strict=True)]
    with pytest.raises(InputError) as refused:
        audited(pairs, protocol, places)
    assert str(refused.value) == (
        "Which values a report of the declared protocol supports is not seen from its form: "
        "say it with --supports module:function, or send its packed bytes."
    )
    result = audited(pairs, protocol, places, supports=lambda report, value: report[2][value])
    assert result.verdict == "consistent"
    other = audited(pairs, OLH(K, "1/2"), places, supports=lambda report, value: report[2][value])
    assert other.verdict == "violates"


def test_the_type_and_the_order_are_part_of_the_report() -> None:
    rows = supports_of(GRR(K, 1)).argmax(axis=1).tolist()
    typed = [float(report) if place == 3 else report for report, place in zip(rows, PLACES.tolist(), strict=True)]
    result = audit_client(Samples(Domain.read(K), PLACES, typed), epsilon=1, classifier=False)
    assert result.verdict == "violates"
    assert result.event is not None
    assert result.event.startswith(("its type and length is", "the whole report is"))
    assert result.findings[0].unseen is not None


def test_a_constant_says_nothing() -> None:
    result = audit_client(lambda value: 7, domain=4, epsilon=1, samples=2000, classifier=False)
    assert (result.verdict, result.epsilon_lower_bound, result.findings) == ("inconclusive", 0.0, ())


def test_values_outside_the_domain_are_to_be_refused() -> None:
    result = audit_client(lambda value: 7, domain=4, epsilon=1, samples=2000, classifier=False, outside=[4, "x"])
    assert (result.verdict, result.claim) == ("violates", "distribution")
    assert result.reason == (
        "values outside the domain: not as declared (confidence 0.99): reports on 4, 'x', which are to be refused."
    )
    sound = audit_client(OUE(K, 1), protocol=OUE(K, 1), samples=2000, classifier=False, outside=[K, -1])
    assert sound.verdict != "violates"


def test_any_gain_function() -> None:
    protocol = GRR(K, 3)
    for gain in (gains.guesses(2), gains.membership([0, 1]), gains.distance(), gains.from_matrix(np.eye(K).tolist())):
        found = audit_client(protocol, protocol=protocol, samples=20_000, gain=gain, classifier=False).leakage
        assert found.gain is not None
        assert 0.3 < found.gain.low < found.gain.value < found.gain.high <= 1
        assert found.gain_words == gain.describe()


def test_large_domains_are_looked_at_in_part() -> None:
    protocol = OUE(1000, 3)
    result = audit_client(protocol, protocol=protocol, samples=20_000, classifier=False)
    assert (result.verdict, result.watched) == ("consistent", 64)
    assert result.reason.startswith("No violation was found on 64 of 1,000 values; ")
    assert result.notes[0] == (
        "Of 1,000 values 64 were looked at. Of the others nothing is said; what is gained counts their users, of whom "
        "nothing is learned."
    )


def test_the_result_is_strict_json() -> None:
    result = audit_client(GRR(K, 1), protocol=GRR(K, 1), samples=500, classifier=False).to_json()
    assert json.loads(json.dumps(result, allow_nan=False)) is not None
    assert {
        "schema_version",
        "verdict",
        "claim",
        "epsilon_claimed",
        "epsilon_lower_bound",
        "confidence",
        "event",
    } < set(result)


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "Say what is claimed: either a protocol or an epsilon."),
    ({"epsilon": 1, "protocol": GRR(K, 1)}, "Say what is claimed: either a protocol or an epsilon."),
    ({"epsilon": 1}, "Say which values there are: a domain."),
    ({"epsilon": 1, "domain": 4, "samples": 5}, "samples must be a whole number from 100 to 100,000,000, got 5."),
    ({"epsilon": 1, "domain": 4, "rounds": 0}, "rounds must be a whole number from 1 to 255, got 0."),
    ({"epsilon": 1, "domain": 4, "confidence": 1}, "confidence must be a number between 0 and 1, got 1."),
    ({"epsilon": 1, "domain": 4, "seed": -1},
     "seed must be a whole number from 0 to 9,223,372,036,854,775,807, got -1."),
    ({"protocol": GRR(K, 1), "domain": 4}, "The domain has 4 values, the protocol 6."),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), BAD)
def test_what_is_wrong_is_said(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        audit_client(lambda value: value, **options)
    assert str(refused.value) == sentence


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = audit_client(GRR(K, 1), protocol=GRR(K, 1), samples=2000)
    assert "No learned distinguisher was tried: pip install 'qifldp[audit]' brings it." in result.notes
    with pytest.raises(InputError) as refused:
        audit_client(GRR(K, 1), protocol=GRR(K, 1), classifier=True)
    assert str(refused.value) == "A learned distinguisher needs scikit-learn: pip install 'qifldp[audit]'."
